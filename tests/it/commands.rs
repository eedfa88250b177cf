//! The commands beside `serve`: each does one thing, says how it went, and can be run again.

use cairn_tests::{DataDir, House, Postgres, Program, Role};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt};

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_is_filled_once() {
    let house = House::open().await;
    let first = house.runs(&["demo"]).await.fine();
    for word in [&*house.url, "root@example.org", "CAIRN_ADMIN_PASSWORD", "/docs"] {
        assert!(first.contains(word), "no {word} in {first}");
    }
    let admin = house.admin().await;
    assert_eq!(admin.lists("/v1/workspaces").await.len(), 2);
    assert!(admin.looking_at("coding").lists("memories").await.len() > 10);
    assert_eq!(admin.looking_at("support").lists("deletion-requests?state=pending").await.len(), 1);
    let before = house.census().await;
    house.runs(&["demo"]).await.fine();
    let mut after = house.census().await;
    // It signs in to look.
    let signed_in = after["logins"] - before["logins"];
    assert_eq!((signed_in, after["audit_entries"] - before["audit_entries"]), (1, 1));
    for table in ["logins", "audit_entries"] {
        after.insert(table.to_owned(), before[table]);
    }
    assert_eq!(after, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_postgres_is_served_looked_into_and_left_in_peace() {
    let (home, port) = (DataDir::new(), Program::free_port());
    let listen = format!("127.0.0.1:{port}");
    let server = Program::serve_with(port, home.path(), &["--demo"], &[]).await;
    let password = home.path().join("demo-password");
    cairn_tests::until("the demo is there", async || {
        fs::read_to_string(home.path().join("server.log")).is_ok_and(|log| log.contains("sign in as"))
    })
    .await;
    assert_eq!(fs::metadata(&password).unwrap().permissions().mode() & 0o777, 0o600);
    let typed = json!({"email": "ada@harbor.example", "password": fs::read_to_string(&password).unwrap().trim()});
    let anyone = server.stranger();
    let token = anyone.post("/v1/auth/login", typed).await.expect(200)["access_token"].as_str().unwrap().to_owned();
    assert_eq!(anyone.showing(&token).lists("/v1/workspaces").await.len(), 2);

    let psql = async |arguments: &[&str]| Program::run(home.path(), &[&["psql", "--", "-X"], arguments].concat(), &[]).await;
    let memories = psql(&["-Atc", "select count(*) > 10 from memories"]).await.fine();
    assert_eq!(memories, "t\n", "psql beside the server");
    let script = home.path().join("fails.sql");
    fs::write(&script, "select 1/0;").unwrap();
    let failing = ["-v", "ON_ERROR_STOP=1", "-f", script.to_str().unwrap()];
    assert_eq!(psql(&failing).await.code, Some(3), "psql's own exit code");

    Program::run(home.path(), &["health"], &[("CAIRN_LISTEN", &listen)]).await.fine();
    let second = Program::run(home.path(), &["serve"], &[("CAIRN_LISTEN", "127.0.0.1:0")]).await.fails();
    assert!(second.contains("already serves") && second.contains(&home.path().display().to_string()), "{second}");
    assert_eq!(anyone.get("/readyz").await.status, 200);
    server.stop().await;

    let health = Program::run(home.path(), &["health"], &[("CAIRN_LISTEN", &listen)]).await.fails();
    assert!(health.contains("cairn-server:"), "{health}");
    assert_eq!(psql(&["-Atc", "select count(*) > 10 from memories"]).await.fine(), "t\n", "psql alone");
    assert_eq!(psql(&failing).await.code, Some(3));
    assert!(!home.path().join("postgres/data/postmaster.pid").exists(), "Postgres was left running");
}

#[tokio::test]
async fn what_it_prints_is_what_it_does() {
    let house = House::open().await;
    let folder = DataDir::new();
    let printed = Program::run(folder.path(), &["openapi"], &[]).await.fine();
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed, house.stranger().get("/openapi.json").await.expect(200));
    let roles = Program::run(folder.path(), &["roles"], &[]).await.fine();
    assert!(roles == include_str!("../../docs/roles.md"), "docs/roles.md is old: cairn-server roles > docs/roles.md");
}

#[tokio::test]
async fn migrating_again_changes_nothing() {
    let postgres = Postgres::shared().await;
    let (home, database) = (DataDir::new(), "migrated_by_hand");
    postgres.run(&format!("create database {database}")).await;
    let (app, owner) = (postgres.login_url(database), postgres.owner_url(database));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner)];
    let schema = "select count(*), md5(string_agg(c::text, ',' order by c::text)) from (select relname, relacl, relforcerowsecurity from pg_class where relnamespace = 'public'::regnamespace) c";
    let mut seen = Vec::new();
    for _ in 0..2 {
        assert!(Program::run(home.path(), &["migrate"], &settings).await.fine().contains("up to date"));
        seen.push(Program::run(home.path(), &["psql", "--", "-XAtc", schema], &settings).await.fine());
    }
    assert_eq!(seen[0], seen[1]);
    postgres.run(&format!("drop database {database} with (force)")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_signing_key_leaves_tokens_valid() {
    let house = House::open().await;
    let person = house.person("coding", Role::Reader).await;
    let keys = async |url: &str| house.stranger().living_at(url).get("/.well-known/jwks.json").await.expect(200)["keys"].clone();
    let before = keys(&house.url).await;
    assert_eq!(before.as_array().map(Vec::len), Some(1));
    assert!(house.runs(&["rotate-keys"]).await.fine().contains("new signing key"));

    // A replica that starts now signs with the new one, and knows the old one.
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner), ("CAIRN_PUBLIC_URL", &house.url)];
    let replica = Program::serve(Program::free_port(), house.folder(), &settings).await;
    let both = keys(&replica.url).await;
    assert_eq!(both.as_array().map(Vec::len), Some(2));
    assert!(both.as_array().unwrap().contains(&before[0]));
    person.living_at(&replica.url).get("/v1/me").await.expect(200);
    let typed = json!({"email": person.email, "password": person.password});
    let token = replica.stranger().post("/v1/auth/login", typed).await.expect(200)["access_token"].as_str().unwrap().to_owned();

    // The server that ran all the while meets a key that it does not know, and looks it up.
    tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
    person.showing(token).get("/v1/me").await.expect(200);
    person.get("/v1/me").await.expect(200);
    assert_eq!(keys(&house.url).await, both);
    replica.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_whose_admin_changed_the_password_is_served() {
    let (house, home) = (House::open().await, DataDir::new());
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let key = house.folder().join("master.key");
    let settings = [
        ("CAIRN_DATABASE_URL", app.as_str()),
        ("CAIRN_MIGRATION_DATABASE_URL", &owner),
        ("CAIRN_MASTER_KEY_FILE", key.to_str().unwrap()),
        ("CAIRN_ADMIN_EMAIL", "root@example.org"),
        ("CAIRN_ADMIN_PASSWORD", cairn_tests::PASSWORD),
    ];
    let log = async || fs::read_to_string(home.path().join("server.log")).unwrap();
    house.runs(&["demo"]).await.fine();
    let changed = json!({"current_password": cairn_tests::PASSWORD, "new_password": "four entirely different words"});
    assert_eq!(house.admin().await.put("/v1/me/password", changed).await.status, 204);
    let server = Program::serve_with(Program::free_port(), home.path(), &["--demo"], &settings).await;
    cairn_tests::until("it says why", async || log().await.contains("the demo is left as it is")).await;
    assert_eq!(server.stranger().get("/readyz").await.status, 200);
    let said = log().await;
    assert!(!said.contains("sign in as") && !said.contains(cairn_tests::PASSWORD), "{said}");
    server.stop().await;
}
