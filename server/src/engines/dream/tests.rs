use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn now() -> OffsetDateTime {
    time::macros::datetime!(2026-06-15 12:00 UTC)
}

fn known(n: u128, kind: Kind, content: &str) -> Known {
    let at = now() - Duration::days(10) + Duration::seconds(i64::try_from(n).unwrap());
    Known {
        id: MemoryId(Uuid::from_u128(n)),
        version: 1,
        kind,
        project: None,
        title: content.chars().take(60).collect(),
        content: content.to_owned(),
        tags: Vec::new(),
        confidence: 0.8,
        anchored: false,
        author: Uuid::from_u128(1000 + n),
        by_person: false,
        session: None,
        verified: false,
        created_at: at,
        updated_at: at,
        told: 0,
        helpful: 0,
        freshness: Freshness::Fresh,
    }
}

fn facts(contents: &[&str]) -> Vec<Known> {
    (1..).zip(contents).map(|(n, content)| known(n, Kind::Fact, content)).collect()
}

fn merges(contents: &[&str]) -> Vec<(u128, u128, Why)> {
    let found = dream(&facts(contents), &Rules::at(now()));
    let merge = |action: &Action| match action.act {
        Act::Merge { away, into } => Some((away.0.as_u128(), into.0.as_u128(), action.why)),
        _ => None,
    };
    found.iter().filter_map(merge).collect()
}

const LONG: &str =
    "The gateway retries idempotent requests three times with jitter because the upstream drops idle connections after 30 seconds";

#[test]
fn what_says_the_same_is_merged_into_the_older() {
    let shouted = LONG.to_uppercase().replace("IDEMPOTENT", "idempotent");
    let marked = format!("**Note:** {}!", LONG.replace(' ', "  "));
    let inflected = LONG.replace("retries", "retry").replace("drops", "dropped");
    assert_eq!(merges(&[LONG, &LONG.to_lowercase()]), [(2, 1, Why::SameText)]);
    assert_eq!(merges(&[LONG, &shouted]), [(2, 1, Why::SameText)]);
    assert_eq!(merges(&[LONG, &marked]), [(2, 1, Why::SameWords)]);
    assert_eq!(merges(&[LONG, &inflected]), [(2, 1, Why::SameWords)]);
}

#[test]
fn what_says_a_little_more_takes_the_place() {
    let more = LONG.replace("drops", "silently drops");
    assert_eq!(merges(&[LONG, &more]), [(1, 2, Why::SaysMore)]);
}

#[test]
fn one_sign_more_or_less_is_another_statement() {
    for other in [
        LONG.replace("three", "four"),
        LONG.replace("30", "60"),
        LONG.replace("retries", "never retries"),
        LONG.replace("upstream", "Redis upstream"),
        LONG.replace("upstream", "api_upstream"),
        LONG.replace("gateway", "GatewayProxy"),
        LONG.replace("because", "only because"),
        LONG.replace("after", "before"),
    ] {
        assert_eq!(merges(&[LONG, &other]), [], "{other}");
    }
}

#[test]
fn words_in_another_order_are_another_statement() {
    assert_eq!(merges(&["postgres replaced mysql", "mysql replaced postgres"]), []);
    let swapped = LONG.replace("gateway", "xx").replace("upstream", "gateway").replace("xx", "upstream");
    assert!(merges(&[LONG, &swapped]).iter().all(|(.., why)| *why == Why::AlmostSame));
}

#[test]
fn titles_that_say_something_count() {
    let mut two = facts(&["Agreed with the platform team.", "Agreed with the platform team."]);
    two[0].title = "Use RS256 for tokens".to_owned();
    two[1].title = "Deploy on Mondays".to_owned();
    assert_eq!(dream(&two, &Rules::at(now())), []);
}

#[test]
fn other_projects_kinds_and_what_people_kept_apart_stay() {
    let mut two = facts(&[LONG, LONG]);
    two[1].project = Some("billing".to_owned());
    assert_eq!(dream(&two, &Rules::at(now())), []);
    two[1].project = None;
    two[1].kind = Kind::Procedure;
    assert_eq!(dream(&two, &Rules::at(now())), []);
    two[1].kind = Kind::Fact;
    let kept_apart = HashSet::from([pair(two[0].id, two[1].id)]);
    assert_eq!(dream(&two, &Rules { kept_apart, ..Rules::at(now()) }), []);
}

#[test]
fn what_was_verified_told_and_written_by_people_is_kept() {
    for better in [
        |one: &mut Known| one.verified = true,
        |one: &mut Known| one.told = 5,
        |one: &mut Known| one.by_person = true,
        |one: &mut Known| one.confidence = 1.0,
    ] {
        let mut two = facts(&[LONG, LONG]);
        better(&mut two[1]);
        let into = MemoryId(Uuid::from_u128(2));
        assert!(matches!(dream(&two, &Rules::at(now()))[..], [Action { act: Act::Merge { into: kept, .. }, .. }] if kept == into));
    }
    let mut two = facts(&[LONG, LONG]);
    (two[0].told, two[0].freshness) = (9, Freshness::Stale);
    let Act::Merge { away, .. } = dream(&two, &Rules::at(now()))[0].act.clone() else { panic!("no merge") };
    assert_eq!(away, two[0].id, "a stale one does not take a fresh one's place");
}

#[test]
fn findings_of_three_runs_become_a_pattern() {
    let texts = [LONG.to_owned(), LONG.replace("drops", "dropped"), format!("Note: {LONG}")];
    let mut found: Vec<Known> = (1..).zip(&texts).map(|(n, text)| known(n, Kind::Discovery, text)).collect();
    let actions = dream(&found, &Rules::at(now()));
    assert!(matches!(&actions[0].act, Act::Promote { memory, like } if memory.0.as_u128() == 1 && like.len() == 2), "{actions:?}");
    assert_eq!(actions.len(), 1, "{actions:?}");
    let session = Some(SessionId(Uuid::from_u128(7)));
    for one in &mut found {
        one.session = session;
    }
    assert!(dream(&found, &Rules::at(now())).iter().all(|action| matches!(action.act, Act::Merge { .. })), "one run is one witness");
}

#[test]
fn what_nobody_asked_for_goes_and_nothing_else() {
    let old = now() - Duration::days(200);
    let aged = |n, kind, confidence| {
        let mut one = known(n, kind, &format!("Finding number {n} about the thing called {n}x"));
        (one.created_at, one.updated_at, one.confidence) = (old, old, confidence);
        one
    };
    let mut all: Vec<Known> = vec![
        aged(1, Kind::Discovery, 0.5),
        aged(2, Kind::Discovery, 0.9),
        aged(3, Kind::Decision, 0.0),
        aged(4, Kind::Episode, 0.8),
        aged(5, Kind::Discovery, 0.5),
        aged(6, Kind::Discovery, 0.5),
        aged(7, Kind::Discovery, 0.5),
        aged(8, Kind::Discovery, 0.5),
    ];
    all[4].told = 1;
    all[5].verified = true;
    all[6].anchored = true;
    all[7].updated_at = now() - Duration::days(5);
    let gone: Vec<u128> = dream(&all, &Rules::at(now()))
        .iter()
        .filter_map(|action| if let Act::Decay { memory } = action.act { Some(memory.0.as_u128()) } else { None })
        .collect();
    assert_eq!(gone, [1, 4]);
}

fn episode(n: u128, project: &str, at: OffsetDateTime) -> Known {
    let content = format!(
        "Goal: fix bug {n}\n\n## Edited\n- src/main.rs ({n}×)\n- src/file{n}.rs\n\n## Decisions\n- Retry {n} times\n\nRun with claude.\n"
    );
    Known { project: Some(project.to_owned()), created_at: at, updated_at: at, ..known(n, Kind::Episode, &content) }
}

#[test]
fn months_long_past_become_one_page() {
    let march = time::macros::datetime!(2026-03-03 10:00 UTC);
    let mut all: Vec<Known> = (1..=5).map(|n| episode(n, "api", march + Duration::days(i64::try_from(n).unwrap()))).collect();
    all.extend((6..=7).map(|n| Known { told: 1, ..episode(n, "web", march) }));
    all.extend((8..=12).map(|n| episode(n, "api", now() - Duration::days(20))));
    let actions = dream(&all, &Rules::at(now()));
    let [Action { act: Act::Condense { episodes, title, content, .. }, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(episodes.len(), 5);
    assert_eq!(title, "5 runs of api in March 2026");
    assert!(content.contains("- src/main.rs (in 5 runs)") && content.contains("- Retry 3 times"), "{content}");
    assert!(crate::engines::tokens::count(content) <= 800);
}

#[test]
fn a_long_month_stays_within_its_budget() {
    let march = time::macros::datetime!(2026-03-03 10:00 UTC);
    let all: Vec<Known> = (1..=150).map(|n| episode(n, "api", march)).collect();
    let actions = dream(&all, &Rules { digest_tokens: 300, ..Rules::at(now()) });
    let [Action { act: Act::Condense { content, .. }, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert!(crate::engines::tokens::count(content) <= 300, "{content}");
}

#[test]
fn contradictions_are_flagged_once() {
    let all = facts(&["The session timeout of the gateway is 30 minutes.", "The session timeout of the gateway is 60 minutes."]);
    let actions = dream(&all, &Rules::at(now()));
    assert!(matches!(actions[..], [Action { act: Act::Flag { .. }, .. }]), "{actions:?}");
    let known_conflicts = HashSet::from([pair(all[0].id, all[1].id)]);
    assert_eq!(dream(&all, &Rules { known_conflicts, ..Rules::at(now()) }), []);
}

#[test]
fn what_is_not_fresh_is_listed_the_most_told_first() {
    let mut all = facts(&["Alpha is slow at night", "Beta needs a licence to run", "Gamma was sold in spring"]);
    (all[0].freshness, all[1].freshness, all[1].told) = (Freshness::Stale, Freshness::Suspect, 4);
    let listed: Vec<_> = dream(&all, &Rules::at(now())).into_iter().map(|action| action.act).collect();
    assert_eq!(listed, [Act::Verify { memory: all[1].id }, Act::Verify { memory: all[0].id }]);
}

#[test]
fn a_text_may_not_say_what_none_of_its_sources_says() {
    let told = || [("", LONG), ("", "The limit is set in gateway.toml")].into_iter();
    assert!(!invents(told(), "Retries", "The gateway retries three times; see gateway.toml."));
    assert!(invents(told(), "Retries", "The gateway retries five times"));
    assert!(invents(told(), "Retries", "The gateway never retries"));
    assert!(invents(told(), "Retries", "The limit is set in other.toml"));
}

/// The workspace as it is when everything was done that was said.
fn followed(mut all: Vec<Known>, actions: &[Action], rules: &mut Rules) -> Vec<Known> {
    for action in actions {
        match &action.act {
            Act::Merge { away: gone, .. } | Act::Decay { memory: gone } => all.retain(|one| one.id != *gone),
            Act::Promote { memory, like } => {
                all.retain(|one| !like.contains(&one.id));
                all.iter_mut().filter(|one| one.id == *memory).for_each(|one| one.kind = Kind::Pattern);
            }
            Act::Condense { episodes, project, title, content } => {
                all.retain(|one| !episodes.contains(&one.id));
                let n = 1_000_000 + all.len() as u128;
                let mut made = known(n, Kind::Episode, content);
                (made.title, made.project, made.tags) = (title.clone(), project.clone(), vec![DIGEST.to_owned()]);
                (made.created_at, made.updated_at) = (rules.now, rules.now);
                all.push(made);
            }
            Act::Flag { old, new, .. } => {
                rules.known_conflicts.insert(pair(*old, *new));
            }
            Act::Verify { .. } => {}
        }
    }
    all
}

fn any_memory() -> impl Strategy<Value = Known> {
    const WORDS: [&str; 24] = [
        "gateway",
        "retries",
        "requests",
        "timeout",
        "Redis",
        "cache",
        "queue",
        "never",
        "30",
        "60",
        "deploy",
        "billing",
        "is",
        "the",
        "not",
        "on",
        "uses",
        "postgres",
        "mysql",
        "worker",
        "src/main.rs",
        "three",
        "slow",
        "fast",
    ];
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 1..14);
    let kind = prop::sample::select(Kind::ALL);
    (words, kind, 0..3_u8, 0..400_i64, 0..3_u32, 0..10_u8, 0..5_u128).prop_map(|(words, kind, project, age, told, sure, author)| {
        let at = now() - Duration::days(age);
        Known {
            project: [None, Some("api".to_owned()), Some("web".to_owned())][usize::from(project)].clone(),
            created_at: at,
            updated_at: at,
            told: told / 2,
            confidence: f32::from(sure) / 10.0,
            author: Uuid::from_u128(author),
            ..known(1, kind, &words.join(" "))
        }
    })
}

fn numbered(mut all: Vec<Known>) -> Vec<Known> {
    for (n, one) in (1..).zip(&mut all) {
        one.id = MemoryId(Uuid::from_u128(n));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_order_does_not_matter(all in prop::collection::vec(any_memory(), 0..40), seed in any::<u64>()) {
        let all = numbered(all);
        let mut other = all.clone();
        other.sort_by_key(|one| one.id.0.as_u128().wrapping_mul(u128::from(seed) | 1));
        prop_assert_eq!(dream(&all, &Rules::at(now())), dream(&other, &Rules::at(now())));
    }

    #[test]
    fn nothing_is_left_to_do_afterwards(all in prop::collection::vec(any_memory(), 0..40)) {
        let all = numbered(all);
        let mut rules = Rules::at(now());
        let actions = dream(&all, &rules);
        let after = followed(all, &actions, &mut rules);
        let again: Vec<Action> = dream(&after, &rules).into_iter().filter(|action| !matches!(action.act, Act::Verify { .. })).collect();
        prop_assert_eq!(again, vec![]);
    }

    #[test]
    fn each_memory_is_put_away_at_most_once_and_for_one_that_stays(all in prop::collection::vec(any_memory(), 0..60)) {
        let all = numbered(all);
        let actions = dream(&all, &Rules::at(now()));
        let (mut gone, mut kept) = (BTreeSet::new(), BTreeMap::new());
        for action in &actions {
            let away = match &action.act {
                Act::Merge { away, into } => {
                    kept.insert(*away, *into);
                    vec![*away]
                }
                Act::Decay { memory } => vec![*memory],
                Act::Condense { episodes: gone, .. } | Act::Promote { like: gone, .. } => gone.clone(),
                _ => Vec::new(),
            };
            for one in away {
                prop_assert!(gone.insert(one), "{one} goes twice");
            }
        }
        prop_assert!(kept.values().all(|into| !gone.contains(into)), "one goes that others were put aside for");
    }
}

#[test]
fn many_that_differ_by_a_number_stay_apart() {
    let all: Vec<Known> = (1..=400).map(|n| known(n, Kind::Fact, &format!("Upstream {n}: {LONG}"))).collect();
    let actions = dream(&all, &Rules::at(now()));
    assert!(actions.iter().all(|action| matches!(action.act, Act::Flag { .. })));
}
