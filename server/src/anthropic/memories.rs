//! Memories of a store, as that API has them.

use super::{
    ids::{MemoryRef, StoreRef, VersionRef},
    keyed::Keyed,
    query::{Paged, View, digest, limit, of_page},
    stores::{Deleted, OfStore},
};
use crate::{
    App,
    acts::{
        self,
        stores::contents::{self, Change, Item},
    },
    api::sent::{Json, Params, Query},
    engines::freshness::Freshness,
    model::{
        Kind, Memory, State,
        stores::Listing,
        text::{self, Content, MemoryPath},
    },
    problem::Problem,
    store::{Permission, Reading, Scope, Writing},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

/// A text at a path of a store.
#[derive(Serialize, ToSchema)]
#[schema(as = StoredMemory)]
pub struct MemoryBody {
    /// Its id, which stays when it is renamed.
    #[schema(value_type = String, example = "mem_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    id: MemoryRef,
    /// Always `memory`.
    #[serde(rename = "type")]
    #[schema(example = "memory")]
    kind: &'static str,
    /// The store it lies in.
    #[schema(value_type = String, example = "memstore_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    memory_store_id: StoreRef,
    /// The version that has what it says now.
    #[schema(value_type = String, example = "memver_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa_1")]
    memory_version_id: VersionRef,
    /// Where it lies.
    #[schema(example = "/notes/todo.md")]
    path: String,
    /// The text; null with `view=basic`.
    content: Option<String>,
    /// SHA-256 of the text, in hexadecimal.
    content_sha256: String,
    /// How many bytes the text has.
    content_size_bytes: usize,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    /// What that API knows nothing of.
    cairn: BesideBody,
}

/// What this memory is besides a file.
#[derive(Serialize, ToSchema)]
#[schema(as = StoredMemoryBeside)]
pub struct BesideBody {
    /// What sort of knowledge.
    kind: Kind,
    /// `active`, or `proposed` while it waits for review.
    state: State,
    /// Whether it still deserves trust.
    freshness: Freshness,
    /// Why not.
    reasons: Vec<String>,
    /// Set when the text speaks to the model instead of stating something: what it does, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    flagged: Option<&'static str>,
}

impl MemoryBody {
    fn new<P: Permission>(scope: &Scope<P>, memory: Memory, full: bool) -> Self {
        let judged = acts::memories::judge(scope, &memory);
        Self {
            id: MemoryRef(memory.id),
            kind: "memory",
            memory_store_id: StoreRef(memory.store_id),
            memory_version_id: VersionRef(memory.id, memory.version),
            path: memory.path.as_str().to_owned(),
            content_sha256: text::hex(&memory.content_sha256),
            content_size_bytes: memory.content.len(),
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            cairn: BesideBody {
                kind: memory.kind,
                state: memory.state,
                freshness: judged.state,
                reasons: judged.reasons,
                flagged: cairn_secrets::speaks_to_the_model(&memory.content),
            },
            content: full.then_some(memory.content),
        }
    }
}

/// A path as that API takes it: what is not in the composed form is refused, not mended.
fn path(sent: &str) -> Result<MemoryPath, Problem> {
    if text::nfc(sent) != sent {
        return Err(Problem::invalid("path", "must be in Unicode's composed form (NFC)"));
    }
    MemoryPath::parse(sent)
}

/// A memory to be made.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewStoredMemory)]
#[serde(deny_unknown_fields)]
pub struct NewMemoryBody {
    /// Where it shall lie.
    #[schema(example = "/notes/todo.md")]
    path: String,
    /// The text, at most 102,400 bytes; may be empty.
    #[schema(value_type = String, example = "Buy stones")]
    content: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Whether the answer has the text.
    view: Option<View>,
    /// Some clients say `true`; it changes nothing.
    #[serde(rename = "beta")]
    #[param(rename = "beta")]
    _beta: Option<String>,
}

/// Make a memory at a path that is free.
#[utoipa::path(post, path = "/v1/memory_stores/{memory_store_id}/memories", tag = "Anthropic", params(Shown), request_body = NewMemoryBody, responses((status = 200, description = "The memory.", body = MemoryBody)))]
pub async fn create_stored_memory(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Params(of): Params<OfStore>,
    Query(shown): Query<Shown>,
    Json(sent): Json<NewMemoryBody>,
) -> Result<axum::Json<MemoryBody>, Problem> {
    let content = Content::of_a_file(sent.content.unwrap_or_default())?;
    let memory = contents::create(&app, &scope, of.memory_store_id.0, path(&sent.path)?, content).await?;
    Ok(axum::Json(MemoryBody::new(&scope, memory, View::is_full(shown.view, View::Basic))))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ListMemories {
    /// Only below this folder; begins and ends with a slash.
    path_prefix: Option<String>,
    /// How deep below it: 0 for all, 1 for what lies directly in it, with deeper ones as the folders they lie in.
    depth: Option<i64>,
    /// Whether memories have their texts.
    view: Option<View>,
    /// How many, 1 to 100; with texts at most 20.
    limit: Option<i64>,
    /// The last answer's `next_page`.
    page: Option<String>,
    /// Some clients say `true`; it changes nothing.
    #[serde(rename = "beta")]
    #[param(rename = "beta")]
    _beta: Option<String>,
}

impl ListMemories {
    fn listing(&self) -> Result<Listing, Problem> {
        let fits = |prefix: &str| prefix == "/" || prefix.strip_suffix('/').is_some_and(|folder| path(folder).is_ok());
        if !self.path_prefix.as_deref().is_none_or(fits) {
            return Err(Problem::invalid("path_prefix", "must be a folder: it begins and ends with a slash"));
        }
        let depth = u32::try_from(self.depth.unwrap_or_default()).ok().filter(|depth| *depth <= 20);
        let depth = depth.ok_or_else(|| Problem::invalid("depth", "must be between 0 and 20"))?;
        Ok(Listing { prefix: self.path_prefix.clone(), depth })
    }
}

/// A memory, or a folder that stands for what lies deeper.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = StoredMemoryListItem)]
pub enum ItemBody {
    /// A memory.
    Memory(Box<MemoryBody>),
    /// A folder.
    Folder(FolderBody),
}

/// What lies deeper than was asked, as the folder it lies in.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryPrefix)]
pub struct FolderBody {
    /// Always `memory_prefix`.
    #[serde(rename = "type")]
    #[schema(example = "memory_prefix")]
    kind: &'static str,
    /// The folder, with a slash at its end.
    #[schema(example = "/notes/")]
    path: String,
}

/// The memories of a store, by path.
#[utoipa::path(get, path = "/v1/memory_stores/{memory_store_id}/memories", tag = "Anthropic", params(ListMemories), responses((status = 200, description = "A page of them.", body = Paged<ItemBody>)))]
pub async fn list_stored_memories(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reading>,
    Params(of): Params<OfStore>,
    Query(asked): Query<ListMemories>,
) -> Result<axum::Json<Paged<ItemBody>>, Problem> {
    let full = View::is_full(asked.view, View::Basic);
    let (listing, limit) = (asked.listing()?, limit(asked.limit, full)?);
    let page = contents::list(&app, &scope, of.memory_store_id.0, &listing, limit, asked.page.as_deref()).await.map_err(of_page)?;
    let item = |item| match item {
        Item::Memory(memory) => ItemBody::Memory(Box::new(MemoryBody::new(&scope, *memory, full))),
        Item::Folder(path) => ItemBody::Folder(FolderBody { kind: "memory_prefix", path }),
    };
    Ok(axum::Json(page.map(item).into()))
}

#[derive(Deserialize)]
pub struct OfMemory {
    memory_store_id: StoreRef,
    memory_id: MemoryRef,
}

/// One memory.
#[utoipa::path(get, path = "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", tag = "Anthropic", params(Shown), responses((status = 200, description = "The memory.", body = MemoryBody)))]
pub async fn get_stored_memory(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reading>,
    Params(of): Params<OfMemory>,
    Query(shown): Query<Shown>,
) -> Result<axum::Json<MemoryBody>, Problem> {
    let memory = contents::find(&app, &scope, of.memory_store_id.0, of.memory_id.0).await?;
    Ok(axum::Json(MemoryBody::new(&scope, memory, View::is_full(shown.view, View::Full))))
}

/// Changes to a memory; what is left out or null stays.
#[derive(Deserialize, ToSchema)]
#[schema(as = StoredMemoryChange)]
#[serde(deny_unknown_fields)]
pub struct ChangeBody {
    /// Another text.
    #[serde(default)]
    #[schema(example = "Buy more stones")]
    content: Option<String>,
    /// Another place: it is renamed.
    #[serde(default)]
    path: Option<String>,
    /// Only if this holds.
    #[serde(default)]
    precondition: Option<PreconditionBody>,
}

/// What has to hold for a change.
#[derive(Deserialize, ToSchema)]
#[schema(as = StoredMemoryPrecondition)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PreconditionBody {
    /// The text is still the one whose digest this is.
    ContentSha256 {
        /// The SHA-256 of the text that was seen.
        #[serde(default)]
        content_sha256: Option<String>,
    },
}

/// Change a memory's text, or rename it, under a condition or none.
///
/// What is so already is answered with 200, whatever the condition, and makes no version.
#[utoipa::path(post, path = "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", tag = "Anthropic", params(Shown), request_body = ChangeBody, responses((status = 200, description = "The memory.", body = MemoryBody)))]
pub async fn update_stored_memory(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Params(of): Params<OfMemory>,
    Query(shown): Query<Shown>,
    Json(sent): Json<ChangeBody>,
) -> Result<axum::Json<MemoryBody>, Problem> {
    let expected = sent.precondition.and_then(|PreconditionBody::ContentSha256 { content_sha256 }| content_sha256);
    let change = Change {
        content: sent.content.map(Content::of_a_file).transpose()?,
        path: sent.path.as_deref().map(path).transpose()?,
        expected: expected.map(|sha| digest("precondition.content_sha256", &sha)).transpose()?,
    };
    let memory = contents::update(&app, &scope, of.memory_store_id.0, of.memory_id.0, change).await?;
    Ok(axum::Json(MemoryBody::new(&scope, memory, View::is_full(shown.view, View::Basic))))
}

/// The same, for clients that say it so.
#[utoipa::path(patch, path = "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", tag = "Anthropic", params(Shown), request_body = ChangeBody, responses((status = 200, description = "The memory.", body = MemoryBody)))]
pub async fn patch_stored_memory(
    app: Of<App>,
    scope: Keyed<Writing>,
    of: Params<OfMemory>,
    shown: Query<Shown>,
    sent: Json<ChangeBody>,
) -> Result<axum::Json<MemoryBody>, Problem> {
    update_stored_memory(app, scope, of, shown, sent).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Only if the text has this SHA-256.
    expected_content_sha256: Option<String>,
    /// Some clients say `true`; it changes nothing.
    #[serde(rename = "beta")]
    #[param(rename = "beta")]
    _beta: Option<String>,
}

/// Delete a memory; its versions stay, and it can be restored under our own paths.
#[utoipa::path(delete, path = "/v1/memory_stores/{memory_store_id}/memories/{memory_id}", tag = "Anthropic", params(Condition), responses((status = 200, description = "Gone.", body = Deleted)))]
pub async fn delete_stored_memory(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Params(of): Params<OfMemory>,
    Query(only): Query<Condition>,
) -> Result<axum::Json<Deleted>, Problem> {
    let expected = only.expected_content_sha256.map(|sha| digest("expected_content_sha256", &sha)).transpose()?;
    contents::delete(&app, &scope, of.memory_store_id.0, of.memory_id.0, expected).await?;
    Ok(axum::Json(Deleted { id: of.memory_id.to_string(), kind: "memory_deleted" }))
}
