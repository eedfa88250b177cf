//! Where words may stand, and what has them: in all of a workspace, or among the things on a list.

use super::{kept::Place, select::List};
use crate::{
    engines::erasure::{Sought, spelled_out},
    model::deletion::{Item, ItemKind, Why},
    problem::Problem,
    store::{
        Tx,
        guise::{as_app, as_index},
    },
};
use futures_util::TryStreamExt;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use std::collections::HashSet;
use uuid::Uuid;

/// So many pieces the database looks for itself. Each costs it a look at every text; of more, all texts are read here, where
/// one pass finds any of them.
const FEW: usize = 24;

/// Where words may stand. Each gives what it is, its place, whose it is, the run it belongs to, its text and its values.
const SOURCES: [(ItemKind, &str); 10] = [
    (
        ItemKind::Memory,
        "select v.memory_id as id, v.version::bigint as part, v.owner_id as owner, null::uuid as run,
                concat_ws(E'\\n', v.title, v.content, v.path, array_to_string(v.tags, E'\\n'), v.subject, v.reason) as text,
                jsonb_build_array(v.source, v.anchors, i.origin)::text as value
         from memory_versions v
         left join imported_versions i on i.workspace_id = v.workspace_id and i.memory_id = v.memory_id and i.version = v.version
         where v.workspace_id = $1",
    ),
    (
        ItemKind::Event,
        "select e.session_id as id, e.seq as part, null::uuid as owner, e.session_id as run,
                concat_ws(E'\\n', e.id, e.text, e.tool, e.output, e.path, e.command) as text, e.input::text as value
         from session_events e where e.workspace_id = $1",
    ),
    (
        ItemKind::SessionWords,
        "select s.id, 0::bigint as part, null::uuid as owner, s.id as run,
                concat_ws(E'\\n', s.agent_tool, s.external_id, s.branch, s.commit_id, s.cwd, s.summary) as text, null::text as value
         from sessions s where s.workspace_id = $1",
    ),
    (
        ItemKind::Checkpoint,
        "select c.id, 0::bigint as part, null::uuid as owner, c.session_id as run, c.next_step as text, c.progress::text as value
         from checkpoints c where c.workspace_id = $1",
    ),
    (
        ItemKind::Task,
        "select t.id, 0::bigint as part, null::uuid as owner, null::uuid as run,
                concat_ws(E'\\n', t.key, t.title, t.next_step) as text, null::text as value
         from tasks t where t.workspace_id = $1",
    ),
    (
        ItemKind::TaskItem,
        "select i.task_id as id, i.position as part, null::uuid as owner, i.session_id as run,
                concat_ws(E'\\n', i.item, i.note) as text, null::text as value
         from task_items i where i.workspace_id = $1",
    ),
    (
        ItemKind::Receipt,
        "select r.id, 0::bigint as part, null::uuid as owner, r.session_id as run, r.query as text, r.asked::text as value
         from receipts r where r.workspace_id = $1",
    ),
    (
        ItemKind::DeletionRequest,
        "select r.id, 0::bigint as part, null::uuid as owner, null::uuid as run,
                concat_ws(E'\\n', r.reason, r.subject, r.query) as text, null::text as value
         from deletion_requests r where r.workspace_id = $1 and r.state = 'rejected'",
    ),
    (
        ItemKind::Proposal,
        "select p.id, 0::bigint as part, null::uuid as owner, null::uuid as run, p.note as text, null::text as value
         from proposals p where p.workspace_id = $1 and p.note is not null",
    ),
    (
        ItemKind::Conflict,
        "select c.id, 0::bigint as part, null::uuid as owner, null::uuid as run, c.note as text, null::text as value
         from conflicts c where c.workspace_id = $1 and c.note is not null",
    ),
];

/// What stands somewhere.
#[derive(sqlx::FromRow)]
struct Said {
    id: Uuid,
    part: i64,
    owner: Option<Uuid>,
    run: Option<Uuid>,
    text: Option<String>,
    value: Option<String>,
}

impl Said {
    fn has(&self, sought: &Sought) -> bool {
        let written = [self.text.as_deref(), self.value.as_deref()];
        if !written.iter().flatten().any(|written| sought.may_be_in(written)) {
            return false;
        }
        let value = self.value.as_deref().and_then(|value| serde_json::from_str::<Value>(value).ok());
        sought.is_in(&[self.text.clone().unwrap_or_default(), value.as_ref().map(spelled_out).unwrap_or_default()].join("\n"))
    }

    /// A memory goes as a whole, whichever version says it.
    fn place(&self, kind: ItemKind) -> Place {
        (kind, self.id, if kind == ItemKind::Memory { 0 } else { self.part })
    }
}

/// Words that are looked for, and the pieces of them that the database looks for itself.
struct Look<'a> {
    sought: &'a Sought,
    pieces: Option<Vec<String>>,
}

impl<'a> Look<'a> {
    fn of(sought: &'a Sought) -> Self {
        Self { sought, pieces: Some(sought.sieve()).filter(|pieces| pieces.len() <= FEW) }
    }

    /// `from` names the texts `c`, with the workspace as $1; what else it takes comes from $3 on.
    fn sql(&self, from: &str) -> String {
        let sieve = match &self.pieces {
            // Put into lower case once, not for each piece.
            Some(_) => {
                "cross join lateral (select lower(concat_ws(E'\\n', c.text, c.value) collate \"C\") as low offset 0) t
                 where exists (select 1 from unnest($2::text[]) n where strpos(t.low, n) > 0)"
            }
            None => "where $2::text[] is null",
        };
        format!("select c.* from {from} {sieve}")
    }

    /// What has the words of a source, of these things on a list.
    async fn among<M>(&self, tx: &mut Tx<M>, source: &str, on: &str, (ids, parts): (&[Uuid], &[i64])) -> Result<Vec<Said>, Problem> {
        let sql = self.sql(&format!("unnest($3::uuid[], $4::bigint[]) l (id, part) join ({source}) c on {on}"));
        let asked = sqlx::query_as(AssertSqlSafe(sql)).bind(tx.workspace()).bind(&self.pieces).bind(ids).bind(parts);
        let (mut said, mut found) = (asked.fetch(tx.conn()), Vec::new());
        while let Some(one) = said.try_next().await? {
            let one: Said = one;
            if one.has(self.sought) {
                found.push(Said { text: None, value: None, ..one });
            }
        }
        Ok(found)
    }
}

/// Whatever has the words and is not on the list, nor in a run that is.
pub(super) async fn with_words<M>(tx: &mut Tx<M>, sought: &Sought, why: Why, list: &mut List) -> Result<(), Problem> {
    if sought.is_empty() {
        return Ok(());
    }
    let (workspace, look) = (tx.workspace(), Look::of(sought));
    for (kind, source) in SOURCES {
        let sql = look.sql(&format!("({source}) c"));
        let mut said = sqlx::query_as(AssertSqlSafe(sql)).bind(workspace).bind(&look.pieces).fetch(tx.conn());
        while let Some(one) = said.try_next().await? {
            let one: Said = one;
            if one.has(sought) && !one.run.is_some_and(|run| list.has_run(run)) {
                let (kind, id, part) = one.place(kind);
                list.bounded(Item { kind, id, part, owner: one.owner, why, taken: true })?;
            }
        }
    }
    Ok(())
}

/// Which things on a list have the words, private memories of others and notes on those too; a run, if anything that goes
/// with it has.
pub(super) async fn having_words<M>(tx: &mut Tx<M>, sought: &Sought, items: &[Item]) -> Result<HashSet<Place>, Problem> {
    let (look, mut found) = (Look::of(sought), HashSet::new());
    let of_kind = |kind: ItemKind| -> (Vec<Uuid>, Vec<i64>) {
        items.iter().filter(|item| item.kind == kind).map(|item| (item.id, item.part)).unzip()
    };
    let (runs, nowhere) = of_kind(ItemKind::Session);
    for (kind, source) in SOURCES {
        let (ids, parts) = of_kind(kind);
        if !ids.is_empty() && matches!(kind, ItemKind::Memory | ItemKind::Proposal | ItemKind::Conflict) {
            // The index reads private memories of a workspace, and writes nothing.
            as_index(tx).await?;
            let on = if kind == ItemKind::Memory { "c.id = l.id" } else { "c.id = l.id and c.part = l.part" };
            let said = look.among(tx, source, on, (&ids, &parts)).await?;
            as_app(tx).await?;
            found.extend(said.iter().map(|one| one.place(kind)));
        } else if !ids.is_empty() {
            let said = look.among(tx, source, "c.id = l.id and c.part = l.part", (&ids, &parts)).await?;
            found.extend(said.iter().map(|one| one.place(kind)));
        }
        if goes_with_a_run(kind) && !runs.is_empty() {
            let said = look.among(tx, source, "c.run = l.id", (&runs, &nowhere)).await?;
            found.extend(said.iter().filter_map(|one| Some((ItemKind::Session, one.run?, 0))));
        }
    }
    Ok(found)
}

fn goes_with_a_run(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Event | ItemKind::SessionWords | ItemKind::Checkpoint | ItemKind::TaskItem | ItemKind::Receipt)
}
