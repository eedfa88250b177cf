//! A Postgres of the operator's: which roles are enough, and which databases are refused.

use cairn_server::store::cluster::ThrowAway;
use cairn_tests::{DataDir, Postgres, Program};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// One in which Cairn has never been: roles are the cluster's, so the shared one has them already.
async fn untouched() -> ThrowAway {
    tokio::task::spawn_blocking(|| ThrowAway::start(false)).await.expect("not cancelled").expect("a Postgres")
}

async fn run(postgres: &ThrowAway, sql: &str) {
    let mut conn = PgConnection::connect(&postgres.owner_url("postgres")).await.expect("the owner gets in");
    conn.execute(AssertSqlSafe(sql.to_owned())).await.expect(sql);
    conn.close().await.expect("closes");
}

/// A server that opens, is lived in, and closes again.
async fn is_lived_in(home: &DataDir, settings: &[(&str, &str)]) {
    let admin = [("CAIRN_ADMIN_EMAIL", "ada@example.org"), ("CAIRN_ADMIN_PASSWORD", cairn_tests::PASSWORD)];
    let server = Program::serve(Program::free_port(), home.path(), &[settings, &admin].concat()).await;
    let typed = serde_json::json!({"email": admin[0].1, "password": admin[1].1});
    let answer = server.stranger().post("/v1/auth/login", typed).await.expect(200);
    let ada = server.stranger().showing(answer["access_token"].as_str().expect("a token"));
    if ada.get("/v1/workspaces/coding").await.status == 404 {
        ada.post("/v1/workspaces", serde_json::json!({"slug": "coding", "name": "Coding", "purpose": "tests"})).await.expect(201);
    }
    ada.remembers(&format!("written at {}", server.url)).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_without_superpowers_is_enough() {
    let (postgres, home) = (untouched().await, DataDir::new());
    run(&postgres, "create role keeper login createrole").await;
    run(&postgres, "create database house owner keeper").await;
    let url = postgres.owner_url("house").replace("cairn_owner@", "keeper@");
    // Again and again: what one start grants must not hinder the next.
    for _ in 0..3 {
        is_lived_in(&home, &[("CAIRN_DATABASE_URL", &url)]).await;
    }
    // Row policies bind it, so it cannot copy what it owns; it is told what would.
    let copy = home.path().join("copy.tar");
    let told = Program::run(home.path(), &["backup", copy.to_str().unwrap()], &[("CAIRN_DATABASE_URL", &url)]).await.fails();
    assert!(told.contains("BYPASSRLS") && !copy.exists(), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_without_rights_serves_what_an_owner_has_made() {
    let (postgres, home) = (untouched().await, DataDir::new());
    run(&postgres, "create role keeper login createrole bypassrls; create role visitor login; create role stranger login").await;
    run(&postgres, "create database house owner keeper").await;
    let as_role = |role: &str| postgres.owner_url("house").replace("cairn_owner@", &format!("{role}@"));
    let (keeper, visitor, stranger) = (as_role("keeper"), as_role("visitor"), as_role("stranger"));
    let told = Program::run(home.path(), &["serve"], &[("CAIRN_DATABASE_URL", &visitor)]).await.fails();
    assert!(told.contains("not set up") && told.contains("CAIRN_MIGRATION_DATABASE_URL"), "{told}");

    is_lived_in(&home, &[("CAIRN_DATABASE_URL", &visitor), ("CAIRN_MIGRATION_DATABASE_URL", &keeper)]).await;
    // From now on the server need not know the owner's password.
    is_lived_in(&home, &[("CAIRN_DATABASE_URL", &visitor)]).await;
    let mut conn = PgConnection::connect(&visitor).await.unwrap();
    let refused = conn.execute("select 1 from memories").await.unwrap_err().to_string();
    assert!(refused.contains("permission denied"), "{refused}");
    let told = Program::run(home.path(), &["serve"], &[("CAIRN_DATABASE_URL", &stranger)]).await.fails();
    assert!(told.contains("not for this role") && told.contains("CAIRN_MIGRATION_DATABASE_URL"), "{told}");

    // Its database has seen a newer Cairn: the login notices as the owner would.
    let mut owner = PgConnection::connect(&postgres.owner_url("house")).await.unwrap();
    owner
        .execute("insert into _sqlx_migrations select 9999, description, installed_on, true, checksum, 0 from _sqlx_migrations limit 1")
        .await
        .unwrap();
    let told = Program::run(home.path(), &["serve"], &[("CAIRN_DATABASE_URL", &visitor)]).await.fails();
    assert!(told.contains("migration 9999") && told.contains("newer Cairn"), "{told}");
}

#[tokio::test]
async fn a_schema_of_others_is_left_alone() {
    let postgres = Postgres::shared().await;
    let home = DataDir::new();
    let newer = "insert into _sqlx_migrations select 9999, 'from the future', now(), true, sha256(''), 0";
    for (change, told) in [
        (newer, "migration 9999, which this server does not know"),
        ("update _sqlx_migrations set checksum = sha256('')", "differs from the one in this server"),
        ("update _sqlx_migrations set success = false", "stopped half-way"),
    ] {
        let database = postgres.database().await;
        let (app, owner) = (postgres.login_url(&database), postgres.owner_url(&database));
        let mut conn = PgConnection::connect(&owner).await.unwrap();
        conn.execute(change).await.unwrap();
        let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner)];
        for command in ["serve", "migrate"] {
            let said = Program::run(home.path(), &[command], &settings).await.fails();
            assert!(said.contains(told), "{command} after {change}: {said}");
        }
        conn.close().await.unwrap();
        postgres.run(&format!("drop database {database} with (force)")).await;
    }
}
