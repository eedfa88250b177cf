//! What the whole engine promises, whatever was put in and taken out before.

use super::{document::Prepared, filters, semantic::Vector, *};
use crate::{
    engines::freshness::Freshness,
    model::{Kind, MemoryId, PersonId, State},
};
use proptest::{prelude::*, sample::select};
use std::collections::BTreeMap;
use uuid::Uuid;

const NOW: i64 = 1_790_000_000;

#[derive(Clone, Debug)]
struct Sample {
    text: String,
    kind: Kind,
    state: State,
    path: String,
    tags: Vec<String>,
    project: Option<String>,
    owner: Option<u128>,
    file: Option<String>,
    session: Option<String>,
    valid_from: i64,
    stale_from: Option<i64>,
    contested_from: Option<i64>,
}

impl Default for Sample {
    fn default() -> Self {
        let (kind, state, path) = (Kind::Fact, State::Active, "/facts/x.md".to_owned());
        Self {
            text: String::new(),
            kind,
            state,
            path,
            tags: vec![],
            project: None,
            owner: None,
            file: None,
            session: None,
            valid_from: NOW,
            stale_from: None,
            contested_from: None,
        }
    }
}

impl Sample {
    fn says(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    fn prepared(&self, id: u128) -> Prepared {
        let anchors: Vec<AnchorOf<'_>> = self.file.iter().map(|path| AnchorOf { repo: None, path, symbol: Some("main") }).collect();
        let document = Document {
            id: memory(id),
            version: 1,
            kind: self.kind,
            state: self.state,
            title: &self.text,
            store: Uuid::from_u128(id % 3),
            path: &self.path,
            body: &self.text,
            tags: &self.tags,
            project: self.project.as_deref(),
            owner: self.owner.map(|owner| PersonId(Uuid::from_u128(owner))),
            author: Uuid::from_u128(id % 2),
            author_name: "Ada",
            anchors: &anchors,
            confidence: 0.5,
            verified: false,
            changed_at: NOW,
            valid_from: self.valid_from,
            contested_from: self.contested_from,
            suspect_from: None,
            stale_from: self.stale_from,
            code: &[],
            spoken_of: false,
            session: self.session.as_deref(),
            tokens: 10,
            helpful: 0,
        };
        prepare(&document, vector(&self.text).into_iter().collect())
    }
}

/// As it is found when nothing but it is there, weighing what it has words.
pub(super) fn hit(id: u128, text: &str) -> Hit {
    let mut index = Index::new();
    index.put(Sample::says(text).prepared(id));
    let found = index.search(&ask("", &Filter::default(), Viewer::default(), &Weights::default()));
    Hit { tokens: u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX), ..found[0] }
}

fn memory(id: u128) -> MemoryId {
    MemoryId(Uuid::from_u128(id))
}

/// A direction by letters: enough for texts to be near and far.
fn vector(text: &str) -> Option<Vector> {
    let mut letters = [0.0_f32; 26];
    text.bytes().for_each(|letter| letters[usize::from(letter % 26)] += 1.0);
    Vector::quantise(&letters)
}

fn index(samples: &[Sample]) -> Index {
    let mut index = Index::new();
    (1..).zip(samples).for_each(|(id, sample)| index.put(sample.prepared(id)));
    index
}

fn ask<'a>(query: &'a str, filter: &'a Filter, viewer: Viewer<'a>, weights: &'a Weights) -> Question<'a> {
    Question { query, vector: None, filter, viewer, anchors: &[], now: NOW, limit: 100, weights }
}

fn found(index: &Index, query: &str) -> Vec<u128> {
    index.search(&ask(query, &Filter::default(), Viewer::default(), &Weights::default())).iter().map(|hit| hit.id.0.as_u128()).collect()
}

const WORDS: [&str; 12] = [
    "token",
    "gateway",
    "signing",
    "RetryPolicy",
    "retry_all",
    "deploys",
    "friday",
    "auth/service.py",
    "8080",
    "migrations",
    "東京都",
    "postgres",
];

prop_compose! {
    fn a_sample()(
        words in prop::collection::vec(select(&WORDS[..]), 1..8), kind in select(Kind::ALL), state in select(State::ALL),
        path in select(&["/facts/a.md", "/facts/ab.md", "/facts/deep/a.md", "/decisions/a.md"][..]),
        tags in prop::sample::subsequence(vec!["x".to_owned(), "y".to_owned()], 0..=2),
        project in select(&[None, Some("api"), Some("web")][..]), owner in select(&[None, None, Some(1), Some(2)][..]),
        file in select(&[None, Some("src/a.rs"), Some("src/b.rs")][..]), session in select(&[None, Some("one"), Some("two")][..]),
        valid_from in NOW - 5..NOW, stale_from in select(&[None, Some(NOW - 1), Some(NOW + 1)][..]),
        contested_from in select(&[None, None, Some(NOW - 1)][..]),
    ) -> Sample {
        Sample { text: words.join(" "), kind, state, path: path.to_owned(), tags, project: project.map(str::to_owned), owner, file: file.map(str::to_owned),
            session: session.map(str::to_owned), valid_from, stale_from, contested_from }
    }
}

prop_compose! {
    fn a_filter()(
        project in select(&[None, Some("api"), Some("none")][..]), kinds in prop::sample::subsequence(Kind::ALL.to_vec(), 0..3),
        states in prop::sample::subsequence(State::ALL.to_vec(), 0..4), tags in prop::sample::subsequence(vec!["x".to_owned(), "y".to_owned(), "z".to_owned()], 0..2),
        prefix in select(&[None, Some("/"), Some("/facts/"), Some("/facts/a"), Some("/fa"), Some("/facts/deep"), Some("/none")][..]),
        author in select(&[None, Some(0), Some(1), Some(5)][..]), store in select(&[None, Some(0), Some(2), Some(5)][..]), files in prop::sample::subsequence(vec!["src/a.rs".to_owned(), "src/none.rs".to_owned()], 0..2),
        freshness in prop::sample::subsequence(vec![Freshness::Fresh, Freshness::Suspect, Freshness::Stale], 0..2), leave_out_stale in any::<bool>(),
    ) -> Filter {
        Filter { project: project.map(str::to_owned), kinds, tags, path_prefix: prefix.map(str::to_owned), author: author.map(Uuid::from_u128), store: store.map(Uuid::from_u128), states, freshness,
            anchor_paths: files, leave_out_stale, branch: None }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Put(u128, Box<Sample>),
    Remove(u128),
    Compact,
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1_u128..12, a_sample()).prop_map(|(id, sample)| Step::Put(id, Box::new(sample))),
        3 => (1_u128..12).prop_map(Step::Remove),
        1 => Just(Step::Compact),
    ]
}

#[test]
fn those_beside_the_gone_of_a_long_list_gain_nothing_by_it() {
    let (all, gone) = (1..3000_u128, 100..600_u128);
    let put = |index: &mut Index, id: u128| index.put(Sample::says("deploys").prepared(id));
    let (mut grown, mut built) = (Index::new(), Index::new());
    all.clone().for_each(|id| put(&mut grown, id));
    gone.clone().for_each(|id| grown.remove(memory(id)));
    all.filter(|id| !gone.contains(id)).for_each(|id| put(&mut built, id));
    let (filter, weights) = (Filter::default(), Weights::default());
    let question = ask("deploys", &filter, Viewer::default(), &weights);
    let told = |index: &Index| index.search(&question).into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>();
    assert_eq!(told(&grown), told(&built));
}

#[test]
fn common_words_that_are_not_walked_count_for_those_they_are_looked_up_for() {
    let says = |n: u128| {
        let (n, common) = (usize::try_from(n).expect("small"), ["deploys", "gateway", "deploys gateway", "deploys deploys gateway"]);
        let rare = if n.is_multiple_of(20) { "friday ".repeat(1 + n / 20 % 3) } else { String::new() };
        Sample::says(&format!("{rare}{} {}", common[n % 4], "token ".repeat(n % 7)))
    };
    let all: Vec<Prepared> = (1..6000).filter(|id| !(100..600).contains(id)).map(|id| says(id).prepared(id)).collect();
    let mut index = Index::new();
    (1..6000).for_each(|id| index.put(says(id).prepared(id)));
    (100..600).for_each(|id| index.remove(memory(id)));
    let (filter, weights) = (Filter::default(), Weights::default());
    let question = Question { limit: 60, ..ask("friday gateway deploys", &filter, Viewer::default(), &weights) };
    let told = |hits: Vec<Hit>| hits.into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>();
    // Each by its own terms, and nothing of it from the lists.
    let one_by_one = told(index.search_with(&question, Some(&|_, _| false), &all));
    assert_eq!(told(index.search(&question)), one_by_one);

    let lexicon = &index.lexicon;
    let hidden = roaring::RoaringBitmap::new();
    let census = lexicon.census(&hidden);
    let asked = ["friday", "gateway", "deploy"].map(|text| {
        let term = lexicon.find(text);
        lexical::Asked { text: text.into(), term, weight: lexicon.rareness(term, &census) }
    });
    let allowed = filters::Filters::allowed(&index.filters, &filter, Viewer::default(), NOW, &index.entries);
    let (walk, _) = walk::Walk::over(lexicon, &census, &asked, &allowed, &weights, weights.candidates);
    assert_eq!(walk.left_alone(), 2, "or this says nothing");
}

proptest! {
    #[test]
    fn an_index_is_what_is_in_it_and_not_how_it_came_there(steps in prop::collection::vec(a_step(), 1..60), query in prop::collection::vec(select(&WORDS[..]), 1..4)) {
        let (mut grown, mut left) = (Index::new(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Put(id, sample) => {
                    grown.put(sample.prepared(id));
                    left.insert(id, sample);
                }
                Step::Remove(id) => {
                    grown.remove(memory(id));
                    left.remove(&id);
                }
                Step::Compact => grown.compact(),
            }
        }
        let mut built = Index::new();
        for (id, sample) in &left {
            built.put(sample.prepared(*id));
        }
        prop_assert_eq!(grown.len(), built.len());
        prop_assert_eq!(grown.lexicon.terms(), built.lexicon.terms());
        prop_assert_eq!(grown.filters.names(), built.filters.names());
        prop_assert_eq!(grown.sessions.len(), built.sessions.len());
        let (query, filter, weights) = (query.join(" "), Filter { states: State::ALL.to_vec(), ..Filter::default() }, Weights::default());
        let vector = vector(&query);
        for vector in [None, vector.as_ref()] {
            let question = Question { vector, ..ask(&query, &filter, Viewer::default(), &weights) };
            prop_assert_eq!(grown.search(&question), built.search(&question));
        }
    }

    #[test]
    fn filters_and_walls_let_through_what_they_say_and_nothing_else(
        samples in prop::collection::vec(a_sample(), 0..30), filter in a_filter(), person in select(&[None, Some(1), Some(2), Some(3)][..]),
        wall in select(&[None, Some("api"), Some("none")][..]), query in select(&["", "token gateway"][..]),
    ) {
        let viewer = Viewer { person: person.map(|person| PersonId(Uuid::from_u128(person))), project: wall };
        let (index, weights) = (index(&samples), Weights::default());
        let vector = vector(query);
        let question = Question { vector: vector.as_ref(), ..ask(query, &filter, viewer, &weights) };
        let mut hits: Vec<u128> = index.search(&question).iter().map(|hit| hit.id.0.as_u128()).collect();
        hits.sort_unstable();
        let admitted = |(id, sample): &(u128, &Sample)| {
            let one = sample.prepared(*id);
            filters::admits(&filter, viewer, NOW, &one.facts, &one.named)
        };
        let expected: Vec<u128> = (1..).zip(&samples).filter(admitted).map(|(id, _)| id).collect();
        prop_assert_eq!(&hits, &expected);
        for id in hits {
            let sample = &samples[usize::try_from(id).unwrap() - 1];
            prop_assert!(sample.owner.is_none() || sample.owner == person);
            prop_assert!(wall.is_none() || sample.project.is_none() || sample.project.as_deref() == wall);
        }
    }

    #[test]
    fn what_is_behind_a_wall_moves_no_score(
        samples in prop::collection::vec(a_sample(), 0..30), person in select(&[None, Some(1), Some(2)][..]),
        wall in select(&[None, Some("api"), Some("none")][..]), words in prop::collection::vec(select(&WORDS[..]), 1..4),
    ) {
        let viewer = Viewer { person: person.map(|person| PersonId(Uuid::from_u128(person))), project: wall };
        let (query, filter, weights) = (words.join(" "), Filter { states: State::ALL.to_vec(), ..Filter::default() }, Weights::default());
        let (mut all, mut seen) = (Index::new(), Index::new());
        for (id, sample) in (1..).zip(samples) {
            let one = sample.prepared(id);
            if filters::admits(&filter, viewer, NOW, &one.facts, &one.named) {
                seen.put(one.clone());
            }
            all.put(one);
        }
        let vector = vector(&query);
        for vector in [None, vector.as_ref()] {
            let question = Question { vector, ..ask(&query, &filter, viewer, &weights) };
            prop_assert_eq!(all.search(&question), seen.search(&question));
        }
    }

    #[test]
    fn documents_beside_the_index_rank_as_those_in_it(samples in prop::collection::vec(a_sample(), 1..12), words in prop::collection::vec(select(&WORDS[..]), 1..4)) {
        let query = words.join(" ");
        let samples: Vec<Sample> = samples.into_iter().map(|sample| Sample { session: None, ..sample }).collect();
        let (index, filter, weights) = (index(&samples), Filter::default(), Weights::default());
        let question = ask(&query, &filter, Viewer::default(), &weights);
        let outside: Vec<Prepared> = (1..).zip(&samples).filter(|(id, _)| id % 2 == 0).map(|(id, sample)| sample.prepared(id)).collect();
        let inside = |id: MemoryId, _: i32| id.0.as_u128() % 2 == 1;
        prop_assert_eq!(index.search_with(&question, Some(&inside), &outside), index.search(&question));
    }

    #[test]
    fn any_question_gets_an_answer(query in "\\PC{0,200}") {
        let index = index(&[Sample::says("tokens are signed"), Sample::says("東京都の設計"), Sample::says("🚀 launch")]);
        found(&index, &query);
    }
}

#[test]
fn a_misspelt_word_finds_what_nobody_spells_so() {
    let index = index(&[Sample::says("authentication uses RS256"), Sample::says("lunch is at noon")]);
    assert_eq!(found(&index, "authentcation"), [1]);
    assert_eq!(found(&index, "RS257"), [0; 0]);
}

#[test]
fn a_word_that_only_others_may_see_is_not_guessed_from() {
    let secret = Sample { owner: Some(1), ..Sample::says("the merger codename") };
    assert_eq!(found(&index(&[secret, Sample::says("the merge queue")]), "mergr"), [2]);
    // Nor does it stand in the way of one that is farther off.
    let nearer = Sample { owner: Some(1), ..Sample::says("quaxomirt") };
    assert_eq!(found(&index(&[nearer, Sample::says("quaxonult")]), "quaxomilt"), [2]);
}

#[test]
fn what_is_said_by_none_finds_nothing_and_nothing_asked_lists_all() {
    let index = index(&[Sample::says("tokens are signed"), Sample { kind: Kind::Decision, ..Sample::says("fridays are frozen") }]);
    assert_eq!(found(&index, "zebra"), [0; 0]);
    assert_eq!(found(&index, ""), [2, 1]);
    assert_eq!(found(&index, "what is the"), [2, 1]);
}

#[test]
fn a_stale_one_stands_below_a_fresh_one_that_says_the_same() {
    let stale = Sample { stale_from: Some(NOW - 1), kind: Kind::Decision, ..Sample::says("deploys are frozen on fridays") };
    let fresh = Sample { kind: Kind::Episode, ..Sample::says("deploys are frozen on fridays") };
    for samples in [[stale.clone(), fresh.clone()], [fresh, stale]] {
        let index = index(&samples);
        let hits = index.search(&ask("when are deploys frozen", &Filter::default(), Viewer::default(), &Weights::default()));
        assert_eq!(hits.iter().map(|hit| hit.freshness).collect::<Vec<_>>(), [Freshness::Fresh, Freshness::Stale]);
        assert!(hits[0].score > hits[1].score);
    }
}

#[test]
fn what_another_contradicts_stands_below_its_like_and_above_what_answers_less() {
    let contested = Sample { contested_from: Some(NOW - 1), ..Sample::says("deploys are frozen on fridays") };
    let (like, less) = (Sample::says("deploys are frozen on fridays"), Sample::says("gateway deploys take a minute on all the other days"));
    let index = index(&[contested, like, less, Sample::says("lunch is at noon")]);
    let hits = index.search(&ask("when are deploys frozen", &Filter::default(), Viewer::default(), &Weights::default()));
    let order: Vec<(u128, Freshness)> = hits.iter().map(|hit| (hit.id.0.as_u128(), hit.freshness)).take(3).collect();
    assert_eq!(order, [(2, Freshness::Fresh), (1, Freshness::Suspect), (3, Freshness::Fresh)]);
}

#[test]
fn of_those_that_answer_alike_the_most_binding_comes_first() {
    // Put in the other way round.
    let order = [Kind::Decision, Kind::Pattern, Kind::Fact, Kind::Procedure, Kind::Preference, Kind::Discovery, Kind::Episode];
    let says = |kind: &Kind| Sample { kind: *kind, ..Sample::says("deploys are frozen on fridays") };
    let index = index(&order.iter().rev().map(says).collect::<Vec<_>>());
    assert_eq!(found(&index, "when are deploys frozen"), [7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn memories_on_the_code_at_hand_come_first() {
    let on = |file: &str| Sample { file: Some(file.to_owned()), ..Sample::says("errors are retried") };
    let index = index(&[on("src/c.rs"), on("lib/b.rs"), on("src/a.rs"), Sample::says("errors are retried")]);
    let anchors = [AskedAnchor { repo: None, path: "src/a.rs".to_owned(), symbol: Some("main".to_owned()), weight: 1.0 }];
    let (filter, weights) = (Filter::default(), Weights::default());
    let hits = index.search(&Question { anchors: &anchors, ..ask("how are errors handled", &filter, Viewer::default(), &weights) });
    assert_eq!(hits.iter().map(|hit| (hit.id.0.as_u128(), hit.why.code)).take(2).collect::<Vec<_>>(), [(3, 1.0), (1, 0.3)]);
}

#[test]
fn a_day_in_the_question_lifts_what_was_learned_on_it() {
    let then = |days: i64| Sample { valid_from: NOW - days * 86_400, ..Sample::says("the outage of the gateway") };
    let index = index(&[then(30), then(1), then(300)]);
    assert_eq!(found(&index, "what was the outage yesterday")[0], 2);
}

#[test]
fn a_neighbour_of_the_session_lends_to_what_lies_beside_it() {
    let turn = |text: &str, at| Sample { session: Some("one".to_owned()), valid_from: NOW - 100 + at, ..Sample::says(text) };
    let index =
        index(&[turn("hello there", 0), turn("shall we rename the gateway", 1), turn("yes, let us do that", 2), turn("and lunch", 9)]);
    assert_eq!(found(&index, "rename the gateway")[0], 2);
    assert!(found(&index, "rename the gateway").contains(&3));
    assert!(!found(&index, "rename the gateway").contains(&4));
}

#[test]
fn many_changes_leave_an_index_as_small_as_what_is_in_it() {
    let mut index = Index::new();
    for round in 0..40 {
        (0..100_u128).for_each(|id| index.put(Sample::says(&format!("note {round} of {id} says word{round}x{id}")).prepared(id)));
    }
    assert_eq!(index.len(), 100);
    assert!(index.entries.len() < 3000, "{}", index.entries.len());
    (0..100_u128).for_each(|id| index.remove(memory(id)));
    assert_eq!((index.len(), index.lexicon.terms(), index.filters.names()), (0, 0, 0));
}

#[test]
fn a_question_of_a_million_words_costs_no_more_than_its_cap() {
    let query = (0..1_000_000).fold(String::new(), |query, word| query + "word" + &word.to_string() + " ");
    let index = index(&[Sample::says("word7 is here")]);
    let began = std::time::Instant::now();
    assert_eq!(found(&index, &query), [1]);
    assert!(began.elapsed().as_millis() < 500, "{:?}", began.elapsed());
}

#[test]
fn what_hangs_below_a_folder_is_counted_once_for_whoever_may_see_it() {
    use super::hanging::{OnCode, Tally};
    let on = |file: &str| Sample { file: Some(file.to_owned()), ..Sample::says("rounds half to even") };
    let index = index(&[
        on("src/a/x.rs"),
        Sample { stale_from: Some(NOW - 1), ..on("src/a/x.rs") },
        on("src/y.rs"),
        on("src-old/z.rs"),
        Sample { owner: Some(7), ..on("src/y.rs") },
        Sample::says("hangs on nothing"),
    ]);
    let looks = |viewer| OnCode { viewer, repo: "any", project: None, branch: None, now: NOW };
    let below = index.hung_below(&looks(Viewer::default()), "src/");
    let fresh = Tally { fresh: 1, ..Tally::default() };
    assert_eq!(
        below.children.into_iter().collect::<Vec<_>>(),
        [("src/a/".to_owned(), Tally { stale: 1, ..fresh }), ("src/y.rs".to_owned(), fresh)]
    );
    assert_eq!((below.all, below.doubted), (Tally { fresh: 2, suspect: 0, stale: 1 }, vec![memory(2)]));
    let owner = Viewer { person: Some(PersonId(Uuid::from_u128(7))), project: None };
    assert_eq!(index.hung_in(&looks(owner), "src/y.rs", None).all.fresh, 2);
    let within = index.hung_in(&looks(Viewer::default()), "src/a/x.rs", Some("main"));
    assert_eq!((within.memories, within.symbols["main"]), (vec![memory(2), memory(1)], within.all));
    assert_eq!(index.doubted(Viewer::default(), None, NOW, 10), (1, vec![memory(2)]));
    assert_eq!(index.hung_below(&looks(Viewer::default()), "none/").all, Tally::default());
}
