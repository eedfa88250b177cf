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
fn what_a_person_wrote_between_two_tools_stays() {
    let home = repository();
    let rules: PathBuf = home.path().join("AGENTS.md");
    done(&home, &["install", "codex", "--project", "--yes"]);
    let made = fs::read_to_string(&rules).expect("a block");
    fs::write(&rules, format!("# Ours\n\nNo deploys on Fridays.\n\n{made}")).expect("rules");
    done(&home, &["install", "cursor", "--project", "--yes"]);
    done(&home, &["uninstall", "codex", "--project", "--dry-run"]);
    done(&home, &["uninstall", "codex", "--project", "--yes"]);
    done(&home, &["uninstall", "cursor", "--project", "--yes"]);
    assert!(fs::read_to_string(&rules).expect("rules").starts_with("# Ours\n\nNo deploys on Fridays.\n"));
}

#[test]
fn a_link_to_nothing_yet_stays_a_link() {
    let home = Home::new();
    let (folder, target) = (home.path().join(".cursor"), home.path().join("dotfiles.json"));
    fs::create_dir_all(&folder).expect("a folder");
    std::os::unix::fs::symlink(&target, folder.join("mcp.json")).expect("a link");
    done(&home, &["install", "cursor", "--yes"]);
    assert!(fs::symlink_metadata(folder.join("mcp.json")).expect("a link").is_symlink());
    assert!(fs::read_to_string(target).expect("settings").contains("mcpServers"));
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

/// Where each tool reads its MCP servers, in a repository and for a person; Windsurf only for a person.
const SERVERS: [(&str, Option<&str>, &str); 5] = [
    ("claude-code", Some(".mcp.json"), ".claude.json"),
    ("codex", Some(".codex/config.toml"), ".codex/config.toml"),
    ("cursor", Some(".cursor/mcp.json"), ".cursor/mcp.json"),
    ("windsurf", None, ".codeium/windsurf/mcp_config.json"),
    ("gemini", Some(".gemini/settings.json"), ".gemini/settings.json"),
];

/// Another's server, a comment and odd spacing.
fn with_another_server(path: &str) -> &'static str {
    if path.contains("config.toml") {
        "model   = \"large\" # mine\n\n[mcp_servers.other]\ncommand = \"other\"\n\n[tui]\ntheme = 1\n"
    } else {
        "{\n    // mine\n    \"mcpServers\": { \"other\": { \"command\": \"other\" } },\n    \"zeta\": [1, 2]\n}"
    }
}

/// The entry as the tool reads it: program and arguments.
fn entry(path: &std::path::Path) -> (String, String) {
    let text = fs::read_to_string(path).expect("settings");
    let entry: serde_json::Value = if path.extension().is_some_and(|end| end == "toml") {
        let root: toml::Value = toml::from_str(&text).expect("TOML");
        serde_json::to_value(&root["mcp_servers"]["cairn"]).expect("an entry")
    } else {
        // Comments are ours to keep, not serde's to read.
        let plain: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        serde_json::from_str::<serde_json::Value>(&plain).expect("JSON")["mcpServers"]["cairn"].clone()
    };
    (entry["command"].as_str().expect("a command").to_owned(), entry["args"].to_string())
}

#[test]
fn the_mcp_entry_comes_and_goes_with_the_hooks() {
    for (tool, in_project, own) in SERVERS {
        let home = repository();
        let places = [(in_project, vec!["--project", "--yes"], "cairn"), (Some(own), vec!["--yes"], env!("CARGO_BIN_EXE_cairn"))];
        for (place, flags, program) in places.iter().filter_map(|(place, flags, program)| Some(((*place)?, flags, *program))) {
            let path = home.path().join(place);
            let install: Vec<&str> = ["install", tool].into_iter().chain(flags.iter().copied()).collect();
            let uninstall: Vec<&str> = ["uninstall", tool].into_iter().chain(flags.iter().copied()).collect();
            done(&home, &install);
            assert_eq!(entry(&path), (program.to_owned(), "[\"mcp\"]".to_owned()), "{tool}");
            assert!(done(&home, &install).contains("Nothing to do"), "{tool}");
            done(&home, &uninstall);
            assert!(!path.exists(), "{tool}: {place}");
        }
    }
}

#[test]
fn other_mcp_servers_stay_to_the_byte_or_as_they_are_edited() {
    for (tool, _, own) in SERVERS {
        let home = Home::new();
        let path = home.path().join(own);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, with_another_server(own)).expect("settings");
        done(&home, &["install", tool, "--yes"]);
        assert_eq!(entry(&path).1, "[\"mcp\"]");
        done(&home, &["uninstall", tool, "--yes"]);
        assert_eq!(fs::read_to_string(&path).expect("settings"), with_another_server(own), "{tool}");

        done(&home, &["install", tool, "--yes"]);
        let edited = fs::read_to_string(&path).expect("settings").replace("\"other\"", "\"changed\"");
        fs::write(&path, edited).expect("settings");
        done(&home, &["uninstall", tool, "--yes"]);
        let left = fs::read_to_string(&path).expect("settings");
        assert!(left.contains("changed") && left.contains("mine") && !left.contains("cairn"), "{tool}: {left}");
    }
}

#[test]
fn an_older_entry_of_ours_is_renewed_and_anothers_of_that_name_is_left_alone() {
    let home = Home::new();
    let path = home.path().join(".cursor/mcp.json");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let old = r#"{"mcpServers": {"cairn": {"command": "/old/bin/cairn", "args": ["mcp"], "env": {"CAIRN_PROFILE": "work"}}}}"#;
    fs::write(&path, old).expect("settings");
    done(&home, &["install", "cursor", "--yes"]);
    assert_eq!(entry(&path).0, env!("CARGO_BIN_EXE_cairn"));
    assert!(fs::read_to_string(&path).expect("settings").contains("CAIRN_PROFILE"), "what a person added stays");
    let toml = home.path().join(".codex/config.toml");
    fs::create_dir_all(toml.parent().expect("a folder")).expect("a folder");
    fs::write(
        &toml,
        "[mcp_servers.cairn]\ncommand = \"/old/bin/cairn\"\nargs = [\"mcp\"]\n\n[mcp_servers.cairn.env]\nCAIRN_PROFILE = \"work\"\n",
    )
    .expect("settings");
    done(&home, &["install", "codex", "--yes"]);
    let renewed = fs::read_to_string(&toml).expect("settings");
    assert!(renewed.contains("CAIRN_PROFILE") && renewed.contains(env!("CARGO_BIN_EXE_cairn")), "{renewed}");

    let foreign = r#"{"mcpServers": {"cairn": {"command": "npx", "args": ["cairn-of-somebody-else"]}}}"#;
    fs::write(&path, foreign).expect("settings");
    let ended = home.run(&["install", "cursor", "--yes"]);
    assert!(ended.status.code() == Some(1) && err(&ended).contains("another MCP server"), "{}", err(&ended));
    done(&home, &["uninstall", "cursor", "--yes"]);
    assert_eq!(fs::read_to_string(&path).expect("settings"), foreign);
}
