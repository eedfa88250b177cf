//! The OpenAPI document: what the handlers say of themselves, completed with what holds for all of them.

use crate::{
    App,
    model::{Power, Role, access::ROLES},
    problem::Told,
};
use serde_json::json;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, ResponseBuilder,
        extensions::ExtensionsBuilder,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem},
        schema::{ObjectBuilder, Type},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
        tag::TagBuilder,
    },
};
use utoipa_axum::router::UtoipaMethodRouter;

/// Who may call an operation. In a workspace, the role table says which roles have the power.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Anyone,
    /// Anyone with a credential that holds.
    Actor,
    /// A signed-in person.
    Person,
    /// An agent by its key.
    AgentKey,
    InstanceAdmin,
    /// A member or agent of the workspace whose role has this power.
    Workspace(Power),
    /// An agent of the workspace that its key decides, whose role has this power.
    Agent(Power),
}

impl Access {
    pub fn word(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Actor => "actor",
            Self::Person => "person",
            Self::AgentKey => "agent_key",
            Self::InstanceAdmin => "instance_admin",
            Self::Workspace(Power::Reading) => "reading",
            Self::Workspace(Power::Writing) => "writing",
            Self::Workspace(Power::Reviewing) => "reviewing",
            Self::Workspace(Power::Auditing) => "auditing",
            Self::Workspace(Power::Governing) => "governing",
            Self::Agent(Power::Reading) => "agent_reading",
            Self::Agent(Power::Writing) => "agent_writing",
            Self::Agent(Power::Reviewing) => "agent_reviewing",
            Self::Agent(Power::Auditing) => "agent_auditing",
            Self::Agent(Power::Governing) => "agent_governing",
        }
    }

    pub fn roles(self) -> Vec<Role> {
        match self {
            Self::Workspace(power) | Self::Agent(power) => ROLES.iter().map(|(role, _)| *role).filter(|role| role.may(power)).collect(),
            _ => Vec::new(),
        }
    }
}

/// Says who may call these routes; the sweep test holds them to it.
pub fn needs(access: Access, mut routes: UtoipaMethodRouter<App>) -> UtoipaMethodRouter<App> {
    #[cfg(test)]
    tests::take_note(&routes.0);
    for item in routes.1.paths.values_mut() {
        for operation in operations(item) {
            operation.extensions =
                Some(ExtensionsBuilder::new().add("x-access", json!(access.word())).add("x-roles", json!(access.roles())).build());
            if access != Access::Anyone {
                operation.security = Some(vec![
                    SecurityRequirement::new::<_, [&str; 0], &str>("bearer", []),
                    SecurityRequirement::new::<_, [&str; 0], &str>("api_key", []),
                ]);
            }
        }
    }
    routes
}

pub fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch].into_iter().filter_map(Option::as_mut)
}

pub fn frame() -> OpenApi {
    let tag = |name: &str, text: &str| TagBuilder::new().name(name).description(Some(text)).build();
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Cairn")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(include_str!("introduction.md")))
                .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build())),
        )
        .tags(Some([
            tag("Access", "Signing in, people, workspaces, members, agents and their keys."),
            tag("Memories", "Remember, read, revise, compare, revert, verify, supersede."),
            tag("Recall", "Ask what is known; see afterwards who was told what, and why."),
            tag("Sessions", "A run's log, its checkpoints, and what is learned from it when it ends."),
            tag("Tasks", "Work that spans sessions: what one run knew, the next is told."),
            tag("Proposals", "What waits for a person's word before it is known."),
            tag("Policies", "What waits, ages, goes and is curated, by kind of memory."),
            tag("Conflicts", "Memories that may not both hold, and which of them shall."),
            tag("Rollbacks", "Taking back what was learned: writes are undone by new versions."),
            tag("Dreams", "Curation runs: what says the same is merged, what nobody needs is put away, what clashes is flagged."),
            tag("Deletion", "Erasure for real: asked by one, approved by another person, executed."),
            tag("Stores", "Collections of memories: search one, bring a deleted one back."),
            tag("Anthropic", "The memory tool and the Memory Stores API, for what was written for them."),
            tag("Exchange", "Memories out and in: exports, and the files of other tools."),
            tag("Trail", "Who did what, when: one entry per write, append-only."),
            tag("Operations", "Is it alive, is it ready, what is it doing."),
        ]))
        .build()
}

/// Adds what every operation shares: described path parameters, the common errors, the schemes.
pub fn complete(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Problem".to_owned(), Told::schema());
    let mut inner = Vec::new();
    Told::schemas(&mut inner);
    components.schemas.extend(inner);
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A person's access token, an agent's key, or a short-lived token made from one."))
        .build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    components.add_security_scheme(
        "api_key",
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description("X-Api-Key", "An agent's key."))),
    );
    for (path, item) in &mut document.paths.paths {
        for operation in operations(item) {
            describe_parameters(path, operation);
            add_errors(path, operation);
        }
    }
    document
}

fn describe_parameters(path: &str, operation: &mut Operation) {
    let access = access_of(operation);
    let changes_memories = matches!(access.as_str(), "writing" | "reviewing");
    let parameters = operation.parameters.get_or_insert_default();
    for name in path.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
        let (text, format) = match name {
            "ws" => ("The workspace's slug or id.", None),
            "n" => ("The number of the version.", Some(Type::Integer)),
            "index" => ("The place in the sealed tree.", Some(Type::Integer)),
            "user_id" => ("The person's id.", None),
            "key_id" => ("The key's id.", None),
            _ => ("Its id.", None),
        };
        let schema = ObjectBuilder::new().schema_type(format.unwrap_or(Type::String)).build();
        let described = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .description(Some(text))
            .schema(Some(schema))
            .required(utoipa::openapi::Required::True)
            .build();
        parameters.retain(|parameter| !matches!(parameter, RefOr::T(parameter) if parameter.name == name));
        parameters.insert(0, described.into());
    }
    if (path.contains("{ws}") && changes_memories) || matches!(access.as_str(), "agent_writing" | "agent_reviewing") {
        let text = "The session that this change is made in: it is undone with it by a rollback.";
        parameters.push(header("X-Cairn-Session", text));
    }
    if is_kept(operation, &access) {
        let text = "The same key and request within 24 h give the first answer again; if it showed a secret, 409 `already_issued`, and if it was carried out after its caller had left, 409 `done_unheard`.";
        operation.parameters.get_or_insert_default().push(header("Idempotency-Key", text));
    }
    if operation.responses.responses.contains_key("412") {
        let text = "The memory's version that you have seen, as its `ETag` says it: a change that came since is not overwritten.";
        operation.parameters.get_or_insert_default().push(header("If-Match", text));
    }
}

/// Whether an answer is given again for the same `Idempotency-Key`: whoever signs in has no name yet under which it could be
/// kept, and who only reads changes nothing.
fn is_kept(operation: &Operation, access: &str) -> bool {
    !matches!(access, "anyone" | "reading" | "agent_reading")
        && (operation.request_body.is_some() || operation.responses.responses.contains_key("201"))
}

fn header(name: &str, text: &str) -> RefOr<Parameter> {
    let schema = ObjectBuilder::new().schema_type(Type::String).build();
    ParameterBuilder::new().name(name).parameter_in(ParameterIn::Header).description(Some(text)).schema(Some(schema)).build().into()
}

fn access_of(operation: &Operation) -> String {
    let word = operation.extensions.as_ref().and_then(|all| all.get("x-access")).and_then(|word| word.as_str());
    word.unwrap_or_default().to_owned()
}

fn add_errors(path: &str, operation: &mut Operation) {
    let access = access_of(operation);
    if crate::anthropic::speaks_at(path) {
        return crate::anthropic::describe_errors(operation);
    }
    let mut errors = vec![
        ("429", "Too many requests; `Retry-After` says when to come back."),
        ("503", "Postgres is away; `Retry-After` says when to come back."),
    ];
    if access != "anyone" {
        errors.push(("401", "No credentials, or none that hold."));
        errors.push(("403", "Not your right (`forbidden`, or a code that says more)."));
    }
    if path.contains('{') {
        errors.push(("404", "Not there, or not in your workspace: the two look the same."));
    }
    if operation.request_body.is_some() {
        errors.push(("400", "Not JSON."));
        errors.push(("413", "Larger than 10 MiB."));
        errors.push(("415", "Not sent as JSON."));
        errors.push(("409", "Conflicts with what is there; `code` says how."));
    }
    if operation.request_body.is_some()
        || operation
            .parameters
            .as_ref()
            .is_some_and(|all| all.iter().any(|one| matches!(one, RefOr::T(one) if one.parameter_in != ParameterIn::Path)))
    {
        errors.push(("422", "Read, and wrong: `errors` names the fields."));
    }
    if is_kept(operation, &access) {
        errors.push(("410", "This `Idempotency-Key` was used before, and what it wrote has been erased since."));
    }
    for (status, text) in errors {
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| {
            let problem = ContentBuilder::new().schema(Some(RefOr::Ref(Ref::from_schema_name("Problem")))).build();
            RefOr::T(ResponseBuilder::new().description(text).content("application/problem+json", problem).build())
        });
    }
}

/// The page in `docs/`: every operation and who may call it, from the role table and the route table.
pub fn roles_page() -> String {
    use std::fmt::Write;
    let mut page = String::from(include_str!("roles.md"));
    let all: Vec<Role> = ROLES.iter().map(|(role, _)| *role).collect();
    let _ = writeln!(page, "| operation | {} |", all.iter().map(|role| role.word()).collect::<Vec<_>>().join(" | "));
    let _ = writeln!(page, "|---|{}", "---|".repeat(all.len()));
    let mut others = String::new();
    let mut document = super::openapi();
    for (path, item) in &mut document.paths.paths {
        let item = serde_json::to_value(&*item).unwrap_or_default();
        for (method, operation) in item.as_object().into_iter().flatten() {
            let (Some(access), Some(summary)) = (operation["x-access"].as_str(), operation["summary"].as_str()) else { continue };
            let call = format!("`{} {path}` {}", method.to_uppercase(), summary.trim_end_matches('.'));
            let roles = operation["x-roles"].as_array().cloned().unwrap_or_default();
            if roles.is_empty() {
                let _ = writeln!(others, "| {call} | {} |", access.replace('_', " "));
            } else {
                let marks: Vec<_> = all.iter().map(|role| if roles.contains(&json!(role)) { "●" } else { "" }).collect();
                let _ = writeln!(page, "| {call} | {} |", marks.join(" | "));
            }
        }
    }
    let _ = write!(page, "\n## Outside a workspace\n\n| operation | who |\n|---|---|\n{others}");
    page
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use std::{
        collections::BTreeMap,
        sync::{Mutex, PoisonError},
    };
    use utoipa::openapi::{RefOr, schema::Schema};

    static NAMED: Mutex<BTreeMap<String, Vec<RefOr<Schema>>>> = Mutex::new(BTreeMap::new());

    pub fn take_note(schemas: &[(String, RefOr<Schema>)]) {
        let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, schema) in schemas {
            let known = named.entry(name.clone()).or_default();
            if !known.contains(schema) {
                known.push(schema.clone());
            }
        }
    }

    #[test]
    fn a_name_in_the_document_is_one_type() {
        crate::api::openapi();
        let named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
        let shared: Vec<_> = named.iter().filter(|(_, types)| types.len() > 1).map(|(name, _)| name).collect();
        assert!(shared.is_empty(), "give all but one another name with #[schema(as = …)]: {shared:?}");
    }

    #[test]
    fn every_reference_in_the_document_leads_somewhere() {
        let document = serde_json::to_value(crate::api::openapi()).expect("a document");
        let mut lost = Vec::new();
        look(&document, &document, &mut lost);
        assert_eq!(lost, Vec::<String>::new());
    }

    fn look(within: &Value, document: &Value, lost: &mut Vec<String>) {
        match within {
            Value::Object(fields) => {
                if let Some(to) = fields.get("$ref").and_then(Value::as_str)
                    && document.pointer(to.trim_start_matches('#')).is_none()
                {
                    lost.push(to.to_owned());
                }
                fields.values().for_each(|value| look(value, document, lost));
            }
            Value::Array(values) => values.iter().for_each(|value| look(value, document, lost)),
            _ => {}
        }
    }
}
