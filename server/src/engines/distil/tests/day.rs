//! A long day, made from a seed: much noise, a few things worth knowing.

use super::*;
use proptest::prelude::*;
use std::{collections::HashSet, time::Instant};

const EVENTS: usize = 10_000;

/// A small generator of numbers, so that a day is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn event(index: usize, kind: EventType) -> Event {
    let at = OffsetDateTime::from_unix_timestamp(1_790_000_000 + i64::try_from(index).unwrap() * 3).unwrap();
    let seq = i64::try_from(index + 1).unwrap();
    Event {
        seq,
        id: format!("e{index}"),
        kind,
        at,
        text: None,
        tool: None,
        input: None,
        output: None,
        path: None,
        command: None,
        exit_code: None,
        cut: None,
    }
}

fn day(seed: u64) -> Vec<Event> {
    let mut dice = Dice(seed);
    let mut broken = false;
    let prompts = [
        "go on",
        "looks good, next",
        "why is it slow?",
        "don't worry about the docs",
        "Always run `make check` before you push",
        "add a test for the empty case",
    ];
    let commands = [
        "cargo test -p api",
        "cargo build",
        "git status",
        "rg -n fold src",
        "cargo clippy --all-targets",
        "ls src",
        "make check",
        "npm run lint",
    ];
    let failure =
        "running 9 tests\nthread 'a' panicked at src/a.rs:7:5:\nthe ledger does not balance\ntest result: FAILED. 8 passed; 1 failed\n";
    (0..EVENTS)
        .map(|index| match dice.roll(20) {
            0 => Event { text: Some(prompts[dice.roll(prompts.len())].to_owned()), ..event(index, EventType::Prompt) },
            1..=7 => {
                Event { path: Some(format!("/srv/api/src/m{}/f{}.rs", dice.roll(12), dice.roll(30))), ..event(index, EventType::FileRead) }
            }
            8..=11 => {
                Event { path: Some(format!("/srv/api/src/m{}/f{}.rs", dice.roll(4), dice.roll(9))), ..event(index, EventType::FileEdit) }
            }
            12..=13 => Event {
                input: Some(serde_json::json!({ "pattern": format!("name_{}", dice.roll(60)) })),
                ..event(index, EventType::Search)
            },
            14 => Event { text: Some("I will look at it.".to_owned()), ..event(index, EventType::Message) },
            _ => {
                let command = commands[dice.roll(commands.len())];
                broken = command.starts_with("cargo test") && !broken;
                let (code, output) = if broken { (101, failure) } else { (0, "test result: ok. 9 passed; 0 failed\n") };
                Event {
                    command: Some(command.to_owned()),
                    exit_code: Some(code),
                    output: Some(output.to_owned()),
                    ..event(index, EventType::Command)
                }
            }
        })
        .collect()
}

#[test]
fn a_day_of_ten_thousand_events_leaves_a_handful() {
    let events = day(7);
    let begun = Instant::now();
    let distilled = distil(&run(&events, "/srv/api"));
    let took = begun.elapsed();
    println!("{EVENTS} events in {took:?}: {:?}", keys(&distilled));
    assert!(took.as_secs_f32() < 2.0, "took {took:?}");
    assert!((3..=8).contains(&distilled.findings.len()), "{:?}", keys(&distilled));
    assert!(keys(&distilled).contains(&"fix:cargo test:the ledger does not balance"), "{:?}", keys(&distilled));
    assert!(keys(&distilled).contains(&"correction:always run make check before push"), "{:?}", keys(&distilled));
    assert!(distilled.pairs.len() <= 200);
    assert!(content(&distilled).len() <= 4096 && content(&distilled).contains(" more\n"));
    assert_eq!(distilled, distil(&run(&events, "/srv/api")), "the same day replayed is the same");
}

#[test]
fn another_day_finds_the_same_under_the_same_keys() {
    let (monday, tuesday) = (day(1), day(2));
    let (a, b) = (distil(&run(&monday, "/srv/api")), distil(&run(&tuesday, "/srv/api")));
    let known: HashSet<&str> = keys(&a).into_iter().collect();
    let again = keys(&b).into_iter().filter(|key| known.contains(key)).count();
    assert!(again >= 4, "{:?}\n{:?}", keys(&a), keys(&b));
}

/// Huge texts are cut before they are read.
#[test]
fn a_run_of_huge_texts_stays_quick_and_small() {
    let huge = "never say error: x && cargo test; ".repeat(30_000);
    let fill = |(index, kind): (usize, EventType)| Event {
        text: Some(huge.clone()),
        command: Some(huge.clone()),
        output: Some(huge.clone()),
        path: Some(huge.clone()),
        exit_code: Some(i32::from(index % 2 == 0)),
        ..event(index, kind)
    };
    let events: Vec<Event> = EventType::ALL.iter().copied().cycle().take(60).enumerate().map(fill).collect();
    let begun = Instant::now();
    let distilled = distil(&run(&events, "/"));
    assert!(begun.elapsed().as_secs_f32() < 2.0, "took {:?}", begun.elapsed());
    assert!(content(&distilled).len() <= 4096);
    assert!(
        distilled.findings.iter().all(|finding| finding.key.len() < 1000 && finding.title.len() < 1000 && finding.content.len() < 4096)
    );
}

/// Ten thousand different commands that fail and then pass, and as many prompts: no step may look at all others.
#[test]
fn a_hostile_day_takes_linear_time() {
    let events: Vec<Event> = (0..EVENTS)
        .map(|index| match index % 4 {
            0 => Event { text: Some("never do this again, and always do that. ".repeat(20)), ..event(index, EventType::Prompt) },
            1 => Event { path: Some(format!("f{index}.rs")), ..event(index, EventType::FileEdit) },
            _ => {
                let command = Some(format!("make test-{}", index % (EVENTS / 2)));
                Event {
                    command,
                    output: Some("error: no".to_owned()),
                    exit_code: Some(i32::from(index < EVENTS / 2)),
                    ..event(index, EventType::Command)
                }
            }
        })
        .collect();
    let begun = Instant::now();
    let distilled = distil(&run(&events, "/"));
    assert!(begun.elapsed().as_secs() < 5, "took {:?}", begun.elapsed());
    println!("a hostile day in {:?}", begun.elapsed());
    assert!(distilled.findings.len() <= 8);
}

proptest! {
    #[test]
    fn no_log_breaks_it(parts in proptest::collection::vec(any_part(), 0..40)) {
        let events: Vec<Event> = parts
            .into_iter()
            .enumerate()
            .map(|(index, (kind, one, two, exit_code))| Event {
                text: Some(one.clone()),
                tool: Some(["Bash", "Read", "Edit", "Grep", "Other"][index % 5].to_owned()),
                input: Some(serde_json::json!({ "command": two, "pattern": one, "file_path": two })),
                output: Some(two.clone()),
                path: (index % 3 == 0).then(|| one.clone()),
                command: (index % 4 != 0).then_some(one),
                exit_code,
                ..event(index, EventType::ALL[kind])
            })
            .collect();
        let distilled = distil(&run(&events, "/work"));
        prop_assert_eq!(&distilled, &distil(&run(&events, "/work")));
        prop_assert!(distilled.findings.len() <= 8);
        let ids: HashSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
        let unique: HashSet<&str> = keys(&distilled).into_iter().collect();
        prop_assert_eq!(unique.len(), distilled.findings.len());
        for finding in &distilled.findings {
            prop_assert!((0.0..=1.0).contains(&finding.weight));
            prop_assert!(!finding.evidence.is_empty() && finding.evidence.iter().all(|id| ids.contains(id.as_str())));
        }
        prop_assert!(distilled.episode.is_none_or(|episode| episode.content.len() <= 4096));
    }
}

fn any_part() -> impl Strategy<Value = (usize, String, String, Option<i32>)> {
    (0..EventType::ALL.len(), any_text(), any_text(), proptest::option::of(-1..3_i32))
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "cargo test",
            "cargo test x",
            "make test",
            "npm run build && npm test",
            "src/a.rs",
            "src/b.rs",
            "/srv/src/c.rs",
            "error: no",
            "panicked at a:\n",
            "never use x y",
            "no, use y here",
            "a='b c' \"d",
            "x | y || z; (w) > f 2>&1 <<E",
            "timeout 5",
            "\\",
            "docker compose run",
            "uv run",
            "--",
            "é\u{1b}[",
            "error[E",
            "TypeError: ü",
            "always run the tests",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}
