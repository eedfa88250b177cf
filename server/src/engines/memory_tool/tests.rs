use super::*;
use crate::model::text::MemoryPath;

fn at(path: &str) -> Place {
    Place::At(MemoryPath::parse(path).unwrap())
}

#[test]
fn a_path_is_below_memories_however_it_is_written() {
    for (sent, means) in [
        ("/memories/a.md", at("/a.md")),
        ("/memories//a//b.md", at("/a/b.md")),
        ("/memories/./a/", at("/a")),
        ("/memories/100%.md", at("/100%.md")),
        ("/memories/…", at("/…")),
    ] {
        assert_eq!(place(sent), Ok(means), "{sent}");
    }
    for root in ["/memories", "/memories/", "/memories//", "/memories/."] {
        assert_eq!(place(root), Ok(Place::Root), "{root}");
    }
}

#[test]
fn a_path_that_would_leave_or_deceive_is_refused() {
    for sent in [
        "",
        "/",
        "memories/a",
        "/etc/passwd",
        "/memoriesX",
        "/memoriesX/a",
        "/memories-old/a",
        "/Memories/a",
        "/memories/..",
        "/memories/../etc/passwd",
        "/memories/a/../b",
        "/memories/%2e%2e/a",
        "/memories/%2E%2e%2Fa",
        "/memories/a%00",
        "/memories/..\\a",
        "/memories\\a",
        "\\memories\\a",
        "C:\\memories",
        "/memories/a\u{0}b",
        "/memories/a\nb",
        "/memories/\u{202e}a",
        "/memories/\u{200b}",
        "/memories/cafe\u{301}",
        " /memories/a",
        "/memories\u{2215}a",
        "/\u{217f}emories/a",
    ] {
        assert!(place(sent).is_err(), "{sent:?}");
    }
    assert!(place(&format!("/memories/{}", "x".repeat(256))).is_err());
    assert!(place(&format!("/memories{}", "/x".repeat(21))).is_err());
    assert!(place(&format!("/memories{}", "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".repeat(19))).is_err());
}

#[test]
fn one_place_is_replaced_and_shown() {
    let edit = replace("/memories/a", "one\ntwo\nthree\nfour\nfive\nsix\n", "four", "4\n4½").unwrap();
    assert_eq!(edit.text, "one\ntwo\nthree\n4\n4½\nfive\nsix\n");
    assert_eq!(
        replaced(&edit.text, edit.line),
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     2\ttwo\n     3\tthree\n     4\t4\n     5\t4½\n     6\tfive"
    );
    assert_eq!(replace("/memories/a", "", "", "new").unwrap().text, "new");
    assert_eq!(replace("/memories/a", "gone", "gone", "").unwrap().text, "");
}

#[test]
fn what_is_not_there_or_there_twice_is_not_replaced() {
    let Refused(missing) = replace("/memories/a", "one", "two", "").unwrap_err();
    assert_eq!(missing, "No replacement was performed, old_str `two` did not appear verbatim in /memories/a.");
    let Refused(twice) = replace("/memories/a", "x\nx x\ny", "x", "z").unwrap_err();
    assert_eq!(twice, "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 2, 2. Please ensure it is unique");
    assert!(replace("/memories/a", "ab", "", "x").is_err());
    // Two that overlap are one place to the tool.
    assert_eq!(replace("/memories/a", "aaa", "aa", "b").unwrap().text, "ba");
}

#[test]
fn a_line_is_inserted_where_it_is_said() {
    let insert = |text: &str, line, more: &str| super::insert(text, line, more).map(|edit| edit.text);
    assert_eq!(insert("one\ntwo\n", 0, "zero\n").unwrap(), "zero\none\ntwo\n");
    assert_eq!(insert("one\ntwo", 2, "three").unwrap(), "one\ntwo\nthree\n");
    assert_eq!(insert("", 0, "first\n\n").unwrap(), "first\n");
    assert_eq!(insert("one\r\ntwo", 1, "x").unwrap(), "one\r\nx\ntwo\n");
    for line in [-1, 3, i64::MAX, i64::MIN] {
        let Refused(said) = insert("one\ntwo\n", line, "x").unwrap_err();
        let expected =
            format!("Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, 2]");
        assert_eq!(said, expected);
    }
}

#[test]
fn lines_are_numbered_and_ranges_are_as_asked() {
    let shown = |range| text("/memories/a", "one\ntwo\nthree\n", range).unwrap();
    let all = "Here's the content of /memories/a with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree\n     4\t";
    assert_eq!(shown(None), all);
    assert_eq!(shown(Some([1, -1])), all);
    assert_eq!(shown(Some([-5, 99])), all);
    assert!(shown(Some([2, 2])).ends_with(":\n     2\ttwo"));
    assert!(shown(Some([1, -3])).ends_with(":\n     1\tone"));
    assert!(shown(Some([3, 1])).ends_with("numbers:\n") && shown(Some([i64::MAX, i64::MIN])).ends_with("numbers:\n"));
}

#[test]
fn long_texts_are_cut_with_a_hint() {
    let long = "ä".repeat(20_000);
    let shown = text("/memories/a", &long, None).unwrap();
    assert!(shown.ends_with("[cut here: 4007 more characters; use view_range to read the rest]"), "{}", &shown[shown.len() - 90..]);
    assert!(text("/memories/a", &"\n".repeat(999_999), None).is_err());
}

#[test]
fn a_folder_shows_two_levels_with_sizes() {
    let entries = [
        entry(".git", Some("config"), false, 9),
        entry("a.md", None, false, 0),
        entry("deep", Some("deeper"), true, 1536),
        entry("deep", Some("x.md"), false, 512),
        entry("node_modules", Some("x"), false, 9),
        entry("z", Some(".hidden"), false, 9),
        entry("z", Some("y.md"), false, 5632),
    ];
    let expected = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n7.5K\t/memories\n0B\t/memories/a.md\n2K\t/memories/deep/\n1.5K\t/memories/deep/deeper/\n512B\t/memories/deep/x.md\n5.5K\t/memories/z/\n5.5K\t/memories/z/y.md";
    assert_eq!(folder("/memories", &entries), expected);
    assert!(folder("/memories", &[]).ends_with("\n0B\t/memories"));
}

fn entry(name: &str, below: Option<&str>, folder: bool, bytes: u64) -> Entry {
    Entry { name: name.to_owned(), below: below.map(str::to_owned), folder, bytes }
}

#[test]
fn a_folder_is_not_hidden_behind_what_lies_in_another() {
    let long: Vec<String> = (0..900).map(|n| format!("note-{n:04}.md")).collect();
    let mut entries: Vec<Entry> = long.iter().map(|name| entry("first", Some(name), false, 10)).collect();
    entries.push(entry("last", Some("one.md"), false, 7));
    entries.push(entry("top.md", None, false, 3));
    let shown = folder("/memories", &entries);
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(lines[..4], ["8.8K\t/memories", "8.8K\t/memories/first/", "7B\t/memories/last/", "3B\t/memories/top.md"]);
    assert!(lines.len() == 5 && lines[4].contains("view one of the directories"), "{shown}");
    // The same when only the first level could be read.
    let flat = [entry("first", None, true, 9000), entry("last", None, true, 7), entry("top.md", None, false, 3)];
    let again = folder("/memories", &flat);
    assert_eq!(again.lines().skip(1).collect::<Vec<_>>()[1..], lines[1..]);
}
