//! Receipts: what was told, to whom, when and why.

use super::{
    actors::{self, shown},
    asked::Asked,
    review::shortened,
    search::{explained, fits},
    viewer::Viewer,
};
use crate::{
    acts,
    engines::freshness,
    model::{
        MemoryId, ReceiptId,
        page::Limit,
        recall::{Recall, Receipt, ReceiptFilter, Told},
    },
    problem::Problem,
    store::Reading,
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    memories::Freshness,
    receipts::{self as page, Filters, Index, Show},
};

pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let (from, to) = asked.days();
    let filter = &ReceiptFilter {
        memory_id: asked.read("memory_id", "the id of a memory", |text| text.parse().ok()),
        actor: asked.read("actor", "the id of a person or an agent", |text| text.parse().ok()),
        session_id: asked.read("session_id", "the id of a session", |text| text.parse().ok()),
        from,
        to,
    };
    let list = async |cursor: Option<String>| acts::recall::list(app, scope, filter, Limit::DEFAULT, cursor.as_deref()).await;
    let receipts = asked.page(list).await?;
    let memory = match filter.memory_id {
        Some(id) => acts::memories::titles(app, scope, &[id]).await?.remove(&id),
        None => None,
    };
    let said = |name| asked.said(name).to_owned();
    let view = Index {
        filters: Filters {
            actor: said("actor"),
            memory_id: said("memory_id"),
            session_id: said("session_id"),
            from: said("from"),
            to: said("to"),
        },
        memory,
        actors: actors::choices(&acts::actors::everyone(app, scope).await?),
        receipts: receipts.data.iter().map(summary).collect(),
        continued: asked.is_continued(),
        next_cursor: receipts.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>, asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let whole = asked.said("whole");
    let id: ReceiptId = id.parse().map_err(|_| Problem::NotFound)?;
    let found = acts::recall::show(app, scope, id, true).await?;
    let texts = found.texts.unwrap_or_default();
    let item = |(told, text): (&Told, acts::recall::AsTold)| {
        let said = |memory: MemoryId| found.verdicts.iter().filter(move |one| one.memory_id == memory);
        let (memory, text) = text.map_or((None, None), |(memory, text)| (Some(memory), text));
        let text = text.map(|text| shortened(text, whole == told.memory_id.to_string()));
        let is_cut = text.as_ref().is_some_and(|(_, more)| *more);
        page::Told {
            memory_id: told.memory_id.to_string(),
            version: told.version,
            title: memory.as_ref().and_then(|memory| memory.title.clone()),
            kind: memory.as_ref().map(|memory| memory.kind.word().to_owned()),
            freshness: Freshness {
                state: told.freshness.word().to_owned(),
                reasons: memory
                    .as_ref()
                    .map_or_else(Vec::new, |memory| freshness::judge(memory, scope.settings(), found.receipt.at).reasons),
            },
            text: text.map(|(text, _)| text),
            is_cut,
            tokens: told.tokens,
            why: explained(told.score, &told.why),
            verdicts: said(told.memory_id).map(|one| (shown(&one.actor), one.verdict.word().to_owned())).collect(),
        }
    };
    let items = found.receipt.items.iter().zip(texts).map(item).collect();
    let view = Show {
        receipt: summary(&found.receipt),
        session_id: found.receipt.session_id.map(|id| id.to_string()),
        asked: filters(&found.receipt.asked),
        items,
        again: found.receipt.query.as_deref().filter(|query| !query.is_empty()).and_then(fits).map(|query| {
            let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
            viewer.place(format_args!("search?q={query}"))
        }),
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
}

pub fn summary(receipt: &Receipt) -> page::Receipt {
    page::Receipt {
        id: receipt.id.to_string(),
        at: receipt.at,
        actor: shown(&receipt.actor),
        surface: receipt.surface.clone(),
        query: receipt.query.clone(),
        items: receipt.items.len(),
        tokens: receipt.tokens,
        omitted: receipt.omitted,
        took_ms: receipt.took_ms,
    }
}

/// What narrowed the question, in words.
fn filters(asked: &Recall) -> Vec<(String, String)> {
    let mut said: Vec<(&str, String)> = Vec::new();
    let words = |words: Vec<&str>| words.join(", ");
    said.extend(asked.project.clone().map(|project| ("Project", project)));
    said.push(("Kinds", words(asked.kinds.iter().map(|kind| kind.word()).collect())));
    said.push(("Tags", asked.tags.join(", ")));
    said.extend(asked.path_prefix.clone().map(|prefix| ("Path", prefix)));
    said.push(("States", words(asked.states.iter().map(|state| state.word()).collect())));
    said.push(("Freshness", words(asked.freshness.iter().map(|state| state.word()).collect())));
    said.extend(asked.branch.clone().map(|branch| ("Branch", branch)));
    said.push(("Code", asked.anchors.iter().map(|at| at.path.clone()).collect::<Vec<_>>().join(", ")));
    said.extend(asked.as_of.map(|at| ("As of", at.to_string())));
    said.extend(asked.token_budget.map(|budget| ("Budget", format!("{budget} tokens"))));
    said.push(("At most", asked.limit.to_string()));
    said.push(("Detail", asked.detail.word().to_owned()));
    said.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value)).collect()
}
