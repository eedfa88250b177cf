//! What a request is about, made into a list: by id, by who wrote it, and by the words in it.

use super::words::with_words;
use crate::{
    engines::erasure::Sought,
    model::{
        Kind, PersonId,
        deletion::{Item, ItemKind, Selectors, Why},
    },
    problem::Problem,
    store::{
        Tx,
        guise::{as_app, as_index},
    },
};
use std::collections::HashSet;
use time::OffsetDateTime;
use uuid::Uuid;

/// A longer list nobody reads before approving it.
const MOST: usize = 50_000;

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
    let (people, names) = whom(tx, subject, &[]).await?;
    let sought = Sought::any_of(names.iter().map(String::as_str));
    Ok(Wanted { people, subject: Some(sought), query })
}

/// The people that a subject means and those who are known already, and every name that any of them goes by.
pub(super) async fn whom<M>(tx: &mut Tx<M>, subject: &str, known: &[PersonId]) -> Result<(Vec<PersonId>, Vec<String>), Problem> {
    let fellows: Vec<(Uuid, String, String, bool)> = sqlx::query_as(
        "select id, email, name, deleted_at is not null from people
         where id = any($2) or id::text = lower($1) or (deleted_at is null and (lower(email) = lower($1) or lower(name) = lower($1)))",
    )
    .bind(subject)
    .bind(known.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(tx.conn())
    .await?;
    let mut names = vec![subject.to_owned()];
    let mut people = known.to_vec();
    for (id, email, name, removed) in fellows {
        names.push(id.to_string());
        // Whoever was removed goes by a name that all of them have.
        names.extend([email, name].into_iter().filter(|_| !removed));
        people.push(PersonId(id));
    }
    people.sort_unstable();
    people.dedup();
    Ok((people, names))
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
    as_index(tx).await?;
    let private = sqlx::query!("select id from memories where workspace_id = $1 and owner_id = $2", workspace.0, person.0)
        .fetch_all(tx.conn())
        .await?;
    as_app(tx).await?;
    let wrote = |kind, id, owner| Item { kind, id, part: 0, owner, why: Why::Wrote, taken: true };
    private.into_iter().try_for_each(|row| list.bounded(wrote(ItemKind::Memory, row.id, Some(person.0))))?;
    let rows: Vec<(ItemKind, Uuid)> = sqlx::query_as(
        "select distinct 'memory', v.memory_id from memory_versions v
         where v.workspace_id = $1 and v.actor_id = $2 and v.operation in ('created', 'revised', 'imported') and v.owner_id is null
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

/// Where a look at what was archived has come to.
pub type Reached = (OffsetDateTime, Uuid);

/// Memories of a kind that have been archived since before a moment, private ones too, the oldest first, after those that
/// were looked at; and where that ends, if there may be more.
pub async fn archived_since<M>(
    tx: &mut Tx<M>,
    kind: Kind,
    before: OffsetDateTime,
    after: Option<Reached>,
    most: i64,
) -> Result<(Vec<Item>, Option<Reached>), Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    let rows: Vec<(Uuid, Option<Uuid>, OffsetDateTime)> = sqlx::query_as(
        "select id, owner_id, updated_at from memories
         where workspace_id = $1 and kind = $2 and state = 'archived' and updated_at < $3
           and ($4::timestamptz is null or (updated_at, id) > ($4, $5))
         order by updated_at, id
         limit $6",
    )
    .bind(workspace)
    .bind(kind.word())
    .bind(before)
    .bind(after.map(|(at, _)| at))
    .bind(after.map(|(_, id)| id))
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    as_app(tx).await?;
    let full = rows.len() == usize::try_from(most).unwrap_or(usize::MAX);
    let reached = rows.last().filter(|_| full).map(|(id, _, at)| (*at, *id));
    Ok((rows.into_iter().map(|(id, owner, _)| named(ItemKind::Memory, id, owner)).collect(), reached))
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

    pub fn has_run(&self, run: Uuid) -> bool {
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
