//! What a request is about, made into a list: by id, by who wrote it, and by the words in it.

use crate::{
    engines::erasure::{Sought, spelled_out},
    model::{
        Kind, PersonId, WorkspaceId,
        deletion::{Item, ItemKind, Selectors, Why},
    },
    problem::Problem,
    store::Tx,
};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use std::collections::HashSet;
use time::OffsetDateTime;
use uuid::Uuid;

/// A longer list nobody reads before approving it.
const MOST: usize = 50_000;
const AT_ONCE: i64 = 500;

/// Where words may stand. Each gives what it is, its place, whose it is, the run it belongs to, its text and its values.
const SOURCES: [(ItemKind, &str); 10] = [
    (
        ItemKind::Memory,
        "select v.memory_id as id, v.version::bigint as part, v.owner_id as owner, null::uuid as run,
                concat_ws(E'\\n', v.title, v.content, v.path, array_to_string(v.tags, E'\\n'), v.subject, v.reason) as text,
                jsonb_build_array(v.source, v.anchors, i.origin) as value
         from memory_versions v
         left join imported_versions i on i.workspace_id = v.workspace_id and i.memory_id = v.memory_id and i.version = v.version
         where v.workspace_id = $1",
    ),
    (
        ItemKind::Event,
        "select e.session_id as id, e.seq as part, null::uuid as owner, e.session_id as run,
                concat_ws(E'\\n', e.id, e.text, e.tool, e.output, e.path, e.command) as text, e.input as value
         from session_events e where e.workspace_id = $1",
    ),
    (
        ItemKind::SessionWords,
        "select s.id, 0::bigint as part, null::uuid as owner, s.id as run,
                concat_ws(E'\\n', s.agent_tool, s.external_id, s.branch, s.commit_id, s.cwd, s.summary) as text, null::jsonb as value
         from sessions s where s.workspace_id = $1",
    ),
    (
        ItemKind::Checkpoint,
        "select c.id, 0::bigint as part, null::uuid as owner, c.session_id as run, c.next_step as text, c.progress as value
         from checkpoints c where c.workspace_id = $1",
    ),
    (
        ItemKind::Task,
        "select t.id, 0::bigint as part, null::uuid as owner, null::uuid as run,
                concat_ws(E'\\n', t.key, t.title, t.next_step) as text, null::jsonb as value
         from tasks t where t.workspace_id = $1",
    ),
    (
        ItemKind::TaskItem,
        "select i.task_id as id, i.position as part, null::uuid as owner, i.session_id as run,
                concat_ws(E'\\n', i.item, i.note) as text, null::jsonb as value
         from task_items i where i.workspace_id = $1",
    ),
    (
        ItemKind::Receipt,
        "select r.id, 0::bigint as part, null::uuid as owner, r.session_id as run, r.query as text, r.asked as value
         from receipts r where r.workspace_id = $1",
    ),
    (
        ItemKind::DeletionRequest,
        "select r.id, 0::bigint as part, null::uuid as owner, null::uuid as run,
                concat_ws(E'\\n', r.reason, r.subject, r.query) as text, null::jsonb as value
         from deletion_requests r where r.workspace_id = $1 and r.state = 'rejected'",
    ),
    (
        ItemKind::Proposal,
        "select p.id, 0::bigint as part, null::uuid as owner, null::uuid as run, p.note as text, null::jsonb as value
         from proposals p where p.workspace_id = $1 and p.note is not null",
    ),
    (
        ItemKind::Conflict,
        "select c.id, 0::bigint as part, null::uuid as owner, null::uuid as run, c.note as text, null::jsonb as value
         from conflicts c where c.workspace_id = $1 and c.note is not null",
    ),
];

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    part: i64,
    owner: Option<Uuid>,
    run: Option<Uuid>,
    text: Option<String>,
    value: Option<Value>,
}

/// What is looked for: people who are known here, and words.
pub struct Wanted {
    people: Vec<PersonId>,
    subject: Option<Sought>,
    query: Option<Sought>,
}

impl Wanted {
    /// A name that several people have is no name.
    pub fn one_person(&self) -> Result<(), Problem> {
        match self.people.len() {
            0 | 1 => Ok(()),
            several => Err(Problem::invalid("subject", format!("means {several} people here; send the e-mail address or the id of one"))),
        }
    }
}

/// Learns whom a subject means.
pub async fn wanted<M>(tx: &mut Tx<M>, subject: Option<&str>, query: Option<&str>) -> Result<Wanted, Problem> {
    let query = query.map(Sought::words);
    let Some(subject) = subject else { return Ok(Wanted { people: Vec::new(), subject: None, query }) };
    let fellows = sqlx::query!(
        "select id, email, name from people where id::text = lower($1) or lower(email) = lower($1) or lower(name) = lower($1)",
        subject
    )
    .fetch_all(tx.conn())
    .await?;
    let names = fellows.iter().flat_map(|person| [person.id.to_string(), person.email.clone(), person.name.clone()]);
    let names: Vec<String> = names.chain([subject.to_owned()]).collect();
    let sought = Sought::any_of(names.iter().map(String::as_str));
    Ok(Wanted { people: fellows.into_iter().map(|person| PersonId(person.id)).collect(), subject: Some(sought), query })
}

/// Everything that is named, was written by the person, or has the words; each thing once, for the first reason that holds.
pub async fn select<M>(tx: &mut Tx<M>, asked: &Selectors, wanted: &Wanted) -> Result<Vec<Item>, Problem> {
    let mut list = List::default();
    for id in &asked.session_ids {
        list.add(named(ItemKind::Session, id.0, None));
    }
    for (id, owner) in owners(tx, asked).await? {
        list.add(named(ItemKind::Memory, id, owner));
    }
    for person in &wanted.people {
        written_by(tx, *person, &mut list).await?;
    }
    for sought in [&wanted.subject, &wanted.query].into_iter().flatten() {
        with_words(tx, sought, Why::Words, &mut list).await?;
    }
    Ok(list.items)
}

fn named(kind: ItemKind, id: Uuid, owner: Option<Uuid>) -> Item {
    Item { kind, id, part: 0, owner, why: Why::Named, taken: true }
}

async fn owners<M>(tx: &mut Tx<M>, asked: &Selectors) -> Result<Vec<(Uuid, Option<Uuid>)>, Problem> {
    let ids: Vec<Uuid> = asked.memory_ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!("select id, owner_id from memories where workspace_id = $1 and id = any($2)", tx.workspace().0, &ids)
        .fetch_all(tx.conn())
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.owner_id)).collect())
}

/// What a person wrote: memories, runs, tasks, questions and remarks; their private memories too, whoever asks.
async fn written_by<M>(tx: &mut Tx<M>, person: PersonId, list: &mut List) -> Result<(), Problem> {
    let workspace = tx.workspace();
    // The index reads private memories of a workspace, and writes nothing.
    sqlx::query("set local role cairn_index").execute(tx.conn()).await?;
    let private = sqlx::query!("select id from memories where workspace_id = $1 and owner_id = $2", workspace.0, person.0)
        .fetch_all(tx.conn())
        .await?;
    sqlx::query("set local role cairn_app").execute(tx.conn()).await?;
    let wrote = |kind, id, owner| Item { kind, id, part: 0, owner, why: Why::Wrote, taken: true };
    private.into_iter().try_for_each(|row| list.bounded(wrote(ItemKind::Memory, row.id, Some(person.0))))?;
    let rows: Vec<(ItemKind, Uuid)> = sqlx::query_as(
        "select distinct 'memory', v.memory_id from memory_versions v
         where v.workspace_id = $1 and v.actor_id = $2 and v.operation in ('created', 'revised') and v.owner_id is null
         union all
         select 'session', s.id from sessions s where s.workspace_id = $1 and s.actor_id = $2
         union all
         select 'task', t.id from tasks t where t.workspace_id = $1 and t.actor_id = $2
         union all
         select 'receipt', r.id from receipts r where r.workspace_id = $1 and r.actor_id = $2 and r.query is not null
         union all
         select 'proposal', p.id from proposals p where p.workspace_id = $1 and p.decided_by = $2 and p.note is not null
         union all
         select 'conflict', c.id from conflicts c where c.workspace_id = $1 and c.resolved_by = $2 and c.note is not null",
    )
    .bind(workspace)
    .bind(person)
    .fetch_all(tx.conn())
    .await?;
    rows.into_iter().try_for_each(|(kind, id)| list.bounded(wrote(kind, id, None)))
}

/// Whatever has the words and is not on the list, nor in a run that is.
pub(super) async fn with_words<M>(tx: &mut Tx<M>, sought: &Sought, why: Why, list: &mut List) -> Result<(), Problem> {
    if sought.is_empty() {
        return Ok(());
    }
    let sieve = sought.sieve();
    for (kind, source) in SOURCES {
        let mut reached = (Uuid::nil(), i64::MIN);
        loop {
            let rows = page(tx, source, &sieve, reached).await?;
            let full = rows.len() == usize::try_from(AT_ONCE).unwrap_or(usize::MAX);
            if let Some(row) = rows.last() {
                reached = (row.id, row.part);
            }
            for row in rows {
                let text = [row.text.unwrap_or_default(), row.value.as_ref().map(spelled_out).unwrap_or_default()].join("\n");
                if sought.is_in(&text) && !row.run.is_some_and(|run| list.has_run(run)) {
                    let part = if kind == ItemKind::Memory { 0 } else { row.part };
                    list.bounded(Item { kind, id: row.id, part, owner: row.owner, why, taken: true })?;
                }
            }
            if !full {
                break;
            }
        }
    }
    Ok(())
}

async fn page<M>(tx: &mut Tx<M>, source: &str, sieve: &[String], last: (Uuid, i64)) -> Result<Vec<Row>, Problem> {
    let sql = format!(
        "select c.* from ({source}) c
         where (c.id, c.part) > ($3, $4)
           and exists (select 1 from unnest($2::text[]) n where strpos(lower(concat_ws(E'\\n', c.text, c.value::text) collate \"C\"), n) > 0)
         order by c.id, c.part
         limit $5"
    );
    let workspace: WorkspaceId = tx.workspace();
    Ok(sqlx::query_as(AssertSqlSafe(sql)).bind(workspace).bind(sieve).bind(last.0).bind(last.1).bind(AT_ONCE).fetch_all(tx.conn()).await?)
}

/// Memories of a kind that have been archived since before a moment, private ones too, the oldest first.
pub async fn archived_since<M>(
    tx: &mut Tx<M>,
    kind: Kind,
    before: OffsetDateTime,
    most: i64,
) -> Result<Vec<(Uuid, Option<Uuid>)>, Problem> {
    let workspace = tx.workspace();
    sqlx::query("set local role cairn_index").execute(tx.conn()).await?;
    let rows = sqlx::query!(
        "select id, owner_id from memories
         where workspace_id = $1 and kind = $2 and state = 'archived' and updated_at < $3
         order by updated_at, id
         limit $4",
        workspace.0,
        kind.word(),
        before,
        most
    )
    .fetch_all(tx.conn())
    .await?;
    sqlx::query("set local role cairn_app").execute(tx.conn()).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.owner_id)).collect())
}

/// A list in the making: each thing once.
#[derive(Default)]
pub(super) struct List {
    pub items: Vec<Item>,
    seen: HashSet<(ItemKind, Uuid, i64)>,
}

impl List {
    /// What is there already, to be looked past.
    pub fn beyond(known: &[Item]) -> Self {
        Self { items: Vec::new(), seen: known.iter().map(|item| (item.kind, item.id, item.part)).collect() }
    }

    pub fn add(&mut self, item: Item) {
        if self.seen.insert((item.kind, item.id, item.part)) {
            self.items.push(item);
        }
    }

    fn has_run(&self, run: Uuid) -> bool {
        self.seen.contains(&(ItemKind::Session, run, 0))
    }

    pub fn bounded(&mut self, item: Item) -> Result<(), Problem> {
        self.add(item);
        if self.items.len() > MOST {
            return Err(Problem::invalid("query", format!("fits more than {MOST} things; ask for less at once")));
        }
        Ok(())
    }
}
