//! Memories as resources: `cairn://memory/{id}`.

use super::{
    asker::Asker,
    bodies::{FreshnessBody, MemoryBody},
    texts::{self, Fence},
};
use crate::{
    acts::{self, context::safe},
    model::{Memory, MemoryId, memory::Filter, page::Limit},
    problem::Problem,
};
use rmcp::model::{
    Annotations, CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use time::format_description::well_known::Rfc3339;

const START: &str = "cairn://memory/";
const MARKDOWN: &str = "text/markdown";

/// A page of what is active or proposed, newest change first.
pub async fn list(asker: &Asker, cursor: Option<&str>) -> Result<ListResourcesResult, Problem> {
    let page = acts::memories::list(&asker.app, &asker.scope, &Filter::default(), Limit::DEFAULT, cursor).await?;
    let mut listed = ListResourcesResult::with_all_items(page.data.iter().map(|memory| resource(asker, memory)).collect());
    listed.next_cursor = page.next_cursor;
    Ok(listed.with_cache_scope(CacheScope::Private).with_ttl_ms(0))
}

fn resource(asker: &Asker, memory: &Memory) -> Resource {
    let trust = texts::trust(&FreshnessBody::from(acts::memories::judge(&asker.scope, memory)));
    let mut changed = Annotations::default();
    changed.last_modified = memory.updated_at.format(&Rfc3339).ok();
    Resource::new(format!("{START}{}", memory.id), safe(memory.path.as_str(), 1024))
        .with_title(safe(&memory.title, 300))
        .with_description(format!("{} · {} · {trust}", memory.kind.word(), memory.state.word()))
        .with_mime_type(MARKDOWN)
        .with_size(memory.content.len() as u64)
        .with_annotations(changed)
}

pub fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{START}{{id}}"), "memory")
        .with_title("A memory")
        .with_description("A memory by its id, as from recall: its text, author, version and freshness.")
        .with_mime_type(MARKDOWN);
    ListResourceTemplatesResult::with_all_items(vec![template]).with_cache_scope(CacheScope::Private).with_ttl_ms(super::desk::TTL_MS)
}

/// One memory, with a receipt; nothing when there is none of that address.
pub async fn read(asker: &Asker, uri: &str) -> Result<Option<ReadResourceResult>, Problem> {
    let Some(id) = uri.strip_prefix(START).and_then(|id| id.parse::<MemoryId>().ok()) else { return Ok(None) };
    let mut read = acts::recall::read(&asker.app, &asker.scope, "mcp", &[id], None).await?;
    let Some((memory, cost)) = read.memories.pop() else { return Ok(None) };
    let fence = Fence::of(read.receipt_id);
    let text = format!("{}\n\n{}", fence.said(), texts::memory(&MemoryBody::new(&asker.scope, memory, cost), &fence));
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    Ok(Some(ReadResourceResult::new(vec![contents]).with_cache_scope(CacheScope::Private).with_ttl_ms(0)))
}
