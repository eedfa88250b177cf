use super::{Sought, bars_of_event, bars_of_line, spelled_out};
use crate::model::{
    clock,
    sessions::{Event, EventType},
};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn a_person_is_found_by_any_name_whole_and_in_any_case() {
    let ada = Sought::any_of(["Ada Lovelace", "ada@example.org", "customer-4711"]);
    for text in
        ["ADA\n  LOVELACE called", "write to ada@example.org.", "<Ada@Example.org>", "see customer-4711, again", "ada lovelace's house"]
    {
        assert!(ada.is_in(text), "{text}");
    }
    for text in ["Canada Lovelaces", "john.ada@example.org", "ada@example.org.uk", "ada@example.organic", "customer-47110", "Ada", ""] {
        assert!(!ada.is_in(text), "{text}");
    }
}

#[test]
fn accents_are_found_however_they_are_composed() {
    let person = Sought::any_of(["J\u{fc}rgen Stra\u{df}e"]);
    assert!(person.is_in("J\u{75}\u{308}rgen  STRA\u{df}E") && person.is_in("j\u{fc}rgen stra\u{df}e"));
    assert_eq!(person.sieve(), ["stra"]);
    assert_eq!(Sought::any_of(["Анна"]).sieve(), [""]);
}

#[test]
fn words_are_all_asked_for() {
    let words = Sought::words("  blue   Falcon ");
    assert!(words.is_in("the falcon, which is BLUE") && !words.is_in("a blue falconer") && !words.is_in("falcon"));
    assert_eq!(words.sieve(), ["falcon"]);
    assert!(Sought::words(" \n").is_empty());
}

#[test]
fn nothing_is_in_nothing() {
    assert!(!Sought::default().is_in("anything"));
    assert!(Sought::any_of(["", "  "]).is_empty());
}

#[test]
fn a_quick_look_at_many_names_passes_only_what_may_have_one() {
    let names: Vec<String> = (0..300).map(|n| format!("Person number{n:03} of the house")).collect();
    let all = Sought::any_of(names.iter().map(String::as_str));
    assert!(all.may_be_in("so said NUMBER217 yesterday") && all.is_in("person number217\nof the house"));
    assert!(!all.may_be_in("so said nobody"));
    assert_eq!(Sought::any_of(["ada@example.org", "Ada@Example.org"]).sieve(), ["ada@example.org"]);
}

#[test]
fn a_value_is_read_to_its_leaves() {
    let value = json!({"file": "a.rs", "edits": [{"old": "Ada\nLovelace", "n": 3}]});
    assert!(Sought::any_of(["ada lovelace"]).is_in(&spelled_out(&value)));
    assert!(Sought::words("edits 3").is_in(&spelled_out(&value)));
}

#[test]
fn what_everybody_says_is_not_barred() {
    assert_eq!(bars_of_line("yes, go on"), None);
    let mut event = Event {
        seq: 1,
        id: "e1".to_owned(),
        kind: EventType::Command,
        at: clock::now(),
        text: None,
        tool: None,
        input: None,
        output: Some("ok".to_owned()),
        path: None,
        command: Some("cargo test".to_owned()),
        exit_code: Some(0),
        cut: None,
    };
    let first = bars_of_event(&event);
    assert_eq!(first.len(), 1);
    event.id = "e2".to_owned();
    assert!(bars_of_event(&event).iter().all(|bar| !first.contains(bar)));
    event.text = Some("her number is 0123 456 789, she said".to_owned());
    assert_eq!(bars_of_event(&event).len(), 2);
}

proptest! {
    /// The first sieve lets everything through that the second look would keep.
    #[test]
    fn the_sieve_loses_nothing(name in "[A-Za-zäöüß@. -]{1,20}", before in "\\PC{0,10}", after in "\\PC{0,10}") {
        let sought = Sought::any_of([name.as_str()]);
        let text = format!("{before} {} {after}", name.to_uppercase());
        if sought.is_in(&text) {
            let ascii = text.to_ascii_lowercase();
            prop_assert!(sought.sieve().iter().any(|piece| ascii.contains(piece.as_str())), "{sought:?} in {text:?}");
            prop_assert!(sought.may_be_in(&text), "{sought:?} in {text:?}");
            prop_assert!(sought.may_be_in(&json!({"said": text}).to_string()), "{sought:?} in {text:?}, quoted");
        }
    }
}
