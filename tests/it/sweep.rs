//! Every operation of the API document, called by everyone: who may is what the document says, the document says
//! what the role table says, and who may not learns nothing. A route added later is swept without touching this.

use cairn_tests::{Actor, Agent, Document, House, Operation, Person, ROLES, Reply, Role, nobody};

/// The role table of the contract, spelled out once.
const TABLE: [(&str, &[Role]); 5] = [
    ("reading", &ROLES),
    ("writing", &[Role::Writer, Role::Reviewer, Role::Admin]),
    ("reviewing", &[Role::Reviewer, Role::Admin]),
    ("auditing", &[Role::Auditor, Role::Admin]),
    ("governing", &[Role::Admin]),
];

/// Refusals that are no question of the role.
const OF_THE_MATTER: [&str; 2] = ["four_eyes", "person_required"];

/// One agent and one person per role.
struct Cast {
    workspace: String,
    agents: Vec<(Role, Agent)>,
    people: Vec<(Role, Person)>,
}

impl Cast {
    async fn gather(house: &House, workspace: &str) -> Self {
        let (mut agents, mut people) = (Vec::new(), Vec::new());
        for role in ROLES {
            agents.push((role, house.agent(workspace, role).await));
            people.push((role, house.person(workspace, role).await));
        }
        Self { workspace: workspace.to_owned(), agents, people }
    }

    fn everybody(&self) -> impl Iterator<Item = (Role, &Actor)> {
        let people = self.people.iter().map(|(role, person)| (*role, &**person));
        self.agents.iter().map(|(role, agent)| (*role, &**agent)).chain(people)
    }

    /// An operation may have ended a sign-in, an agent or the workspace itself.
    async fn stands(&self) -> bool {
        for (_, actor) in self.everybody() {
            if actor.get(&format!("/v1/workspaces/{}", self.workspace)).await.status != 200 {
                return false;
            }
        }
        true
    }
}

fn told(operation: &Operation, actor: &Actor, role: &str, reply: &Reply) -> String {
    format!("{} ({}) called by {role} {}: {reply:?}", operation.name(), operation.access(), actor.name)
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_workspace_everyone_may_what_the_role_table_says() {
    let house = House::open().await;
    let document = Document::read(&house.stranger()).await;
    let (outsider, visitor) = (house.agent("elsewhere", Role::Admin).await, house.person("elsewhere", Role::Admin).await);
    let mut cast = Cast::gather(&house, "swept").await;
    let mut count = 0;
    let swept: Vec<_> = document.operations().into_iter().filter(Operation::names_a_workspace).collect();
    for operation in &swept {
        count += 1;
        let anonymous = operation.asked_by(&house.stranger().looking_at(&cast.workspace)).send().await;
        anonymous.refuses(401, "unauthenticated");
        for outside in [&*outsider, &*visitor] {
            let foreign = operation.asked_by(&outside.looking_at(&cast.workspace)).send().await;
            let missing = operation.asked_by(&outside.looking_at("no-such-workspace")).send().await;
            let by_id = operation.asked_by(&outside.looking_at(nobody())).send().await;
            foreign.refuses(404, "not_found");
            assert_eq!(foreign.but_for_the_request(), missing.but_for_the_request(), "{}", operation.name());
            assert_eq!(foreign.but_for_the_request(), by_id.but_for_the_request(), "{}", operation.name());
            assert_eq!(foreign.headers.len(), missing.headers.len(), "{}", operation.name());
        }
        let roles = operation.roles();
        // Those who may not first: those who may could end what is there.
        let mut everybody: Vec<_> = cast.everybody().collect();
        everybody.sort_by_key(|(role, _)| roles.contains(&role.word()));
        for (role, actor) in everybody {
            let reply = operation.asked_by(actor).send().await;
            let said = told(operation, actor, role.word(), &reply);
            if roles.contains(&role.word()) {
                assert_ne!(reply.status, 401, "{said}");
                assert!(reply.status != 403 || OF_THE_MATTER.contains(&reply.code()), "{said}");
                assert!(reply.status < 500, "{said}");
            } else {
                assert_eq!((reply.status, reply.code()), (403, "forbidden"), "{said}");
            }
        }
        if operation.writes() && !cast.stands().await {
            cast = Cast::gather(&house, &format!("swept-{count}")).await;
        }
    }
    assert!(count >= 20, "only {count} operations name a workspace");
}

/// Where the key decides the workspace: the same table, no way in for people, and nothing to be learned of another's.
#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_everyone_may_what_the_role_table_says() {
    let house = House::open().await;
    let document = Document::read(&house.stranger()).await;
    let cast = Cast::gather(&house, "swept").await;
    let outsider = house.agent("elsewhere", Role::Admin).await;
    let (store, memory) = a_stored_memory(&cast.agents[1].1).await;
    let swept: Vec<_> = document.operations().into_iter().filter(Operation::is_of_the_key).collect();
    assert!(swept.len() >= 16, "only {} operations go by the key", swept.len());
    for operation in &swept {
        operation.asked_by(&house.stranger()).send().await.denies(401, "authentication_error", "unauthenticated");
        for (_, person) in &cast.people {
            operation.asked_by(person).send().await.denies(403, "permission_error", "agent_key_required");
        }
        // What is another workspace's is told as what is nobody's.
        if operation.path.contains('{') {
            let version = format!("{}_1", memory.replace("mem_", "memver_"));
            let named = [("{memory_store_id}", &store), ("{memory_id}", &memory), ("{memory_version_id}", &version)];
            let path = named.iter().fold(operation.path.clone(), |path, (name, id)| path.replace(name, id));
            assert!(!path.contains('{'), "{}: say above what stands there", operation.name());
            let ask = |address: &str| {
                let ask = outsider.ask(&operation.method, address);
                operation.body.iter().fold(ask, cairn_tests::Ask::json).send()
            };
            let address = operation.address("");
            let theirs = address.split_once('?').map_or(path.clone(), |(_, query)| format!("{path}?{query}"));
            let (foreign, missing) = (ask(&theirs).await, ask(&address).await);
            foreign.denies(404, "not_found_error", "not_found");
            assert_eq!(foreign.but_for_the_request(), missing.but_for_the_request(), "{}", operation.name());
            assert_eq!(foreign.headers.len(), missing.headers.len(), "{}", operation.name());
        }
        let roles = operation.roles();
        for (role, agent) in &cast.agents {
            let reply = operation.asked_by(agent).send().await;
            let said = told(operation, agent, role.word(), &reply);
            if roles.contains(&role.word()) {
                assert!(reply.status != 401 && reply.status != 403 && reply.status < 500, "{said}");
            } else {
                reply.denies(403, "permission_error", "forbidden");
            }
        }
    }
}

async fn a_stored_memory(writer: &Actor) -> (String, String) {
    let text = |made: serde_json::Value| made["id"].as_str().expect("an id").to_owned();
    let store = text(writer.post("/v1/memory_stores", serde_json::json!({"name": "theirs"})).await.expect(200));
    let new = serde_json::json!({"path": "/secret.md", "content": "theirs"});
    let memory = text(writer.post(&format!("/v1/memory_stores/{store}/memories"), new).await.expect(200));
    (store, memory)
}

#[tokio::test]
async fn the_document_says_what_the_role_table_says() {
    let house = House::open().await;
    for operation in Document::read(&house.stranger()).await.operations() {
        let (name, access) = (operation.name(), operation.access());
        let row = TABLE.iter().find(|(word, _)| *word == access.trim_start_matches("agent_"));
        let inside = operation.names_a_workspace() || operation.is_of_the_key();
        assert_eq!(row.is_some() && access != "agent_key", inside, "{name} is for {access}");
        assert_eq!(access.starts_with("agent_") && access != "agent_key", operation.is_of_the_key(), "{name} is for {access}");
        let expected: Vec<&str> = row.map(|(_, roles)| roles.iter().map(|role| role.word()).collect()).unwrap_or_default();
        assert_eq!(operation.roles(), expected, "{name}");
    }
}

#[tokio::test]
async fn the_contract_says_who_may_what() {
    let house = House::open().await;
    let operations = Document::read(&house.stranger()).await.operations();
    let of = |access: &str, calls: &[&str]| {
        for call in calls {
            let (method, path) = call.split_once(' ').unwrap();
            let path = if path.starts_with('/') { path.to_owned() } else { format!("/v1/workspaces/{{ws}}/{path}") };
            let found = operations
                .iter()
                .find(|one| one.method == method && one.path == path)
                .unwrap_or_else(|| panic!("{call} is not in the document"));
            assert_eq!(found.access(), access, "{call}");
        }
    };
    of(
        "anyone",
        &[
            "POST /v1/auth/login",
            "POST /v1/auth/refresh",
            "GET /.well-known/jwks.json",
            "GET /.well-known/cairn-trail-keys.json",
            "GET /healthz",
            "GET /readyz",
            "GET /metrics",
        ],
    );
    of("agent_key", &["POST /v1/auth/token"]);
    of("actor", &["GET /v1/me", "GET /v1/workspaces"]);
    of("person", &["PUT /v1/me/password", "GET /v1/me/logins", "DELETE /v1/me/logins/{id}"]);
    of("instance_admin", &["POST /v1/users", "GET /v1/users", "DELETE /v1/users/{id}", "POST /v1/workspaces", "GET /v1/audit"]);
    of(
        "reading",
        &[
            "GET /v1/workspaces/{ws}",
            "GET memories",
            "GET memories/{id}",
            "GET memories/{id}/versions",
            "GET memories/{id}/versions/{n}",
            "GET memories/{id}/diff",
            "POST recall",
            "GET receipts",
            "GET receipts/{id}",
        ],
    );
    of(
        "writing",
        &[
            "POST memories",
            "POST memories/batch",
            "PATCH memories/{id}",
            "DELETE memories/{id}",
            "POST memories/{id}/restore",
            "POST memories/{id}/supersede",
            "POST deletion-requests",
            "POST receipts/{id}/feedback",
        ],
    );
    of(
        "reviewing",
        &[
            "POST memories/{id}/verify",
            "POST deletion-requests/{id}/approve",
            "POST deletion-requests/{id}/reject",
            "POST deletion-requests/{id}/execute",
        ],
    );
    of(
        "auditing",
        &[
            "GET audit",
            "GET audit/export",
            "GET audit/checkpoint",
            "GET audit/proof/{index}",
            "GET audit/consistency",
            "POST holds",
            "GET holds",
            "DELETE holds/{id}",
        ],
    );
    of(
        "governing",
        &[
            "PATCH /v1/workspaces/{ws}",
            "DELETE /v1/workspaces/{ws}",
            "GET members",
            "POST members",
            "PUT members/{user_id}",
            "DELETE members/{user_id}",
        ],
    );
    of(
        "governing",
        &[
            "POST agents",
            "GET agents",
            "DELETE agents/{id}",
            "POST agents/{id}/keys",
            "GET agents/{id}/keys",
            "DELETE agents/{id}/keys/{key_id}",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_of_workspaces_everyone_may_what_the_operation_says() {
    let house = House::open().await;
    let document = Document::read(&house.stranger()).await;
    let agent = house.agent("coding", Role::Admin).await;
    let (mut person, mut admin) = (house.person("coding", Role::Admin).await, house.admin().await.clone());
    admin = house.sign_in(&admin.email, "coding").await;
    for operation in document.operations().into_iter().filter(|one| !one.names_a_workspace() && !one.is_of_the_key()) {
        // Those who try wrong passwords here shall not keep the next ones out.
        sqlx::query("delete from sign_in_failures").execute(house.owner()).await.unwrap();
        // An operation may have ended the sign-in it was called with.
        if person.get("/v1/me").await.status != 200 {
            person = house.person("coding", Role::Admin).await;
        }
        if admin.get("/v1/me").await.status != 200 {
            admin = house.sign_in(&admin.email, "coding").await;
        }
        let stranger = house.stranger();
        let (anonymous, by_agent, by_person, by_admin) = (
            operation.asked_by(&stranger).send().await,
            operation.asked_by(&agent).send().await,
            operation.asked_by(&person).send().await,
            operation.asked_by(&admin).send().await,
        );
        for (who, reply) in [(&stranger, &anonymous), (&*agent, &by_agent), (&*person, &by_person), (&*admin, &by_admin)] {
            assert!(reply.status < 500, "{}", told(&operation, who, "", reply));
        }
        let may = |who: &Actor, reply: &Reply| assert!(!matches!(reply.status, 401 | 403), "{}", told(&operation, who, "", reply));
        let may_not = |who: &Actor, reply: &Reply| assert_eq!(reply.status, 403, "{}", told(&operation, who, "", reply));
        if operation.access() == "anyone" {
            // A wrong password is a 401 too; what counts is that a credential makes no difference.
            assert_eq!(
                (anonymous.status, anonymous.code()),
                (by_agent.status, by_agent.code()),
                "{}",
                told(&operation, &agent, "", &by_agent)
            );
            assert_ne!(anonymous.status, 403);
            continue;
        }
        anonymous.refuses(401, "unauthenticated");
        match operation.access() {
            "actor" => {
                may(&agent, &by_agent);
                may(&person, &by_person);
                may(&admin, &by_admin);
            }
            "person" => {
                by_agent.refuses(403, "person_required");
                may(&person, &by_person);
                may(&admin, &by_admin);
            }
            "agent_key" => {
                by_person.refuses(403, "agent_key_required");
                may(&agent, &by_agent);
            }
            "instance_admin" => {
                may_not(&agent, &by_agent);
                may_not(&person, &by_person);
                may(&admin, &by_admin);
            }
            other => panic!("{}: nobody knows who `{other}` is", operation.name()),
        }
    }
}
