//! What legal holds keep, of the things on a list. Looked up thing by thing: it costs what the list costs, however large the
//! workspace is, and does not depend on what the viewer may see.

use super::{holds, list::items, notes, select::whom, words::having_words};
use crate::{
    engines::erasure::Sought,
    model::{
        DeletionId, PersonId,
        deletion::{Hold, Item, ItemKind},
    },
    problem::Problem,
    store::{
        Tx,
        guise::{as_app, as_index, lay_down_wall, stand_behind},
    },
};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// One thing on a list.
pub type Place = (ItemKind, Uuid, i64);

/// The holds that keep anything that a request would take.
pub async fn in_the_way<M>(tx: &mut Tx<M>, request: DeletionId) -> Result<Vec<Hold>, Problem> {
    let holds = holds::all(tx).await?;
    if holds.is_empty() {
        return Ok(holds);
    }
    let items: Vec<Item> = items(tx, request).await?.into_iter().filter(|item| item.taken).collect();
    let named: Vec<Named> = holds.iter().map(|hold| Named::default().and(hold)).collect();
    let kept = by_each(tx, &named, &items).await?;
    Ok(holds.into_iter().zip(kept).filter(|(_, kept)| !kept.is_empty()).map(|(hold, _)| hold).collect())
}

/// What a hold names, or several of them together.
#[derive(Default)]
struct Named {
    memories: HashSet<Uuid>,
    runs: HashSet<Uuid>,
    subject: Option<String>,
    /// Whom it meant when the hold was placed, and by which names: people leave, and are renamed.
    people: Vec<PersonId>,
    names: Vec<String>,
}

impl Named {
    fn and(mut self, hold: &Hold) -> Self {
        self.memories.extend(hold.memory_ids.iter().map(|id| id.0));
        self.runs.extend(hold.session_ids.iter().map(|id| id.0));
        self.subject = self.subject.or_else(|| hold.subject.clone());
        self.people.extend(&hold.people);
        self.names.extend_from_slice(&hold.names);
        self
    }
}

/// What all holds of a workspace name.
pub struct Keeping(Vec<Named>);

impl Keeping {
    pub async fn of<M>(tx: &mut Tx<M>) -> Result<Self, Problem> {
        // A hold keeps what lies behind the wall of the viewer's key too.
        let wall = lay_down_wall(tx).await?;
        let holds = holds::all(tx).await?;
        stand_behind(tx, &wall).await?;
        // Those that are about a person are looked up one by one, the others at once.
        let (people, things): (Vec<Hold>, Vec<Hold>) = holds.into_iter().partition(|hold| hold.subject.is_some());
        let things = things.iter().fold(Named::default(), Named::and);
        Ok(Self(people.iter().map(|hold| Named::default().and(hold)).chain([things]).collect()))
    }

    /// Which of these any hold keeps: by id, by the run it belongs to, and by the person it is about, as things are now and as
    /// they were when it was placed.
    pub async fn kept<M>(&self, tx: &mut Tx<M>, items: &[Item]) -> Result<HashSet<Place>, Problem> {
        Ok(by_each(tx, &self.0, items).await?.into_iter().flatten().collect())
    }
}

async fn by_each<M>(tx: &mut Tx<M>, named: &[Named], items: &[Item]) -> Result<Vec<HashSet<Place>>, Problem> {
    if named.is_empty() || items.is_empty() {
        return Ok(vec![HashSet::new(); named.len()]);
    }
    let wall = lay_down_wall(tx).await?;
    // Who names memories alone asks neither for runs nor for writers, and who names no person for no notes.
    let asks = named.iter().any(|named| named.subject.is_some() || !named.runs.is_empty());
    let on_memories = if named.iter().any(|named| named.subject.is_some()) { notes::on_memories(tx, items).await? } else { Vec::new() };
    let weighed: Vec<Item> = items.iter().chain(on_memories.iter().map(|(note, _)| note)).cloned().collect();
    let ties = if asks { ties(tx, &weighed).await? } else { Vec::new() };
    let mut all = Vec::with_capacity(named.len());
    for named in named {
        let mut kept = by_one(tx, named, &weighed, &ties).await?;
        // A note is kept with the memory that it would go with.
        let with_notes: Vec<Place> = on_memories.iter().filter(|(note, _)| kept.contains(&note.place())).map(|(_, on)| *on).collect();
        kept.extend(with_notes);
        all.push(kept);
    }
    stand_behind(tx, &wall).await?;
    Ok(all)
}

async fn by_one<M>(tx: &mut Tx<M>, named: &Named, items: &[Item], ties: &[Tie]) -> Result<HashSet<Place>, Problem> {
    let (people, called) = match &named.subject {
        Some(subject) => whom(tx, subject, &named.people).await?,
        None => Default::default(),
    };
    let people: HashSet<Uuid> = people.iter().map(|id| id.0).collect();
    let subject = Sought::any_of(called.iter().chain(&named.names).map(String::as_str));
    let is_in = |set: &HashSet<Uuid>, id: Option<Uuid>| id.is_some_and(|id| set.contains(&id));
    let by_id = items.iter().filter(|item| item.kind == ItemKind::Memory && named.memories.contains(&item.id)).map(Item::place);
    let by_tie = ties.iter().filter(|tie| is_in(&named.runs, tie.run) || is_in(&people, tie.writer)).map(|tie| tie.place);
    let mut kept: HashSet<Place> = by_id.chain(by_tie).collect();
    if !subject.is_empty() {
        kept.extend(having_words(tx, &subject, items).await?);
    }
    Ok(kept)
}

/// The run that something belongs to, and who wrote it or ran that run.
struct Tie {
    place: Place,
    run: Option<Uuid>,
    writer: Option<Uuid>,
}

async fn ties<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<Tie>, Problem> {
    let mut ties: Vec<Tie> = beside_memories(tx, items).await?.into_iter().map(Tie::of).collect();
    ties.extend(of_memories(tx, items).await?.into_iter().map(Tie::of));
    ties.extend(notes::writers(tx, items).await?.into_iter().map(|(kind, id, writer)| Tie { place: (kind, id, 0), run: None, writer }));
    let runs: HashSet<Uuid> = ties.iter().filter_map(|tie| tie.run).collect();
    let runners: Vec<(Uuid, Uuid)> = sqlx::query_as("select id, actor_id from sessions where workspace_id = $1 and id = any($2)")
        .bind(tx.workspace())
        .bind(runs.into_iter().collect::<Vec<_>>())
        .fetch_all(tx.conn())
        .await?;
    let runners: HashMap<Uuid, Uuid> = runners.into_iter().collect();
    let ran = |tie: &Tie| Some(Tie { writer: Some(*runners.get(&tie.run?)?), ..*tie });
    let more: Vec<Tie> = ties.iter().filter_map(ran).collect();
    ties.extend(more);
    Ok(ties)
}

type Row = (ItemKind, Uuid, i64, Option<Uuid>, Option<Uuid>);

impl Tie {
    fn of((kind, id, part, run, writer): Row) -> Self {
        Self { place: (kind, id, part), run, writer }
    }
}

/// Every version counts, with the run it came from and the one that wrote it, and whose a private one is; the index reads those
/// of all, and writes nothing.
async fn of_memories<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<Row>, Problem> {
    let ids: Vec<Uuid> = items.iter().filter(|item| item.kind == ItemKind::Memory).map(|item| item.id).collect();
    as_index(tx).await?;
    let rows = sqlx::query_as(
        "select distinct 'memory', v.memory_id, 0::bigint, r.id, w.id
         from memory_versions v
         cross join lateral (values (v.session_id), (v.run_id)) r (id)
         cross join lateral (values (v.owner_id), (case when v.operation in ('created', 'revised', 'imported') then v.actor_id end)) w (id)
         where v.workspace_id = $1 and v.memory_id = any($2)",
    )
    .bind(tx.workspace())
    .bind(ids)
    .fetch_all(tx.conn())
    .await?;
    as_app(tx).await?;
    Ok(rows)
}

async fn beside_memories<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<Row>, Problem> {
    let (kinds, ids): (Vec<&str>, Vec<Uuid>) = items.iter().map(|item| (item.kind.word(), item.id)).unzip();
    let parts: Vec<i64> = items.iter().map(|item| item.part).collect();
    Ok(sqlx::query_as(
        "with i as materialized (select * from unnest($2::text[], $3::uuid[], $4::bigint[]) i (kind, id, part))
         select i.kind, i.id, i.part, i.id as run, null::uuid as writer from i where i.kind in ('session', 'session_words', 'event')
         union all
         select i.kind, i.id, i.part, c.session_id, null from i
         join checkpoints c on c.workspace_id = $1 and c.id = i.id where i.kind = 'checkpoint'
         union all
         select i.kind, i.id, i.part, t.session_id, null from i
         join task_items t on t.workspace_id = $1 and t.task_id = i.id and t.position = i.part where i.kind = 'task_item'
         union all
         select i.kind, i.id, i.part, null, t.actor_id from i
         join tasks t on t.workspace_id = $1 and t.id = i.id where i.kind = 'task'
         union all
         select i.kind, i.id, i.part, r.session_id, r.actor_id from i
         join receipts r on r.workspace_id = $1 and r.id = i.id where i.kind = 'receipt'",
    )
    .bind(tx.workspace())
    .bind(kinds)
    .bind(ids)
    .bind(parts)
    .fetch_all(tx.conn())
    .await?)
}
