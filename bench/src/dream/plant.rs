//! Memories among which some are planted: what a dream has to find, and what only looks like it.

use crate::speed::{
    fill::Item,
    texts::{Chance, Texts},
};
use cairn_server::model::{Kind, clock};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

const PROJECTS: [Option<&str>; 4] = [None, None, Some("gateway"), Some("billing")];
const KINDS: [Kind; 6] = [Kind::Fact, Kind::Fact, Kind::Procedure, Kind::Pattern, Kind::Preference, Kind::Decision];
/// Of a hundred memories so many are planted of each sort; findings come in threes.
const SAME: usize = 2;
const ALIKE: usize = 2;
const TRAPS: usize = 2;
const CLASHES: usize = 1;
const STALE: usize = 1;
const FORGOTTEN: usize = 1;
const EPISODES: usize = 1;

/// What was planted, by the places of the memories.
#[derive(Default)]
pub struct Planted {
    /// The same text, dressed otherwise.
    pub same: Vec<[usize; 2]>,
    /// The same statement in a word more or less.
    pub alike: Vec<[usize; 2]>,
    /// Almost the same text, and another statement.
    pub traps: Vec<[usize; 2]>,
    pub clashes: Vec<[usize; 2]>,
    pub stale: Vec<usize>,
    pub forgotten: Vec<usize>,
    pub episodes: Vec<usize>,
    /// The same finding of three runs.
    pub found: Vec<[usize; 3]>,
}

pub fn plant(texts: &Texts, size: usize) -> (Vec<Item>, Planted) {
    let mut garden =
        Garden { texts, items: Vec::with_capacity(size), planted: Planted::default(), chance: Chance::of(5), now: clock::now() };
    let hundreds = size.div_ceil(100);
    for n in 0..hundreds {
        (0..SAME).for_each(|one| garden.same(n * SAME + one));
        (0..ALIKE).for_each(|one| garden.alike(n * ALIKE + one));
        (0..TRAPS).for_each(|one| garden.trap(n * TRAPS + one));
        (0..CLASHES).for_each(|one| garden.clash(n * CLASHES + one));
        (0..STALE).for_each(|_| garden.stale());
        (0..FORGOTTEN).for_each(|_| garden.forgotten());
        (0..EPISODES).for_each(|one| garden.episode(n * EPISODES + one));
        if n % 10 == 0 {
            garden.found();
        }
    }
    while garden.items.len() < size {
        garden.plain();
    }
    (garden.items, garden.planted)
}

struct Garden<'a> {
    texts: &'a Texts,
    items: Vec<Item>,
    planted: Planted,
    chance: Chance,
    now: OffsetDateTime,
}

impl Garden<'_> {
    fn add(&mut self, text: String, kind: Kind, project: Option<&'static str>) -> usize {
        let at = self.now - Duration::days(20) + Duration::seconds(10) * i32::try_from(self.items.len()).unwrap_or_default();
        self.items.push(Item { text, kind, project, tags: Vec::new(), at, source: None, confidence: 0.8, session: None, expires_at: None });
        self.items.len() - 1
    }

    fn plain(&mut self) -> usize {
        let (kind, project) = (KINDS[self.chance.below(KINDS.len())], PROJECTS[self.chance.below(PROJECTS.len())]);
        let text = self.texts.text(self.items.len() as u64);
        self.add(text, kind, project)
    }

    fn copy(&mut self, change: impl Fn(&str) -> String) -> [usize; 2] {
        let base = self.plain();
        let (kind, project, text) = (self.items[base].kind, self.items[base].project, change(&self.items[base].text));
        [base, self.add(text, kind, project)]
    }

    fn same(&mut self, n: usize) {
        let pair = self.copy(|text| match n % 3 {
            0 => text.replace(' ', "  "),
            1 => format!("**{text}**"),
            _ => format!("- {text}\n"),
        });
        self.planted.same.push(pair);
    }

    fn alike(&mut self, n: usize) {
        let pair = self.copy(|text| match n % 3 {
            0 => format!("Please note that {text}"),
            1 => with_word(text, "reliably"),
            _ => text.replace(" the ", " our "),
        });
        self.planted.alike.push(pair);
    }

    fn trap(&mut self, n: usize) {
        let pair = self.copy(|text| match n % 4 {
            0 => with_word(text, "never"),
            1 => with_word(text, "17"),
            2 => with_word(text, "GatewayProxy"),
            _ => with_word(text, "only"),
        });
        self.planted.traps.push(pair);
    }

    fn clash(&mut self, n: usize) {
        let (name, x) = (name(&mut self.chance), 10 + self.chance.below(80));
        let [one, other] = match n % 6 {
            0 => [x, x + 5].map(|x| format!("The request timeout of the {name} service is {x} seconds.")),
            1 => ["Postgres", "MySQL"].map(|store| format!("We use {store} as the database of the {name} service.")),
            2 => ["must never", "must always"].map(|must| format!("The {name} importer {must} retry failed uploads.")),
            3 => [x, x + 7].map(|x| format!("The {name} exporter keeps at most {x} backups.")),
            4 => ["Tuesday", "Thursday"].map(|day| format!("The weekly {name} release goes out on {day}.")),
            _ => ["enabled", "disabled"].map(|state| format!("Compression is {state} for the {name} stream.")),
        };
        let project = PROJECTS[self.chance.below(PROJECTS.len())];
        let pair = [self.add(one, Kind::Fact, project), self.add(other, Kind::Fact, project)];
        self.planted.clashes.push(pair);
    }

    fn stale(&mut self) {
        let at = self.plain();
        self.items[at].expires_at = Some(self.now - Duration::days(3));
        self.planted.stale.push(at);
    }

    fn forgotten(&mut self) {
        let at = self.plain();
        let item = &mut self.items[at];
        (item.kind, item.confidence, item.at) = (Kind::Discovery, 0.3, item.at - Duration::days(200));
        self.planted.forgotten.push(at);
    }

    fn episode(&mut self, n: usize) {
        let goal = self.texts.text(u64::MAX - n as u64);
        let text = format!(
            "Goal: {goal}\n\n## Edited\n- src/file{n}.rs\n- src/main.rs\n\n## Decisions\n- Report {n} is weekly\n\nRun with codex.\n"
        );
        let at = self.add(text, Kind::Episode, PROJECTS[2 + n % 2]);
        let item = &mut self.items[at];
        item.at -= Duration::days(120);
        self.planted.episodes.push(at);
    }

    fn found(&mut self) {
        let [one, other] = self.copy(|text| format!("Please note that {text}"));
        let (text, project) = (format!("**{}**", self.items[one].text), self.items[one].project);
        let third = self.add(text, Kind::Discovery, project);
        for at in [one, other, third] {
            let session = Uuid::from_u128(u128::from(self.chance.next()));
            (self.items[at].kind, self.items[at].session) = (Kind::Discovery, Some(session));
        }
        self.planted.found.push([one, other, third]);
    }
}

/// A word more, in the middle.
fn with_word(text: &str, word: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let (before, after) = words.split_at(words.len() / 2);
    [before, &[word], after].concat().join(" ")
}

/// A name that nothing else has.
fn name(chance: &mut Chance) -> String {
    const LETTERS: [&str; 16] = ["ba", "do", "ki", "lu", "me", "no", "pa", "ri", "sa", "to", "vu", "wa", "xe", "yo", "zu", "fe"];
    (0..5).map(|_| LETTERS[chance.below(LETTERS.len())]).collect()
}
