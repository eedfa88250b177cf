//! One memory with its history, and two of its versions side by side when the address asks for them.

use super::{
    super::{asked::Asked, viewer::Viewer},
    words,
};
use crate::{
    acts::{self, memories::DiffLine},
    model::{Kind, Memory, MemoryId, Power, State, page::Limit, recall::ReceiptFilter},
    problem::Problem,
    store::Reading,
};
use axum::{extract::Path, response::Response};
use cairn_web::memories::{self as page, Compare, DiffKind, FieldChange, May, Segment, Show};
use similar::ChangeTag;

/// As many versions as one page shows.
const VERSIONS: i64 = 100;
/// As many receipts, and as many neighbours.
const TOLD: i64 = 8;
const RELATED: usize = 6;

pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let id: MemoryId = id.parse().map_err(|_| Problem::NotFound)?;
    let memory = acts::memories::find(app, scope, id).await?;
    let limit = Limit::parse(Some(VERSIONS))?;
    let versions =
        asked.page(async |cursor: Option<String>| acts::memories::versions(app, scope, id, limit, cursor.as_deref()).await).await?;
    let related: Vec<MemoryId> = memory.supersedes.into_iter().chain(memory.superseded_by).collect();
    let titles = acts::memories::titles(app, scope, &related).await?;
    let compare = compare(&viewer, &memory, &mut asked).await?;
    let told = ReceiptFilter { memory_id: Some(id), ..ReceiptFilter::default() };
    let told = acts::recall::list(app, scope, &told, Limit::parse(Some(TOLD))?, None).await?;
    let related = if words::is_redacted(&memory) { Vec::new() } else { acts::memories::related(app, scope, &memory, RELATED).await? };
    let view = Show {
        memory: words::whole(scope, &memory, acts::stores::name_beside_main(app, scope, memory.store_id).await?, &titles),
        versions: versions.data.iter().map(words::version).collect(),
        continued: asked.is_continued(),
        next_cursor: versions.next_cursor,
        compare,
        as_written: asked.said("view") == "source",
        told_more: told.next_cursor.is_some(),
        told: told.data.iter().filter_map(|receipt| words::told(receipt, id)).collect(),
        related: related.iter().map(|memory| words::related(scope, memory)).collect(),
        may: may(&viewer, &memory),
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// What the viewer's role and the memory's state allow; the acts decide again.
fn may(viewer: &Viewer<Reading>, memory: &Memory) -> May {
    let writing = viewer.may(Power::Writing);
    let in_use = matches!(memory.state, State::Active | State::Proposed);
    let decision = memory.kind == Kind::Decision;
    May {
        edit: writing && in_use && !decision,
        supersede: writing && decision && memory.state == State::Active,
        verify: viewer.may(Power::Reviewing) && memory.state == State::Active,
        archive: writing && memory.state != State::Archived,
        restore: writing && memory.state == State::Archived,
        revert: writing && in_use && !decision,
        ask_deletion: writing,
    }
}

async fn compare(viewer: &Viewer<Reading>, memory: &Memory, asked: &mut Asked) -> Result<Option<Compare>, Problem> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=memory.version).contains(number));
    let wanted = format!("a version of this memory, 1 to {}", memory.version);
    let (from, to) = (asked.read("from", &wanted, number), asked.read("to", &wanted, number));
    let (from, to) = match (from, to) {
        (None, None) => return Ok(None),
        (Some(from), to) => (from, to.unwrap_or(memory.version)),
        (None, Some(to)) => ((to - 1).max(1), to),
    };
    let (old, new, lines) = acts::memories::diff(&viewer.app, &viewer.scope, memory.id, from, to).await?;
    if let Some(gone) = [&old, &new].into_iter().find(|version| words::is_redacted(version)) {
        let note = format!("The text of version {} was erased; there is nothing left to compare.", gone.version);
        return Ok(Some(Compare { from, to, note: Some(note), ..Compare::default() }));
    }
    let fields = changes(&old, &new);
    Ok(Some(Compare { from, to, fields, lines: lines.into_iter().map(line).collect(), note: None }))
}

fn line(line: DiffLine) -> page::DiffLine {
    page::DiffLine {
        kind: match line.tag {
            ChangeTag::Equal => DiffKind::Equal,
            ChangeTag::Insert => DiffKind::Insert,
            ChangeTag::Delete => DiffKind::Delete,
        },
        old: line.old_line,
        new: line.new_line,
        segments: line.segments.into_iter().map(|part| Segment { text: part.text, emphasised: part.emphasised }).collect(),
    }
}

/// What differs besides the text.
fn changes(old: &Memory, new: &Memory) -> Vec<FieldChange> {
    let said = |memory: &Memory| {
        let day = |at: Option<time::OffsetDateTime>| at.map_or_else(String::new, |at| at.date().to_string());
        [
            ("Title", memory.title.clone()),
            ("Path", memory.path.as_str().to_owned()),
            ("Kind", memory.kind.word().to_owned()),
            ("State", memory.state.word().to_owned()),
            ("Tags", memory.tags.join(", ")),
            ("Project", memory.project.clone().unwrap_or_default()),
            ("Visibility", memory.visibility.word().to_owned()),
            ("About", memory.subject.clone().unwrap_or_default()),
            ("Confidence", format!("{:.0} %", memory.confidence * 100.0)),
            ("Review after", day(memory.stale_after)),
            ("Expires", day(memory.expires_at)),
            ("Verified", day(memory.verified_at)),
        ]
    };
    let pairs = said(old).into_iter().zip(said(new));
    let differ = pairs.filter(|((_, from), (_, to))| from != to);
    differ.map(|((field, from), (_, to))| FieldChange { field: field.to_owned(), from, to }).collect()
}
