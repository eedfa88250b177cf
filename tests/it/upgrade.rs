//! From the first schema to this one: nothing is lost, and servers that know only what was before go on meanwhile.

use cairn_server::store::connect::{self, MIGRATOR};
use cairn_tests::{Actor, House, Postgres, Role, at, until};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool, migrate::Migrator, postgres::PgPoolOptions};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};
use uuid::Uuid;

/// What somebody would miss.
struct Known {
    memories: Vec<Value>,
    versions: Vec<Vec<Value>>,
}

async fn known_to(agent: &Actor) -> Known {
    let mut memories = Vec::new();
    for state in ["active", "superseded", "archived"] {
        memories.extend(agent.lists(&format!("memories?state={state}")).await);
    }
    let mut versions = Vec::new();
    for memory in &memories {
        versions.push(agent.lists(&format!("{}/versions", at(memory))).await);
    }
    // Freshness is judged anew, by what is beside it.
    for one in memories.iter_mut().chain(versions.iter_mut().flatten()) {
        one["freshness"] = Value::Null;
    }
    Known { memories, versions }
}

/// What the first server could do, was done.
async fn lived_in(house: &House) -> Actor {
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Admin).await);
    for n in 0..30 {
        let whole = json!({"content": format!("marmalade{n} is for breakfast"), "path": format!("/food/{n}.md"), "tags": ["food"], "anchors": [{"path": format!("src/{n}.rs")}]});
        let memory = agent.remembers_all_of(whole).await;
        if n % 3 == 0 {
            agent.revises(&memory, json!({"content": format!("marmalade{n} is for supper"), "reason": "so it is"})).await;
        }
        if n % 10 == 0 {
            agent.delete(&at(&memory)).await.expect(200);
        }
    }
    let decision = agent.remembers_all_of(json!({"content": "We release from main.", "kind": "decision"})).await;
    agent.post(&format!("{}/supersede", at(&decision)), json!({"content": "We release from a branch."})).await.expect(201);
    agent.remembers_all_of(json!({"content": "verified", "subject": "ada"})).await;
    let secret = agent.remembers("the erased secret").await;
    reviewer.lets_go(&agent.asks_to_erase(&[&secret], "a wish").await).await;
    house.agent("support", Role::Writer).await.remembers("what the support desk knows").await;
    agent.actor.clone()
}

/// Every table and column of a database.
async fn columns(conn: &mut PgConnection) -> BTreeMap<String, Vec<String>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "select c.table_name::text, c.column_name::text from information_schema.columns c
         join pg_class t on t.relname = c.table_name and t.relnamespace = 'public'::regnamespace and t.relkind = 'r'
         where c.table_schema = 'public' and c.table_name <> '_sqlx_migrations' order by c.table_name, c.ordinal_position",
    )
    .fetch_all(conn)
    .await
    .expect("the catalog");
    let mut all = BTreeMap::<String, Vec<String>>::new();
    for (table, column) in rows {
        all.entry(table).or_default().push(format!("\"{column}\""));
    }
    all
}

/// The rows of the first schema's tables, as far as it knew their columns.
async fn contents(conn: &mut PgConnection, first: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for (table, columns) in first {
        let sql = format!("select row({})::text from {table} order by 1", columns.join(", "));
        all.insert(table.clone(), sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut *conn).await.expect("rows"));
    }
    all
}

/// A database as the first server would have left it: its schema, with what was done here in it.
async fn as_it_began(house: &House) -> (String, BTreeMap<String, Vec<String>>) {
    let (postgres, name) = (house.postgres(), "as_it_began".to_owned());
    postgres.run(&format!("drop database if exists {name} with (force)")).await;
    postgres.run(&format!("create database {name}")).await;
    let mut old = PgConnection::connect(&postgres.owner_url(&name)).await.expect("the owner gets in");
    let first: Vec<_> = MIGRATOR.iter().take(1).cloned().collect();
    assert_eq!(first[0].description, "the walls stand");
    Migrator::with_migrations(first).run(&mut old).await.expect("the first schema");
    let tables = columns(&mut old).await;
    assert!(tables.len() > 15 && !tables.contains_key("sessions"), "{tables:?}");
    let mut new = PgConnection::connect(&postgres.owner_url(house.database())).await.expect("the owner gets in");
    old.execute("set session_replication_role = replica").await.expect("triggers rest");
    for (table, columns) in &tables {
        let columns = columns.join(", ");
        // It sealed nothing yet, and had no key for that.
        let which = if table == "signing_keys" { "where purpose = 'tokens'" } else { "" };
        let mut out = new.copy_out_raw(&format!("copy (select {columns} from {table} {which}) to stdout")).await.expect(table);
        let mut bytes = Vec::new();
        while let Some(piece) = futures_util::TryStreamExt::try_next(&mut out).await.expect("a piece") {
            bytes.extend_from_slice(&piece);
        }
        drop(out);
        let mut copy = old.copy_in_raw(&format!("copy {table} ({columns}) from stdin")).await.expect(table);
        copy.send(bytes).await.expect("is taken");
        copy.finish().await.unwrap_or_else(|error| panic!("{table}: {error}"));
    }
    old.execute("set session_replication_role = origin").await.expect("triggers work");
    old.execute("grant cairn_app, cairn_gate to cairn_login").await.expect("the login role steps in");
    old.close().await.expect("closes");
    (name, tables)
}

/// The statements of the first server: it writes a memory with its version and entry, revises it, and reads both.
async fn first_server_writes(pool: &PgPool, workspace: Uuid, agent: Uuid) -> Result<(), sqlx::Error> {
    let ids: [Uuid; 3] = [cairn_tests::nobody(), cairn_tests::nobody(), cairn_tests::nobody()];
    let mut tx = pool.begin().await?;
    tx.execute(AssertSqlSafe(format!("select enter_scope('{workspace}', '{agent}')"))).await?;
    let row = |version: i32, audit: Uuid, operation: &str, seconds: u8| {
        json!([{"workspace_id": workspace, "memory_id": ids[0], "version": version, "operation": operation, "store_id": workspace,
            "path": format!("/meanwhile/{}.md", ids[0]), "title": "meanwhile", "content": format!("meanwhile {} {version}", ids[0]), "kind": "fact", "tags": [],
            "anchors": [], "confidence": 1.0, "state": "active", "visibility": "workspace", "valid_from": "2026-11-16T05:00:00Z",
            "content_sha256": format!("\\x{}", sha(&format!("meanwhile {} {version}", ids[0]))), "at": format!("2026-11-16T05:00:{seconds:02}Z"),
            "actor_type": "agent", "actor_id": agent, "digest": "\\x00", "audit_id": audit}])
    };
    let entry = "insert into audit_entries (workspace_id, id, actor_type, actor_id, role, action, target_type, target_id, version, request_id, digest)
        values ($1, $2, 'agent', $3, 'writer', $4, 'memory', $5, $6, 'old', '\\x00')";
    sqlx::query(
        "with r as materialized (
            select * from rows from (jsonb_populate_recordset(null::memory_versions, $1), unnest($2::bytea[])) as r
         ), m as (
            insert into memories (workspace_id, id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, twin_key,
                subject, stale_after, expires_at, verified_at, session_id, created_at, created_by_type, created_by, updated_at, updated_by, audit_id)
            select workspace_id, memory_id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, unnest,
                subject, stale_after, expires_at, verified_at, session_id, at, actor_type, actor_id, at, actor_id, audit_id
            from r
         )
         insert into memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
            verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, salt, digest, audit_id)
         select workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
            verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, salt, digest, audit_id
         from r",
    )
    .bind(row(1, ids[1], "created", 1))
    .bind(vec![None::<Vec<u8>>])
    .execute(&mut *tx)
    .await?;
    sqlx::query(entry).bind(workspace).bind(ids[1]).bind(agent).bind("memory.remembered").bind(ids[0]).bind(1).execute(&mut *tx).await?;
    tx.commit().await?;

    let mut tx = pool.begin().await?;
    tx.execute(AssertSqlSafe(format!("select enter_scope('{workspace}', '{agent}')"))).await?;
    sqlx::query("select id from memories where workspace_id = $1 and id = $2 for update")
        .bind(workspace)
        .bind(ids[0])
        .fetch_one(&mut *tx)
        .await?;
    sqlx::query(
        "with m as (
            update memories m
            set version = r.version, store_id = r.store_id, path = r.path, kind = r.kind, project = r.project, state = r.state,
                visibility = r.visibility, owner_id = r.owner_id, content_sha256 = r.content_sha256, twin_key = null, subject = r.subject,
                stale_after = r.stale_after, expires_at = r.expires_at, verified_at = r.verified_at, session_id = r.session_id,
                updated_at = r.at, updated_by = r.actor_id, audit_id = r.audit_id
            from jsonb_populate_record(null::memory_versions, $1) r
            where m.workspace_id = r.workspace_id and m.id = r.memory_id and m.version = r.version - 1
            returning m.id
         )
         insert into memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
            verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, salt, digest, audit_id)
         select v.workspace_id, v.memory_id, v.version, v.operation, v.store_id, v.path, v.title, v.content, v.kind, v.tags, v.project, v.anchors, v.source,
            v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from, v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at,
            v.verified_by_type, v.verified_by, v.content_sha256, v.reason, v.at, v.actor_type, v.actor_id, v.session_id, v.salt, v.digest, v.audit_id
         from jsonb_populate_record(null::memory_versions, $1) v
         join m on m.id = v.memory_id",
    )
    .bind(row(2, ids[2], "revised", 2)[0].clone())
    .execute(&mut *tx)
    .await?;
    sqlx::query(entry).bind(workspace).bind(ids[2]).bind(agent).bind("memory.revised").bind(ids[0]).bind(2).execute(&mut *tx).await?;
    tx.commit().await
}

fn sha(text: &str) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_schema_becomes_this_one_and_nothing_is_lost() {
    let mut house = House::on(Postgres::own(false).await, |_| {}).await;
    let agent = lived_in(&house).await;
    let known = known_to(&agent).await;
    assert!(known.memories.len() > 30);
    let workspace = house.workspace("coding").await;
    house.shut().await;
    let (name, first) = as_it_began(&house).await;
    let postgres = house.postgres().clone();
    let mut owner = PgConnection::connect(&postgres.owner_url(&name)).await.expect("the owner gets in");
    let before = contents(&mut owner, &first).await;
    assert!(before["memory_versions"].len() > 40 && before["erasures"].len() == 1, "there is something to lose");

    // The first server goes on while the schema changes under it.
    let old = PgPoolOptions::new().max_connections(3).connect(&postgres.login_url(&name)).await.expect("the first server");
    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let writing = tokio::spawn({
        let (stop, written, old, by) = (stop.clone(), written.clone(), old.clone(), agent.id);
        async move {
            while !stop.load(Ordering::Relaxed) {
                match first_server_writes(&old, workspace, by).await {
                    Ok(()) => drop(written.fetch_add(1, Ordering::Relaxed)),
                    // Who has to give way tries again, as it did.
                    Err(error) => {
                        let code = error.as_database_error().and_then(|error| error.code().map(std::borrow::Cow::into_owned));
                        assert_eq!(code.as_deref(), Some("40P01"), "a statement of the first server: {error}");
                    }
                }
            }
        }
    });
    let some = async |more: u32| {
        let from = written.load(Ordering::Relaxed);
        until("it writes", async || written.load(Ordering::Relaxed) >= from + more).await;
    };
    some(5).await;
    connect::migrate(&postgres.owner_url(&name), &postgres.login_url(&name)).await.expect("migrates");
    some(5).await;
    stop.store(true, Ordering::Relaxed);
    writing.await.expect("the first server was never refused");
    old.close().await;

    let after = contents(&mut owner, &first).await;
    for (table, rows) in &before {
        let lost: Vec<&String> = rows.iter().filter(|row| after[table].binary_search(row).is_err()).collect();
        // The numbers of transactions are those that were given when they were settled in.
        assert!(lost.is_empty() || ["memories", "erasures"].contains(&table.as_str()), "{table}: {lost:?}");
        assert!(after[table].len() >= rows.len(), "{table}");
    }
    let meanwhile = i64::from(written.load(Ordering::Relaxed));
    let kept: i64 = sqlx::query_scalar("select count(*) from memories where path like '/meanwhile/%' and version = 2")
        .fetch_one(&mut owner)
        .await
        .expect("a count");
    assert_eq!(kept, meanwhile, "what the first server wrote meanwhile is there");
    owner.execute("delete from memories where path like '/meanwhile/%'; delete from memory_versions where path like '/meanwhile/%'; set session_replication_role = replica; delete from audit_entries where request_id = 'old'").await.expect("as it was");

    // Today's server opens on it, for the same keys, and everything is there.
    let key = house.folder().join("master.key");
    let opened = House::on_database(postgres.clone(), name.clone(), |given| given.master_key_file = Some(key)).await.expect("it opens");
    let agent = agent.living_at(&opened.url);
    let now = known_to(&agent).await;
    assert_eq!(now.memories.len(), known.memories.len());
    for (now, then) in now.memories.iter().zip(&known.memories) {
        assert_eq!(now, then);
    }
    for (now, then) in now.versions.iter().zip(&known.versions) {
        assert_eq!(now, then);
    }
    assert_eq!(agent.recalls("marmalade7").await.first(), Some(&"marmalade7 is for breakfast".to_owned()));
    agent.post("memories", json!({"content": "the erased secret"})).await.refuses(409, "content_erased");
    agent.remembers("and life goes on").await;
    assert!(opened.admin().await.looking_at("coding").lists("audit").await.len() > 40);
    opened.is_sealed().await;
    let told = opened.runs(&["check", "--json"]).await;
    let report: Value = serde_json::from_str(&told.out).unwrap_or_else(|error| panic!("{error}: {told:?}"));
    let broken: Vec<&Value> = report["checks"].as_array().expect("a list").iter().filter(|check| check["found"] != 0).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    println!(
        "upgrade: {} rows of {} tables, {meanwhile} memories written by the first server's statements meanwhile",
        before.values().map(Vec::len).sum::<usize>(),
        before.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_runs_outlives_the_next_migration() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("marmalade is for breakfast").await;
    let everything = async || {
        agent.reads(&memory).await;
        agent.lists(&format!("{}/versions", at(&memory))).await;
        agent.lists("memories").await;
        agent.recalls("marmalade").await;
        agent.post("context", json!({})).await.expect(200);
    };
    for _ in 0..10 {
        everything().await;
    }
    // What a newer server may do: one more column, and a view that has it, too.
    let view: String =
        sqlx::query_scalar("select pg_get_viewdef('memory_states'::regclass)").fetch_one(house.owner()).await.expect("a view");
    let (columns, rest) = view.rsplit_once("\n   FROM (((").expect("where its columns end");
    let wider = format!(
        "alter table memory_versions add column later int; alter table memories add column later int;
         create or replace view memory_states with (security_invoker = true) as {columns}, v.later\n   FROM ((({rest}",
    );
    house.owner().execute(AssertSqlSafe(wider)).await.expect("the schema changes");
    let mut refused = 0;
    for _ in 0..60 {
        for (method, path) in [("GET", at(&memory)), ("GET", format!("{}/versions", at(&memory))), ("GET", "memories".to_owned())] {
            let reply = agent.ask(method, &path).send().await;
            assert!(reply.status == 200 || reply.status == 503, "{path}: {reply:?}");
            refused += u32::from(reply.status == 503);
        }
    }
    println!("upgrade: {refused} of 180 requests answered 503 after the schema had changed under the server");
    assert!(refused < 40, "{refused} of 180 were refused after the schema had changed");
    everything().await;
    agent.revises(&memory, json!({"content": "marmalade is for supper"})).await;
}
