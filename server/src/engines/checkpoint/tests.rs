//! Texts as sessions write them, and what they are sorted into.

use super::*;
use crate::model::sessions::{Item, Line};
use proptest::prelude::*;
use std::{fmt::Write, time::Instant};

macro_rules! samples {
    ($($test:ident: $file:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            let sorted = shown(&route(include_str!(concat!("samples/", $file, ".md"))));
            assert_eq!(sorted, include_str!(concat!("samples/", $file, ".sorted")), "\n{sorted}");
        })+
    };
}

samples! {
    marks_at_the_start_of_lines: "marks",
    bullets_inherit_their_heading: "headings",
    check_boxes_say_how_far: "boxes",
    a_summary_written_at_compaction: "compaction",
    the_active_context_of_a_memory_bank: "active-context",
    the_progress_file_of_a_memory_bank: "progress-file",
    prose_is_sorted_by_its_words: "prose",
    notes_for_agents: "agents-notes",
    a_handoff_between_shifts: "handoff",
    marks_in_german: "german",
    sentences_that_lead_into_lists: "lead-ins",
    terse_lines_in_any_case: "terse",
    decisions_as_headings_with_their_reasons: "adr",
}

/// One entry a line: where it was put, the line it came from, its title in brackets, its text, its note behind a bar.
fn shown(checkpoint: &Checkpoint) -> String {
    let mut shown = String::new();
    let mut line = |drawer: &str, line: &Line| {
        let title = line.title.as_ref().map_or(String::new(), |title| format!(" [{title}]"));
        writeln!(shown, "{drawer} {}{title}: {}", line.line.unwrap(), line.text.replace('\n', "⏎")).unwrap();
    };
    checkpoint.decisions.iter().for_each(|entry| line("decision", entry));
    checkpoint.discoveries.iter().for_each(|entry| line("discovery", entry));
    checkpoint.next_step.iter().for_each(|entry| line("next", entry));
    for Item { item, status, note, line, .. } in &checkpoint.progress {
        let note = note.as_ref().map_or(String::new(), |note| format!(" | {}", note.replace('\n', "⏎")));
        writeln!(shown, "{} {}: {item}{note}", status.word(), line.unwrap()).unwrap();
    }
    shown
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    for text in [include_str!("samples/compaction.md"), include_str!("samples/headings.md"), include_str!("samples/terse.md")] {
        assert_eq!(route(&text.replace('\n', "\r\n")), route(text));
    }
}

#[test]
fn what_is_said_twice_is_kept_once_and_as_far_as_it_came() {
    let checkpoint = route("DECIDED: a b c\n- [ ] one\n- [x] two\n\nDECIDED: a b c\n## Done\n- one\n## Todo\n- two\n");
    assert_eq!(shown(&checkpoint), "decision 1: a b c\ncompleted 2: one\ncompleted 3: two\n");
}

#[test]
fn what_says_nothing_is_left_out() {
    for text in [
        "",
        "\n\n",
        "ok",
        "Thanks!",
        "Hello there, how are you?",
        "# Title",
        "```\nfn main() {}\n```",
        "see below",
        "## Pending\n- none\n",
        "| a | b |",
    ] {
        assert_eq!(route(text), Checkpoint::default(), "{text:?}");
    }
}

#[test]
fn the_first_next_step_is_the_step_and_the_others_wait() {
    let checkpoint = route("NEXT: a\nNEXT: b\n## Next steps\n- [x] c\n- [ ] d\n");
    assert_eq!(shown(&checkpoint), "next 1: a\npending 2: b\ncompleted 4: c\npending 5: d\n");
}

#[test]
fn too_much_is_left_out_and_said() {
    let many = (0..700).map(|n| format!("- [ ] item {n}")).collect::<Vec<_>>().join("\n");
    let routed = sort(&many);
    assert_eq!((routed.checkpoint.progress.len(), routed.left_out, routed.shortened), (500, 200, 0));
    let long = sort(&format!("DECIDED: {}", "é".repeat(20_000)));
    assert_eq!((long.checkpoint.decisions[0].text.len(), long.left_out, long.shortened), (8192, 0, 1));
}

#[test]
fn a_fence_keeps_what_is_in_it_from_being_read() {
    let checkpoint = route("DECIDED: run it so:\n```\nTODO: not an item\n## Done\n- neither\n```\nFOUND: the fence has an end\n");
    assert_eq!(texts(&checkpoint.decisions), ["run it so:\n```\nTODO: not an item\n## Done\n- neither\n```"]);
    assert_eq!(texts(&checkpoint.discoveries), ["the fence has an end"]);
    assert!(checkpoint.progress.is_empty());
}

/// Hostile texts of half a megabyte; a debug build reads each within seconds, so a quadratic step would show.
#[test]
fn hostile_texts_take_linear_time() {
    let large = |piece: &str| piece.repeat(500_000 / piece.len());
    let deep = (0..1400).map(|depth| format!("{}- x{depth} is deep", " ".repeat(depth))).collect::<Vec<_>>().join("\n");
    let pieces = [
        "a",
        "\n",
        "- x\n",
        "- we decided to use it\n",
        ">",
        "> ",
        "#",
        "# a\n",
        "**",
        "`",
        "```\n",
        "[",
        "[x] ",
        "a. B ",
        "NEVER ",
        "TODO:",
        "| a ",
        "é",
        "\u{0}",
        "1. Next:\n",
    ];
    for text in pieces.into_iter().map(large).chain([deep]) {
        let begun = Instant::now();
        let routed = sort(&text);
        assert!(routed.checkpoint.progress.len() <= 500);
        assert!(begun.elapsed().as_secs() < 4, "{:?} took {:?}", &text[..text.floor_char_boundary(20)], begun.elapsed());
    }
}

proptest! {
    #[test]
    fn any_text_is_sorted_without_a_word_that_is_not_in_it(text in hostile()) {
        let routed = sort(&text);
        prop_assert_eq!(&routed, &sort(&text));
        let lines = text.split('\n').count();
        let checkpoint = &routed.checkpoint;
        for line in checkpoint.decisions.iter().chain(&checkpoint.discoveries).chain(&checkpoint.next_step) {
            prop_assert!(line.line.is_some_and(|line| line >= 1 && line as usize <= lines));
            prop_assert!(!line.text.is_empty());
            for word in line.text.split_whitespace() {
                prop_assert!(text.contains(word), "{} is not in {:?}", word, text);
            }
        }
        for item in &checkpoint.progress {
            prop_assert!(item.line.is_some_and(|line| line >= 1 && line as usize <= lines));
            for word in item.item.split_whitespace() {
                prop_assert!(text.contains(word), "{} is not in {:?}", word, text);
            }
        }
    }
}

/// Lines made of what the engine looks for, in any order, between anything at all.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        proptest::sample::select(vec![
            "- ",
            "* ",
            "1. ",
            "  ",
            "\t",
            "[x] ",
            "[ ] ",
            "[~]",
            "**",
            "__",
            "`",
            "```",
            "~~~",
            "# ",
            "## ",
            "### ",
            "> ",
            "|",
            "---",
            "===",
            ":",
            ": ",
            "- ",
            " – ",
            "DECIDED",
            "NEXT",
            "TODO: ",
            "NEVER ",
            "do not ",
            "Decisions",
            "Next steps:",
            "Completed",
            "we decided to ",
            "turned out ",
            ". ",
            "? ",
            "(done)",
            "✅",
            "<!--",
            "-->",
            "<summary>",
            "\r",
            "\n",
            "\n",
            "\n\n",
            "\u{feff}",
            "ẞ",
            "İ",
            "’",
            "none",
        ])
        .prop_map(str::to_owned),
        "[a-z ]{0,12}",
        any::<String>(),
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}
