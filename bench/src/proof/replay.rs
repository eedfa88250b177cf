//! A task from its first run to its last: the runs in their order, and between them what a team does – it commits, syncs,
//! reviews what was captured, verifies what was checked, rolls back what was wrong.

use super::{
    agent::Agent,
    govern,
    ledger::{Ledger, Line},
    machine::Machine,
    mind::Mind,
    referee::Referee,
    repository::Repository,
    task::{Run, Task},
};
use crate::{Failure, client::Client, house::House};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    path::PathBuf,
};

/// Who reviews, verifies, approves erasures and executes them.
pub const REVIEWER: &str = "reviewer@example.org";

pub struct Setting {
    pub tasks: PathBuf,
    pub packages: PathBuf,
    pub program: PathBuf,
    pub seed: u64,
    /// Whether the server is told what the code looks like; without it the report has to show what that is worth.
    pub synced: bool,
}

pub struct Replayed {
    pub ledger: Ledger,
    pub sessions: Vec<Session>,
    /// By the workspace's slug, the machines of its agents.
    pub machines: BTreeMap<(String, String), Machine>,
    pub workspaces: BTreeSet<String>,
    /// What was known when the bad run was rolled back, or would have begun.
    pub stood: Vec<(String, String)>,
}

pub struct Session {
    pub id: String,
    pub workspace: String,
}

pub async fn cold(setting: &Setting, task: &Task) -> Result<Replayed, Failure> {
    replay(setting, task, None, true).await
}

/// In workspaces of its own, whose names begin so; with the bad run and its rollback, or only up to there and without it.
pub async fn warm(setting: &Setting, task: &Task, house: &mut House, prefix: &str, bad: bool) -> Result<Replayed, Failure> {
    replay(setting, task, Some((house, prefix)), bad).await
}

async fn replay(setting: &Setting, task: &Task, mut with: Option<(&mut House, &str)>, bad: bool) -> Result<Replayed, Failure> {
    let mut repository = Repository::new(&task.repository, &task.project, &setting.tasks, &setting.packages)?;
    let mut replayed = Replayed {
        ledger: Ledger::default(),
        sessions: Vec::new(),
        machines: BTreeMap::new(),
        workspaces: BTreeSet::new(),
        stood: Vec::new(),
    };
    let (mut referee, mut mind) = (Referee::default(), Mind::default());
    for (index, run) in task.runs.iter().enumerate() {
        if let (true, Some((house, _))) = (run.bad && !bad, &with) {
            replayed.stood = govern::states(&mut house.sign_in(REVIEWER).await?, &replayed.workspaces).await?;
            break;
        }
        if run.bad && with.is_none() {
            continue;
        }
        if repository.release != run.release {
            repository.check_out(&run.release)?;
        }
        for (name, question) in &task.questions {
            question.tells_nothing(repository.truth(question)?.as_deref()).map_err(|wrong| format!("{}, {name}: {wrong}", task.name))?;
        }
        let number = index + 1;
        let mut machine = match &mut with {
            Some((house, prefix)) => {
                let slug = format!("{prefix}-{}", run.workspace);
                enter(setting, task, house, run, &slug, &repository, &mut replayed).await?;
                Some((slug.clone(), replayed.machines.remove(&(slug, run.agent.clone())).ok_or("a machine")?))
            }
            None => None,
        };
        if let Some((_, machine)) = &machine {
            sync(setting, machine, &repository)?;
        }
        let mut agent = Agent {
            task,
            run,
            number,
            seed: setting.seed,
            repository: &repository,
            referee: &mut referee,
            ledger: &mut replayed.ledger,
            mind: &mut mind,
            machine: machine.as_mut().map(|(_, machine)| machine),
            synced: setting.synced,
            session: format!("{}-run-{number}", task.name),
            known_as: None,
            heard: Vec::new(),
            checked: Vec::new(),
            brief: String::new(),
        };
        agent.goes().map_err(|wrong| format!("{}, run {number}: {wrong}", task.name))?;
        let (session, heard, checked) = (agent.known_as.take(), std::mem::take(&mut agent.heard), std::mem::take(&mut agent.checked));
        repository.commit(&format!("Run {number}"))?;
        if let (Some((house, _)), Some((slug, machine)), Some(session)) = (&mut with, machine, session) {
            sync(setting, &machine, &repository)?;
            let mut person = house.sign_in(REVIEWER).await?;
            let base = format!("/v1/workspaces/{slug}");
            matched(&mut person, &base, &session, &heard, &mut replayed.ledger).await?;
            if run.bad {
                roll_back(&mut person, &base, &session, number, &mut replayed.ledger).await?;
                replayed.stood = govern::states(&mut person, &replayed.workspaces).await?;
            } else {
                review(&mut person, &base, number, &checked, &mut replayed.ledger).await?;
                let world = World { task, repository: &repository, referee: &referee };
                settle(&mut person, &base, number, &world, &mut replayed.ledger).await?;
            }
            replayed.sessions.push(Session { id: session, workspace: slug.clone() });
            replayed.machines.insert((slug, run.agent.clone()), machine);
        }
    }
    if replayed.workspaces.is_empty() {
        replayed.ledger.record("tokens_if_pasted", referee.pasted(), "replay", "cold", "everything seen and said so far, at each start");
    }
    Ok(replayed)
}

/// The workspace, the agent in it and its machine, each made when first needed.
async fn enter(
    setting: &Setting,
    task: &Task,
    house: &mut House,
    run: &Run,
    slug: &str,
    repository: &Repository,
    replayed: &mut Replayed,
) -> Result<(), Failure> {
    let first = replayed.workspaces.insert(slug.to_owned());
    if first {
        house.workspace(slug).await?;
        house.joins(slug, REVIEWER, "reviewer").await?;
    }
    if let Entry::Vacant(place) = replayed.machines.entry((slug.to_owned(), run.agent.clone())) {
        let key = house.agent(slug, &run.agent, "writer").await?;
        let machine = Machine::new(&setting.program, &format!("http://{}", house.address), &key, &repository.root)?;
        if let Some(work) = &task.work {
            let verb: &[&str] = if first { &["task", "start", &work.key, "--title", &work.title] } else { &["task", "show", &work.key] };
            machine.does(&repository.root, verb)?;
        }
        place.insert(machine);
    }
    Ok(())
}

/// Looks at the code, and tells the server.
fn sync(setting: &Setting, machine: &Machine, repository: &Repository) -> Result<(), Failure> {
    if setting.synced {
        machine.does(&repository.root, &["scan", "--json"])?;
        machine.syncs(&repository.root)?;
    }
    Ok(())
}

/// The log on the server, held against what the hooks were told: each line of the trace gets its place in it.
async fn matched(person: &mut Client, base: &str, session: &str, heard: &[usize], ledger: &mut Ledger) -> Result<(), Failure> {
    let mut seqs = Vec::new();
    for event in all(person, &format!("{base}/sessions/{session}/events")).await? {
        seqs.extend(event["seq"].as_i64());
    }
    for (line, seq) in heard.iter().zip(&seqs) {
        ledger.trace[line - 1].event = Some(*seq);
        ledger.at("events", *line);
    }
    ledger.none("events_lost");
    let lost = heard.len().abs_diff(seqs.len()) as u64;
    if lost > 0 {
        ledger.record("events_lost", lost, "session", session, format!("{} told, {} logged", heard.len(), seqs.len()));
    }
    Ok(())
}

/// A person takes in everything that was captured, and verifies what an agent doubted and found true.
async fn review(person: &mut Client, base: &str, run: usize, checked: &[String], ledger: &mut Ledger) -> Result<(), Failure> {
    for proposal in all(person, &format!("{base}/proposals")).await? {
        let id = proposal["id"].as_str().unwrap_or_default();
        let (status, _) = person.post(&format!("{base}/proposals/{id}/approve"), "{}").await?;
        if status < 300 {
            let about = proposal["reason"].as_str().unwrap_or_default().to_owned();
            let n = ledger.line(Line { run, what: "approve", about, memory: text(&proposal["memory_id"]), ..Line::default() });
            ledger.at("captured_and_approved", n);
        }
    }
    for memory in checked {
        person.make(&format!("{base}/memories/{memory}/verify"), json!({"note": "An agent looked, and it is so."})).await?;
        ledger.line(Line { run, what: "verify", about: "looked at, and true".to_owned(), memory: Some(memory.clone()), ..Line::default() });
    }
    Ok(())
}

/// What a person knows who looks at the code.
struct World<'a> {
    task: &'a Task,
    repository: &'a Repository,
    referee: &'a Referee,
}

impl World<'_> {
    /// Which question a memory answers, and whether what it says is so.
    fn holds(&self, memory: &Value) -> Result<Option<(&str, bool)>, Failure> {
        let text = memory["content"].as_str().unwrap_or_default();
        for (name, question) in &self.task.questions {
            if let (Some(said), Some(holds)) = (question.in_memory(text)?, self.referee.holds(self.repository, name, question)?) {
                return Ok(Some((name.as_str(), said == holds)));
            }
        }
        Ok(None)
    }
}

/// Contradictions that were reported: a person looks, and keeps what holds.
async fn settle(person: &mut Client, base: &str, run: usize, world: &World<'_>, ledger: &mut Ledger) -> Result<(), Failure> {
    for conflict in all(person, &format!("{base}/conflicts")).await? {
        let (id, two) = (text(&conflict["id"]).unwrap_or_default(), &conflict["memories"]);
        // Of two that answer the same question the one that is so; others have nothing to do with each other.
        let keep = match (world.holds(&two[0])?, world.holds(&two[1])?) {
            (Some((a, false)), Some((b, true))) if a == b => text(&two[1]["id"]),
            (Some((a, true)), Some((b, false))) if a == b => text(&two[0]["id"]),
            _ => None,
        };
        let said = keep.clone().unwrap_or_else(|| "both".to_owned());
        let (status, _) =
            person.post(&format!("{base}/conflicts/{id}/resolve"), json!({"keep": said, "note": "Looked up."}).to_string()).await?;
        if status >= 300 {
            continue;
        }
        let about = format!("{}: kept {said}", conflict["reason"].as_str().unwrap_or_default());
        let n = ledger.line(Line { run, what: "settle", about, memory: text(&two[0]["id"]), ..Line::default() });
        ledger.at("contradictions", n);
        if keep.is_none() {
            ledger.at("contradictions_of_none", n);
        }
    }
    Ok(())
}

async fn roll_back(person: &mut Client, base: &str, session: &str, run: usize, ledger: &mut Ledger) -> Result<(), Failure> {
    let done = person.make(&format!("{base}/rollbacks"), json!({ "session_id": session })).await?;
    let id = text(&done["id"]).unwrap_or_default();
    let lists = ["restored", "unwound", "archived", "left"].map(|list| done[list].as_array().map_or(0, Vec::len));
    let about = format!("{} restored, {} unwound, {} archived, {} left", lists[0], lists[1], lists[2], lists[3]);
    ledger.line(Line { run, what: "roll back", about: about.clone(), session: Some(session.to_owned()), ..Line::default() });
    ledger.record("rolled_back", lists[..3].iter().sum::<usize>() as u64, "rollback", &id, about);
    Ok(())
}

/// Everything a list has.
pub async fn all(client: &mut Client, path: &str) -> Result<Vec<Value>, Failure> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let join = if path.contains('?') { '&' } else { '?' };
        let mut page = client.get(&format!("{path}{join}limit=200{cursor}")).await?;
        if let Value::Array(data) = page["data"].take() {
            found.extend(data);
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(found),
        }
    }
}

pub fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
