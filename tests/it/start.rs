//! The server proves the wall before it opens, and does not open when it would not hold.

use cairn_tests::{House, Postgres, Role};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use std::sync::Arc;

/// Changes the database of a house that was lived in, as an operator might, tries to open it again, and undoes it.
async fn reopened_after(postgres: &Arc<Postgres>, change: &str, undo: &str) -> Result<(), String> {
    let house = House::on(postgres.clone(), |_| {}).await;
    house.agent("coding", Role::Writer).await.remembers("something to see").await;
    let (database, key) = (house.database().to_owned(), house.folder().join("master.key"));
    let mut owner = PgConnection::connect(&postgres.owner_url(&database)).await.expect("the owner gets in");
    owner.execute(AssertSqlSafe(change.to_owned())).await.expect(change);
    let reopened = House::on_database(postgres.clone(), database, |given| given.master_key_file = Some(key)).await.map(drop);
    owner.execute(AssertSqlSafe(undo.to_owned())).await.expect(undo);
    reopened
}

#[tokio::test]
async fn a_house_whose_walls_stand_opens_again() {
    assert_eq!(reopened_after(&Postgres::shared().await, "select 1", "").await, Ok(()));
}

#[tokio::test]
async fn a_table_without_a_forced_policy_keeps_it_shut() {
    let why = reopened_after(&Postgres::shared().await, "alter table memories no force row level security", "").await.unwrap_err();
    assert!(why.contains("memories"), "{why}");
    let why = reopened_after(&Postgres::shared().await, "alter table agents disable row level security", "").await.unwrap_err();
    assert!(why.contains("agents"), "{why}");
}

#[tokio::test]
async fn a_policy_that_shows_everything_keeps_it_shut() {
    let why = reopened_after(&Postgres::shared().await, "create policy leak on memory_versions using (true)", "").await.unwrap_err();
    assert!(why.contains("memory_versions"), "{why}");
}

#[tokio::test]
async fn a_role_that_could_go_around_the_policies_keeps_it_shut() {
    // Roles are the cluster's, so these happen in one of their own.
    let postgres = Postgres::own(false).await;
    for (change, undo, word) in [
        ("alter role cairn_app bypassrls", "alter role cairn_app nobypassrls", "BYPASSRLS"),
        ("alter role cairn_app superuser", "alter role cairn_app nosuperuser", "superuser"),
        ("alter role cairn_gate bypassrls", "alter role cairn_gate nobypassrls", "BYPASSRLS"),
        ("alter role cairn_gate superuser", "alter role cairn_gate nosuperuser", "superuser"),
        ("alter table stores owner to cairn_app", "", "owns"),
        ("create role keeper; alter table stores owner to keeper; grant keeper to cairn_app", "", "owns"),
    ] {
        let why = reopened_after(&postgres, change, undo).await.unwrap_err();
        let role = if change.contains("cairn_gate") { "cairn_gate" } else { "cairn_app" };
        assert!(why.contains(role) && why.contains(word), "{change}: {why}");
    }
}

#[tokio::test]
async fn another_master_key_does_not_open_the_house() {
    let house = House::open().await;
    let (postgres, database) = (house.postgres().clone(), house.database().to_owned());
    let why = House::on_database(postgres, database, |_| {}).await.map(drop).unwrap_err();
    assert!(why.contains("master key"), "{why}");
}
