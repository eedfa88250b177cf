//! The wall is in Postgres: whatever the server does, another workspace's rows are not there.

use cairn_tests::{House, Role, items, nobody};
use serde_json::json;
use sqlx::{AssertSqlSafe, Executor, PgConnection};

/// A house in which every tenant table has something to hide.
async fn lived_in() -> House {
    let house = House::open().await;
    let admin = house.admin().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let anchored = json!({"content": "kept", "tags": ["a"], "anchors": [{"path": "src/lib.rs"}]});
    writer.ask("POST", "memories").header("Idempotency-Key", "k").json(&anchored).send().await.expect(201);
    let answer = writer.asks(json!({"query": "kept"})).await;
    writer.judges(&answer, &items(&answer)[0], "used").await.expect(204);
    let doomed = writer.remembers("doomed").await;
    let request = writer.asks_to_erase(&[&doomed], "because").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    admin.looking_at("coding").get("memories").await.expect(200);
    let kept = writer.remembers_all_of(json!({"content": "held", "kind": "discovery"})).await;
    admin.looking_at("coding").post("holds", json!({"memory_ids": [kept["id"]], "reason": "a case"})).await.expect(201);
    let run = writer.post("sessions", json!({"agent_tool": "codex", "task": "t"})).await.expect(201);
    let run = format!("sessions/{}", run["id"].as_str().expect("a text"));
    writer.post(&format!("{run}/events"), super::capture::log(1)).await.expect(200);
    writer.post(&format!("{run}/checkpoints"), json!({"progress": [{"item": "hide", "status": "pending"}]})).await.expect(201);
    writer.post(&format!("{run}/end"), json!({})).await.expect(200);
    for found in ["Service tokens are signed with RS256.", "Service tokens are signed with HS256."] {
        writer.remembers_all_of(json!({"content": found, "kind": "discovery"})).await;
    }
    reviewer.post("conflicts/sweep", json!({"anew": true})).await.expect(200);
    reviewer.post("rollbacks", json!({"session_id": run.replace("sessions/", "")})).await.expect(201);
    writer.ask("POST", "import?name=CLAUDE.md").bytes("text/markdown", "- Never push to main.\n").send().await.expect(200);
    for (commit, parts) in [("c1", 1), ("c2", 2)] {
        let file = json!({"path": "src/lib.rs", "sha256": "0123456789abcdef", "symbols": []});
        let picture = json!({"repo": "r", "branch": "main", "commit": commit, "files": [file], "part": 1, "parts": parts});
        writer.post("code/snapshots", picture).await.expect(200);
    }
    // As the maker of an outside model's vectors would.
    for kept in [
        "insert into activity (workspace_id, hour, writes, recalls, told_tokens, recalled) select distinct workspace_id, now(), 1, 0, 0, '[]'::jsonb from memories",
        "insert into tellings (workspace_id, memory_id, day, times) select workspace_id, id, '2026-01-31', 1 from memories",
        "insert into tellings_counted (workspace_id, before) select distinct workspace_id, '2026-01-31'::date from memories on conflict do nothing",
        "insert into run_looks (workspace_id, project, key, session_id, path, at) select workspace_id, '', 'repeated:read:a', id, 'a', now() from sessions",
        "insert into embedding_generations (workspace_id, model) select distinct workspace_id, 'm' from memories",
        "insert into memory_vectors (workspace_id, memory_id, model, text_mark, dimensions, vectors) select workspace_id, id, 'm', '', 1, '' from memories",
        "insert into dreams (workspace_id, id, mode, dry_run, state, stage, started_at, actor_type, actor_id, tally, audit_id) select workspace_id, id, 'auto', false, 'done', 'over', created_at, created_by_type, created_by, '{}', audit_id from memories",
        "insert into dream_actions (workspace_id, dream_id, n, deed, why, score, outcome, memory_id, others) select workspace_id, id, 0, 'decay', 'never_recalled', 1, 'applied', id, '{}' from memories",
    ] {
        house.owner().execute(kept).await.expect("is kept");
    }
    // Enough for a tree of some height.
    let stones: Vec<_> = (0..16).map(|n| json!({"content": format!("stone {n}"), "kind": "procedure"})).collect();
    writer.post("memories/batch", json!({ "items": stones })).await.expect(200);
    house.is_sealed().await;
    house
}

async fn rows(conn: &mut PgConnection, table: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("select count(*) from {table}"))).fetch_one(conn).await.expect("a count")
}

async fn sqlstate(conn: &mut PgConnection, sql: &str) -> String {
    match conn.execute(AssertSqlSafe(sql.to_owned())).await {
        Ok(done) => format!("done, {} rows", done.rows_affected()),
        Err(error) => {
            error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_else(|| panic!("{error}")).into_owned()
        }
    }
}

#[tokio::test]
async fn without_a_workspace_or_in_a_foreign_one_there_is_nothing_to_see() {
    let house = lived_in().await;
    let mut hidden = 0;
    for table in house.tenant_tables().await {
        let there = house.count(&format!("select count(*) from {table}")).await;
        // Stores beside the default one come later; every other table has rows by now.
        assert!(there > 0 || table == "stores", "{table} has nothing to hide, so this proves nothing");
        hidden += there;
        assert_eq!(rows(&mut house.as_app().await, &table).await, 0, "{table}, standing nowhere");
        assert_eq!(rows(&mut house.standing_in(nobody(), None, None).await, &table).await, 0, "{table}, standing elsewhere");
    }
    assert!(hidden > 10);
}

#[tokio::test]
async fn nothing_can_be_put_into_a_workspace_from_outside() {
    let house = lived_in().await;
    let coding = house.workspace("coding").await;
    for table in house.tenant_tables().await {
        let row = a_row_of(&house, &table, coding).await;
        let insert = format!("insert into {table} select * from json_populate_record(null::{table}, '{row}')");
        for mut outside in [house.as_app().await, house.standing_in(nobody(), None, None).await] {
            assert_eq!(sqlstate(&mut outside, &insert).await, "42501", "{table}");
        }
    }
}

/// A row that only the wall objects to: one that is there, under another id where it has one.
async fn a_row_of(house: &House, table: &str, workspace: uuid::Uuid) -> String {
    let sql = format!("select (to_jsonb(t) || jsonb_build_object('workspace_id', $1::uuid, 'id', $2::uuid))::text from {table} t limit 1");
    let row: Option<String> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(workspace).bind(nobody()).fetch_optional(house.owner()).await.expect("a row");
    row.unwrap_or_else(|| json!({"workspace_id": workspace, "id": nobody(), "name": "x", "description": "", "metadata": {}, "created_at": "2030-01-01T00:00:00Z"}).to_string()).replace('\'', "''")
}

#[tokio::test]
async fn every_tenant_table_is_built_the_same_way() {
    let house = House::open().await;
    for table in house.tenant_tables().await {
        let forced: bool = sqlx::query_scalar("select relrowsecurity and relforcerowsecurity from pg_class where oid = to_regclass($1)")
            .bind(&table)
            .fetch_one(house.owner())
            .await
            .unwrap();
        assert!(forced, "{table} has no forced row policy");
        let unled: Vec<String> = sqlx::query_scalar(
            "select i.indexrelid::regclass::text
             from pg_index i
             join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
             where i.indrelid = to_regclass($1) and i.indisunique and a.attname <> 'workspace_id'",
        )
        .bind(&table)
        .fetch_all(house.owner())
        .await
        .unwrap();
        assert!(unled.is_empty(), "unique indexes of {table} that do not begin with the workspace: {unled:?}");
        let has_key: bool = sqlx::query_scalar("select exists (select 1 from pg_index where indrelid = to_regclass($1) and indisprimary)")
            .bind(&table)
            .fetch_one(house.owner())
            .await
            .unwrap();
        assert!(has_key, "{table} has no primary key");
    }
    // The planner turns `exists` into a join, and reads all memories for a page of what hangs on some of them.
    let joined: Vec<String> = sqlx::query_scalar("select tablename::text from pg_policies where qual ~ 'EXISTS.*FROM memories' order by 1")
        .fetch_all(house.owner())
        .await
        .unwrap();
    assert!(joined.is_empty(), "walls that do not ask for a memory by its key: {joined:?}");
}

#[tokio::test]
async fn the_role_that_logs_in_can_read_nothing_by_itself() {
    let house = lived_in().await;
    for table in house.all_tables().await {
        let mut login = house.as_login().await;
        assert_eq!(sqlstate(&mut login, &format!("select * from {table}")).await, "42501", "{table}");
    }
}

#[tokio::test]
async fn the_trail_can_only_grow() {
    let house = lived_in().await;
    let coding = house.workspace("coding").await;
    for change in [
        "update audit_entries set action = 'nothing.happened'",
        "delete from audit_entries",
        "truncate audit_entries",
        "update session_events set text = 'nothing happened'",
        "delete from session_events",
        "update checkpoints set next_step = 'none'",
        "delete from checkpoints",
        "select erase_runs(workspace_id, id) from deletion_requests",
        "update audit_leaves set index = index + 1",
        "insert into audit_leaves select * from audit_leaves",
        "delete from audit_nodes",
        "update audit_checkpoints set note = 'nothing happened'",
        "delete from audit_checkpoints",
        "update audit_horizon set horizon = '0'",
    ] {
        for mut somebody in [house.standing_in(coding, None, None).await, house.as_gate().await] {
            assert_eq!(sqlstate(&mut somebody, change).await, "42501", "{change}");
        }
    }
}

#[tokio::test]
async fn a_version_cannot_be_changed() {
    let house = lived_in().await;
    let coding = house.workspace("coding").await;
    for change in ["content = 'forged'", "title = 'forged'", "tags = '{forged}'", "salt = null", "redacted_at = now()"] {
        let mut inside = house.standing_in(coding, None, None).await;
        assert_eq!(sqlstate(&mut inside, &format!("update memory_versions set {change}")).await, "23000", "{change}");
    }
    for change in ["version = version + 1", "actor_id = gen_random_uuid()", "at = now()", "digest = ''"] {
        let mut inside = house.standing_in(coding, None, None).await;
        assert_eq!(sqlstate(&mut inside, &format!("update memory_versions set {change}")).await, "42501", "{change}");
    }
}

#[tokio::test]
async fn a_change_that_goes_around_the_trail_is_caught() {
    let house = lived_in().await;
    let coding = house.workspace("coding").await;
    let mut keeps_its_entry = house.standing_in(coding, None, None).await;
    assert_eq!(sqlstate(&mut keeps_its_entry, "update memories set kind = 'pattern'").await, "23000");
    // An entry that is promised and never written is missed at the commit.
    let mut promises = house.standing_in(coding, None, None).await;
    assert_eq!(
        sqlstate(&mut promises, "update memories set kind = 'pattern', audit_id = gen_random_uuid() where kind = 'fact'").await,
        "done, 1 rows"
    );
    assert_eq!(sqlstate(&mut promises, "commit").await, "23503");
    let mut invents = house.standing_in(coding, None, None).await;
    let version = "insert into memory_versions select (json_populate_record(v, json_build_object('version', 99, 'audit_id', gen_random_uuid()))).* from memory_versions v limit 1";
    assert_eq!(sqlstate(&mut invents, version).await, "done, 1 rows");
    assert_eq!(sqlstate(&mut invents, "commit").await, "23503");
}
