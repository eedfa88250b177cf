//! Install and uninstall: there and back to the byte, or only ours.

use crate::home::{Home, err, out};
use std::{fs, path::PathBuf};

const TOOLS: [(&str, &str, &str); 5] = [
    ("claude-code", ".claude/settings.json", "CLAUDE.md"),
    ("codex", ".codex/hooks.json", "AGENTS.md"),
    ("cursor", ".cursor/hooks.json", "AGENTS.md"),
    ("windsurf", ".windsurf/hooks.json", "AGENTS.md"),
    ("gemini", ".gemini/settings.json", "GEMINI.md"),
];

/// Unusual on purpose: four spaces, a comment, an inline list, no newline at the end.
fn existing(tool: &str) -> String {
    let other = match tool {
        "cursor" => r#""beforeSubmitPrompt": [{ "command": "./mine.sh" }]"#,
        "windsurf" => r#""post_run_command": [{ "command": "./mine.sh" }]"#,
        "gemini" => r#""AfterTool": [{ "hooks": [{ "type": "command", "command": "./mine.sh" }] }]"#,
        _ => r#""PostToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }]"#,
    };
    format!("{{\n    \"zeta\": [1, 2],\n    // mine\n    \"hooks\": {{\n        {other}\n    }},\n    \"alpha\": true\n}}")
}

fn repository() -> Home {
    let home = Home::new();
    fs::create_dir(home.path().join(".git")).expect("a repository");
    home
}

fn done(home: &Home, arguments: &[&str]) -> String {
    let ended = home.run(arguments);
    assert!(ended.status.success(), "{arguments:?}: {}", err(&ended));
    out(&ended)
}

#[test]
fn into_nothing_and_out_again_leaves_nothing() {
    for (tool, settings, protocol) in TOOLS {
        let home = repository();
        done(&home, &["install", tool, "--project", "--yes"]);
        let text = fs::read_to_string(home.path().join(settings)).expect("settings");
        assert!(text.contains(&format!("cairn hook {tool}")) && text.ends_with("}\n"), "{text}");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
        assert!(fs::read_to_string(home.path().join(protocol)).expect("the block").contains("cairn checkpoint"));
        done(&home, &["uninstall", tool, "--project", "--yes"]);
        assert!(!home.path().join(settings).exists() && !home.path().join(protocol).exists(), "{tool}");
    }
}

#[test]
fn what_was_there_comes_back_to_the_byte() {
    for (tool, settings, protocol) in TOOLS {
        let home = repository();
        let (settings, protocol) = (home.path().join(settings), home.path().join(protocol));
        fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
        fs::write(&settings, existing(tool)).expect("settings");
        fs::write(&protocol, "# Rules\r\n\r\nBe kind.").expect("rules");
        let shown = done(&home, &["install", tool, "--project", "--yes"]);
        assert!(shown.contains("+++ ") && shown.contains("@@"), "a diff: {shown}");
        let text = fs::read_to_string(&settings).expect("settings");
        assert!(text.contains("// mine") && text.contains("[1, 2]") && text.contains("./mine.sh"), "{text}");
        let again = done(&home, &["install", tool, "--project", "--yes"]);
        assert!(again.contains("Nothing to do"), "{again}");
        assert_eq!(fs::read_to_string(&settings).expect("settings"), text);
        done(&home, &["uninstall", tool, "--project", "--yes"]);
        assert_eq!(fs::read_to_string(&settings).expect("settings"), existing(tool), "{tool}");
        assert_eq!(fs::read_to_string(&protocol).expect("rules"), "# Rules\r\n\r\nBe kind.");
    }
}

#[test]
fn from_what_was_edited_since_only_ours_goes() {
    for (tool, settings, protocol) in TOOLS {
        let home = repository();
        let (settings, protocol) = (home.path().join(settings), home.path().join(protocol));
        fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
        fs::write(&settings, existing(tool)).expect("settings");
        fs::write(&protocol, "# Rules\n").expect("rules");
        done(&home, &["install", tool, "--project", "--yes"]);
        let edited = fs::read_to_string(&settings).expect("settings").replace("\"alpha\": true", "\"alpha\": false");
        fs::write(&settings, edited).expect("settings");
        let longer = fs::read_to_string(&protocol).expect("rules") + "\n# More\n";
        fs::write(&protocol, longer).expect("rules");
        done(&home, &["uninstall", tool, "--project", "--yes"]);
        let left = fs::read_to_string(&settings).expect("settings");
        assert!(
            !left.contains("cairn") && left.contains("./mine.sh") && left.contains("\"alpha\": false") && left.contains("// mine"),
            "{left}"
        );
        assert_eq!(fs::read_to_string(&protocol).expect("rules"), "# Rules\n\n# More\n");
    }
}

#[test]
fn in_a_persons_own_settings_the_program_is_named_in_full() {
    let home = Home::new();
    done(&home, &["install", "claude-code", "--yes"]);
    let text = fs::read_to_string(home.path().join(".claude/settings.json")).expect("settings");
    assert!(text.contains(&format!("{} hook claude-code", env!("CARGO_BIN_EXE_cairn"))), "{text}");
    let report = out(&home.run(&["status", "--json"]));
    assert!(report.contains("\"tool\":\"claude-code\""), "{report}");
    done(&home, &["uninstall", "claude-code", "--yes"]);
    assert!(!home.path().join(".claude").exists());
}

#[test]
fn a_dry_run_and_a_missing_yes_write_nothing() {
    let home = repository();
    let shown = done(&home, &["install", "codex", "--project", "--dry-run"]);
    assert!(shown.contains("+++ "), "{shown}");
    let ended = home.run(&["install", "codex", "--project"]);
    assert_eq!(ended.status.code(), Some(2), "nobody to ask");
    assert!(!home.path().join(".codex").exists() && !home.path().join("AGENTS.md").exists());
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let home = repository();
    let settings = home.path().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    for broken in ["{\"hooks\": ", "[1]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}"] {
        fs::write(&settings, broken).expect("settings");
        let ended = home.run(&["install", "claude-code", "--project", "--yes"]);
        assert_eq!(ended.status.code(), Some(1), "{broken}");
        assert!(err(&ended).contains("Nothing was changed"), "{}", err(&ended));
        assert_eq!(fs::read_to_string(&settings).expect("settings"), broken);
    }
}

#[test]
fn a_file_that_two_tools_read_keeps_the_block_until_both_are_gone() {
    let home = repository();
    let rules: PathBuf = home.path().join("AGENTS.md");
    fs::write(&rules, "# Rules").expect("rules");
    done(&home, &["install", "codex", "--project", "--yes"]);
    done(&home, &["install", "cursor", "--project", "--yes"]);
    done(&home, &["uninstall", "codex", "--project", "--yes"]);
    assert!(fs::read_to_string(&rules).expect("rules").contains("cairn:begin"));
    done(&home, &["uninstall", "cursor", "--project", "--yes"]);
    assert_eq!(fs::read_to_string(&rules).expect("rules"), "# Rules");
}

#[test]
fn a_link_stays_a_link() {
    let home = repository();
    fs::create_dir_all(home.path().join(".claude")).expect("a folder");
    fs::write(home.path().join("dotfile.json"), "{}\n").expect("settings");
    std::os::unix::fs::symlink("../dotfile.json", home.path().join(".claude/settings.json")).expect("a link");
    done(&home, &["install", "claude-code", "--project", "--yes"]);
    assert!(fs::read_to_string(home.path().join("dotfile.json")).expect("settings").contains("cairn hook"));
    done(&home, &["uninstall", "claude-code", "--project", "--yes"]);
    assert_eq!(fs::read_to_string(home.path().join("dotfile.json")).expect("settings"), "{}\n");
    assert!(fs::symlink_metadata(home.path().join(".claude/settings.json")).expect("there").is_symlink());
}
