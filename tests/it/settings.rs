//! Settings: a flag wins over the environment, the environment over the file; and a mistake stops the start by name.

use cairn_tests::{DataDir, Program};
use std::fs;

#[tokio::test]
async fn a_mistake_stops_the_start_and_is_named() {
    let home = DataDir::new();
    let database = ("CAIRN_DATABASE_URL", "postgres://a@localhost/b");
    for (settings, named) in [
        (&[("CAIRN_LISTEN", "8080")][..], "CAIRN_LISTEN"),
        (&[("CAIRN_PUBLIC_URL", "cairn.example.org")], "CAIRN_PUBLIC_URL"),
        (&[("CAIRN_DATABASE_URL", "mysql://x")], "CAIRN_DATABASE_URL"),
        (&[database, ("CAIRN_MIGRATION_DATABASE_URL", "owner")], "CAIRN_MIGRATION_DATABASE_URL"),
        (&[("CAIRN_MIGRATION_DATABASE_URL", "postgres://a@localhost/b")], "CAIRN_DATABASE_URL"),
        (&[("CAIRN_DATABASE_CONNECTIONS", "1")], "CAIRN_DATABASE_CONNECTIONS"),
        (&[("CAIRN_ADMIN_EMAIL", "ada@example.org")], "CAIRN_ADMIN_PASSWORD"),
        (&[("CAIRN_ADMIN_EMAIL", "ada@example.org"), ("CAIRN_ADMIN_PASSWORD", "short")], "CAIRN_ADMIN_PASSWORD"),
        (&[("CAIRN_TLS_CERT", "cert.pem")], "CAIRN_TLS_KEY"),
        (&[("CAIRN_RATE_LIMIT", "often")], "CAIRN_RATE_LIMIT"),
        (&[("CAIRN_EMBEDDINGS", "somewhere")], "CAIRN_EMBEDDINGS"),
        (&[("CAIRN_RECALL_CACHE_MB", "0")], "CAIRN_RECALL_CACHE_MB"),
        (&[("CAIRN_RECALL_CACHE_MB", "1 GB")], "CAIRN_RECALL_CACHE_MB"),
        (&[("CAIRN_LOG", "cairn=loud")], "CAIRN_LOG"),
        (&[("CAIRN_LOG_FORMAT", "xml")], "CAIRN_LOG_FORMAT"),
        (&[("CAIRN_CONFIG", "not-there.toml")], "CAIRN_CONFIG"),
    ] {
        let told = Program::run(home.path(), &["serve"], settings).await.fails();
        assert!(told.starts_with(&format!("cairn-server: {named}: ")), "{settings:?}: {told}");
        assert!(!told.contains("short") && !told.contains("mysql"), "a secret is shown: {told}");
    }
    assert!(!home.path().join("postgres").exists(), "it began to work before it had looked");
}

/// Tells who won by the complaint about a value that is none.
async fn listens_where(home: &DataDir, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let told = Program::run(home.path(), &[&["serve"], arguments].concat(), settings).await.fails();
    told.split('`').nth(1).unwrap_or_else(|| panic!("{told}")).to_owned()
}

#[tokio::test]
async fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let home = DataDir::new();
    fs::write(home.path().join("cairn.toml"), "listen = \"file\"").unwrap();
    fs::write(home.path().join("other.toml"), "listen = \"other file\"").unwrap();
    let environment = ("CAIRN_LISTEN", "environment");
    assert_eq!(listens_where(&home, &[], &[]).await, "file");
    assert_eq!(listens_where(&home, &[], &[environment]).await, "environment");
    assert_eq!(listens_where(&home, &["--listen", "flag"], &[environment]).await, "flag");
    assert_eq!(listens_where(&home, &[], &[("CAIRN_CONFIG", "other.toml")]).await, "other file");
    assert_eq!(listens_where(&home, &["--config", "other.toml"], &[("CAIRN_CONFIG", "not-there.toml")]).await, "other file");
    // What is empty is not set: compose files and unit files write `NAME=` for that.
    assert_eq!(listens_where(&home, &[], &[("CAIRN_LISTEN", ""), ("CAIRN_CONFIG", "")]).await, "file");
}

#[tokio::test]
async fn the_file_is_read_to_the_letter() {
    let home = DataDir::new();
    for (text, named) in [
        ("lisen = \"127.0.0.1:80\"", "lisen"),
        ("listen = ", "cairn.toml"),
        ("database_connections = 5000", "CAIRN_DATABASE_CONNECTIONS"),
        ("database_connections = \"many\"", "CAIRN_DATABASE_CONNECTIONS"),
        ("database_connections = 40\nlog_format = \"xml\"", "CAIRN_LOG_FORMAT"),
    ] {
        fs::write(home.path().join("cairn.toml"), text).unwrap();
        let told = Program::run(home.path(), &["serve"], &[]).await.fails();
        assert!(told.contains(named), "{text}: {told}");
    }
}

#[tokio::test]
async fn whatever_is_empty_is_not_set() {
    let (home, port) = (DataDir::new(), Program::free_port().to_string());
    let all = Program::run(home.path(), &["serve", "--help"], &[]).await.fine();
    let names: Vec<String> = all.split("[env: ").skip(1).map(|rest| rest.split([':', '=', ']']).next().unwrap().to_owned()).collect();
    assert!(names.len() > 12, "{all}");
    // Asked where nobody is: it gets past all settings, and finds nobody there.
    let listen = format!("127.0.0.1:{port}");
    let empty: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let told = Program::run(home.path(), &["health", "--listen", &listen], &empty).await.fails();
    assert!(!told.contains("CAIRN_") && !told.contains("value"), "{told}");
}
