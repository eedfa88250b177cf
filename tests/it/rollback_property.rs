//! Random histories by several agents: rolling one session back equals the history without it wherever nobody built on
//! it, and says so where somebody did.

use cairn_tests::{Agent, House, Role};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// So many histories hold enough of everything to prove something.
const ENOUGH: u64 = 4;

/// How many histories: a few, or as `make stress` says.
fn cases() -> u64 {
    std::env::var("CAIRN_ROLLBACKS").ok().and_then(|text| text.parse().ok()).unwrap_or(ENOUGH)
}

/// The seed of the first history: to begin at one that differed.
fn first() -> u64 {
    std::env::var("CAIRN_FIRST_ROLLBACK").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

const STEPS: usize = 70;
const SESSIONS: usize = 4;

/// A small generator, so that a history can be had again by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }
}

/// A write, on memories by their names: a name is given once, when something is made.
#[derive(Clone, Debug)]
enum Act {
    Make { name: String, path: Option<String>, decision: bool },
    Patch { name: String, changes: Value },
    Archive { name: String },
    Restore { name: String },
    Verify { name: String },
    Revert { name: String, version: i32 },
    Supersede { name: String, new: String },
}

impl Act {
    /// The memories that it writes.
    fn names(&self) -> Vec<&String> {
        match self {
            Self::Supersede { name, new } => vec![name, new],
            Self::Make { name, .. }
            | Self::Patch { name, .. }
            | Self::Archive { name }
            | Self::Restore { name }
            | Self::Verify { name }
            | Self::Revert { name, .. } => vec![name],
        }
    }
}

#[derive(Clone, Debug)]
struct Step {
    session: usize,
    act: Act,
}

/// What became of a step.
#[derive(PartialEq, Debug)]
enum Took {
    Wrote,
    /// The memory is such already.
    Nothing,
    /// Another memory has the path.
    PathTaken,
    Refused,
}

/// What supersedes a memory takes these over from it.
const TAKEN_OVER: [&str; 2] = ["tags", "subject"];

/// One telling of a history in a workspace of its own.
struct Telling {
    agents: Vec<Agent>,
    sessions: Vec<String>,
    ids: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
    versions: BTreeMap<String, i64>,
    /// What each memory said when it was made.
    made: BTreeMap<String, Value>,
}

impl Telling {
    async fn begin(house: &House, workspace: &str) -> Self {
        let mut told = Self {
            agents: Vec::new(),
            sessions: Vec::new(),
            ids: BTreeMap::new(),
            names: BTreeMap::new(),
            versions: BTreeMap::new(),
            made: BTreeMap::new(),
        };
        for _ in 0..SESSIONS {
            let agent = house.agent(workspace, Role::Reviewer).await;
            let session = agent.post("sessions", json!({"agent_tool": "codex"})).await.expect(201);
            told.sessions.push(session["id"].as_str().expect("an id").to_owned());
            told.agents.push(agent);
        }
        told
    }

    async fn take(&mut self, step: &Step) -> Took {
        let at = |name: &str| format!("memories/{}", self.ids.get(name).map_or("00000000-0000-7000-8000-000000000000", String::as_str));
        let (method, path, body) = match &step.act {
            Act::Make { name, path, decision } => {
                let kind = if *decision { "decision" } else { "fact" };
                ("POST", "memories".to_owned(), json!({"content": text(name), "title": name, "kind": kind, "path": path}))
            }
            Act::Patch { name, changes } => ("PATCH", at(name), changes.clone()),
            Act::Archive { name } => ("DELETE", at(name), json!({})),
            Act::Restore { name } => ("POST", format!("{}/restore", at(name)), json!({})),
            Act::Verify { name } => ("POST", format!("{}/verify", at(name)), json!({})),
            Act::Revert { name, version } => ("POST", format!("{}/revert", at(name)), json!({"version": version})),
            Act::Supersede { name, new } => ("POST", format!("{}/supersede", at(name)), json!({"content": text(new), "title": new})),
        };
        let asked = self.agents[step.session].ask(method, &path).header("X-Cairn-Session", &self.sessions[step.session]);
        let reply = asked.json(&body).send().await;
        assert!(reply.status < 500, "{step:?}: {reply:?}");
        if reply.status >= 300 {
            return if reply.code() == "path_conflict" { Took::PathTaken } else { Took::Refused };
        }
        let id = reply.body["id"].as_str().expect("an id").to_owned();
        if let Act::Make { name, .. } | Act::Supersede { new: name, .. } = &step.act {
            self.names.insert(id.clone(), name.clone());
            self.ids.insert(name.clone(), id.clone());
            self.made.insert(name.clone(), reply.body.clone());
        }
        let version = reply.body["version"].as_i64().expect("a number");
        let wrote = self.versions.insert(id, version).is_none_or(|known| known < version);
        if wrote { Took::Wrote } else { Took::Nothing }
    }

    /// What every memory says, by its name.
    async fn states(&self) -> BTreeMap<String, Value> {
        let mut states = BTreeMap::new();
        for (name, id) in &self.ids {
            let memory = self.agents[0].get(&format!("memories/{id}")).await.expect(200);
            states.insert(name.clone(), self.said(&memory));
        }
        states
    }

    /// What a memory said below what these runs wrote last.
    async fn below(&self, name: &str, runs: [&Value; 2]) -> Value {
        let versions = self.agents[0].get(&format!("memories/{}/versions?limit=200", self.ids[name])).await;
        let below = versions.data().iter().find(|version| !runs.contains(&&version["run_id"]));
        self.said(below.unwrap_or_else(|| panic!("{name} was made by somebody else: {versions:?}")))
    }

    /// What a memory says, in words that do not depend on the telling.
    fn said(&self, memory: &Value) -> Value {
        let other = |member: &str| memory[member].as_str().map(|id| self.names.get(id).cloned().unwrap_or_else(|| id.to_owned()));
        let mut state: Value =
            ["title", "content", "kind", "tags", "path", "confidence", "subject", "state", "anchors", "visibility", "project"]
                .iter()
                .map(|member| ((*member).to_owned(), memory[*member].clone()))
                .collect::<serde_json::Map<_, _>>()
                .into();
        state["supersedes"] = json!(other("supersedes"));
        state["superseded_by"] = json!(other("superseded_by"));
        state["verified"] = json!(memory["verified_at"].is_string());
        state
    }
}

/// Words that no other memory shares, so that nothing contradicts anything.
fn text(name: &str) -> String {
    format!("{name} {name}ish {name}ly")
}

/// A step that makes sense at this point; what others did may still make it fail. No two give the same tag or subject, so that
/// it can be told who gave it.
fn next(dice: &mut Dice, names: &[String], n: usize) -> Step {
    let session = dice.roll(SESSIONS);
    let fresh = format!("thing{n}x");
    let path = |dice: &mut Dice| format!("/p{}/{}.md", dice.roll(3), dice.roll(6));
    if names.is_empty() || dice.roll(4) == 0 {
        let path = (dice.roll(2) == 0).then(|| path(dice));
        return Step { session, act: Act::Make { name: fresh, path, decision: dice.roll(3) == 0 } };
    }
    let name = names[dice.roll(names.len())].clone();
    let act = match dice.roll(11) {
        0 => Act::Patch { changes: json!({"content": format!("{} again {n}", text(&name))}), name },
        1 => Act::Patch { changes: json!({"tags": [format!("t{}-{n}", dice.roll(4))]}), name },
        2 | 3 => Act::Patch { changes: json!({"path": path(dice)}), name },
        4 => Act::Patch {
            changes: json!({"confidence": 0.5, "subject": format!("s{n}"), "anchors": [{"path": format!("src/{n}.rs")}]}),
            name,
        },
        5 | 6 => Act::Archive { name },
        7 => Act::Restore { name },
        8 => Act::Verify { name },
        9 => Act::Revert { version: i32::try_from(dice.roll(2)).expect("small") + 1, name },
        _ => Act::Supersede { name, new: fresh },
    };
    Step { session, act }
}

/// Writes a random history and gives the steps that were taken.
async fn happens(told: &mut Telling, dice: &mut Dice) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for n in 0..STEPS {
        let step = next(dice, &names, n);
        if told.take(&step).await == Took::Wrote {
            names = told.ids.keys().cloned().collect();
            steps.push(step);
        }
    }
    steps
}

/// The history as if one session had never been.
#[derive(Default)]
struct Without {
    states: BTreeMap<String, Value>,
    /// Memories to which somebody did what could be done only because of the session.
    built_on: BTreeSet<String>,
    /// Those of them that the session itself had written before.
    changed_since: BTreeSet<String>,
}

impl Without {
    async fn tell(retold: &mut Telling, told: &Telling, steps: impl Iterator<Item = &Step>, left: &BTreeSet<String>) -> Self {
        let mut without = Self::default();
        let mut heirs = BTreeSet::new();
        for step in steps {
            let names = step.act.names();
            let known = without.built_on.contains(names[0]);
            match retold.take(step).await {
                Took::Wrote => {
                    if let Act::Supersede { name, new } = &step.act
                        && (left.contains(name) || known || heirs.contains(name))
                    {
                        heirs.insert(new.clone());
                    }
                    continue;
                }
                Took::Nothing | Took::Refused if !known => drop(without.changed_since.insert(names[0].clone())),
                // It follows from an earlier one, or stood in a place that the session had freed, and that may be free again.
                Took::Nothing | Took::Refused | Took::PathTaken => {}
            }
            without.built_on.extend(names.into_iter().cloned());
        }
        without.states = retold.states().await;
        // What supersedes a memory that was built on took over what that one said then, unless somebody changed it since.
        for heir in &heirs {
            for member in TAKEN_OVER {
                let said = &mut without.states.get_mut(heir).expect("it was made")[member];
                if *said == retold.made[heir][member] {
                    *said = told.made[heir][member].clone();
                }
            }
        }
        without
    }
}

fn named(told: &Telling, answer: &Value, group: &str) -> BTreeSet<String> {
    let ids = answer[group].as_array().expect("a list").iter().filter_map(|item| item["memory_id"].as_str());
    ids.map(|id| told.names[id].clone()).collect()
}

#[tokio::test]
async fn a_session_rolled_back_is_as_if_it_had_not_been() {
    let mut house = House::open().await;
    let (mut undone, mut left_alone, mut compared) = (0, 0, 0);
    for seed in first()..first() + cases() {
        // The admin's token lives minutes, and many histories take longer.
        if seed % 20 == 0 {
            house = House::open().await;
        }
        let mut dice = Dice(seed);
        let mut told = Telling::begin(&house, &format!("with-{seed}")).await;
        let steps = happens(&mut told, &mut dice).await;
        let before = told.states().await;
        let victim = dice.roll(SESSIONS);
        let reviewer = told.agents[0].clone();
        let done = reviewer.post("rollbacks", json!({"session_id": told.sessions[victim]})).await.expect(201);
        let after = told.states().await;

        let left = named(&told, &done, "left");
        let mut retold = Telling::begin(&house, &format!("without-{seed}")).await;
        let others = steps.iter().filter(|step| step.session != victim);
        let without = Without::tell(&mut retold, &told, others, &left).await;
        assert!(without.changed_since.is_subset(&left), "seed {seed}: {:?} were built on, and {left:?} left", without.changed_since);
        for (name, state) in &after {
            if left.contains(name) {
                assert_eq!(state, &before[name], "seed {seed}: {name} was left, and is as it was");
                left_alone += 1;
                continue;
            }
            match without.states.get(name) {
                // Somebody put it where only the session had made room: there it stays, and what the session wrote on it is gone.
                _ if without.built_on.contains(name) => {
                    let below = told.below(name, [&done["id"], &json!(told.sessions[victim])]).await;
                    assert_eq!(state, &below, "seed {seed}: {name} is as others had it");
                }
                None => assert_eq!(state["state"], "archived", "seed {seed}: {name} would not be there"),
                Some(expected) => {
                    assert_eq!(state, expected, "seed {seed}: {name}");
                    compared += 1;
                }
            }
        }
        undone += named(&told, &done, "restored").len() + named(&told, &done, "unwound").len() + named(&told, &done, "archived").len();

        // And taken back, everything is as it was before.
        reviewer.post("rollbacks", json!({"rollback_id": done["id"]})).await.expect(201);
        assert_eq!(told.states().await, before, "seed {seed}: the rollback rolled back");
    }
    println!("{undone} undone, {left_alone} left, {compared} compared with the history without the session");
    let enough = undone > 20 && left_alone > 5 && compared > 20;
    assert!(enough || cases() < ENOUGH, "too little happened to prove anything: {undone}, {left_alone}, {compared}");
}
