//! A workspace that has been lived in, straight into Postgres: memories as `speed` writes them, and around them a trail,
//! receipts, runs and tasks of three months.

use super::governed;
use crate::{
    Failure,
    house::WORKSPACE,
    pgbench,
    speed::{fill::Filler, texts::Texts},
};
use cairn_server::store::cluster::ThrowAway;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

pub struct Lived {
    pub entries: u64,
    memory: Uuid,
    session: Uuid,
    receipt: Uuid,
    proposal: Uuid,
    conflict: Uuid,
    dream: Uuid,
    agent: Uuid,
    request: Uuid,
}

impl Lived {
    /// Every page; `executed` is a deletion request that was.
    pub fn pages(&self, executed: &str) -> Vec<(&'static str, String)> {
        let at = |path: &str| format!("/w/{WORKSPACE}/{path}");
        vec![
            ("overview", at("overview")),
            ("search", at("search")),
            ("search, asked", at("search?q=how+are+deploys+rolled+back")),
            ("memories", at("memories")),
            ("memories by kind", at("memories?kind=decision")),
            ("memory", at(&format!("memories/{}", self.memory))),
            ("decisions", at("decisions")),
            ("code", at("code")),
            ("code, a folder", at("code?repo=big&path=src%2F")),
            ("code, a small one", at("code?repo=big&path=src%2Fpackage_7%2F")),
            ("code, a symbol", at("code?repo=big&path=src%2Fpackage_7%2Ffile_357.py&symbol=function_10")),
            ("needs review", at("code/review")),
            ("needs review, by age", at("code/review?order=age&repo=big")),
            ("sessions", at("sessions")),
            ("session", at(&format!("sessions/{}", self.session))),
            ("tasks", at("tasks")),
            ("task", at("tasks/task-7")),
            ("receipts", at("receipts")),
            ("receipts of one", at(&format!("receipts?memory_id={}", self.memory))),
            ("receipt", at(&format!("receipts/{}", self.receipt))),
            ("audit", at("trail")),
            ("review", at("review")),
            ("review, decided", at("review?state=approved")),
            ("proposal", at(&format!("review/{}", self.proposal))),
            ("conflicts", at("conflicts")),
            ("conflict", at(&format!("conflicts/{}", self.conflict))),
            ("dreams", at("dreams")),
            ("dream", at(&format!("dreams/{}", self.dream))),
            ("dream, rolled back?", at(&format!("rollbacks/new?dream_id={}", self.dream))),
            ("deletion", at("deletion-requests")),
            ("deletion request", at(&format!("deletion-requests/{}", self.request))),
            ("asking for deletion", at("deletion-requests/new")),
            ("certificate", at(&format!("deletion-requests/{executed}/certificate"))),
            ("holds", at("holds")),
            ("retention", at("retention")),
            ("retention, tried", at("retention?try=yes&days=30")),
            ("agents", at("agents")),
            ("agent", at(&format!("agents/{}", self.agent))),
            ("members", at("members")),
            ("settings", at("settings")),
            ("connect", at("connect")),
            ("workspaces", "/workspaces".to_owned()),
            ("account", "/account".to_owned()),
            ("instance", "/instance".to_owned()),
            ("all workspaces", "/instance/workspaces".to_owned()),
            ("all people", "/instance/people".to_owned()),
        ]
    }
}

/// An id of version 7 for a moment; `n` tells those of one millisecond apart.
pub const ID: &str = "(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid";

pub async fn fill(postgres: &ThrowAway, owner: &mut PgConnection, texts: &Texts, memories: u64) -> Result<Lived, Failure> {
    let mut filler = Filler::new(owner, WORKSPACE).await?;
    filler.fill(owner, texts, memories).await?;
    let workspace = filler.workspace();
    let (entries, receipts, sessions) = (memories * 10, memories, memories / 50);
    let agent: Uuid = one(owner, &format!("select id from agents where workspace_id = '{workspace}' limit 1")).await?;
    let lived = [
        format!("create temp table told as select row_number() over (order by id) - 1 as n, id from memories where workspace_id = '{workspace}' order by id limit 5000"),
        "create index on told (n)".to_owned(),
        "analyze told".to_owned(),
        format!(
            "insert into audit_entries (workspace_id, id, at, actor_type, actor_id, role, action, target_type, target_id, version, request_id, digest)
             select '{workspace}', {ID}, at, 'agent', '{agent}', 'writer', 'memory.revised', 'memory', gen_random_uuid(), 2, 'bench', sha256(n::text::bytea)
             from (select n, now() - interval '90 days' * (1 - n::float8 / {entries}) as at from generate_series(1, {}) n) e",
            entries - memories
        ),
        format!(
            "insert into receipts (workspace_id, id, at, actor_type, actor_id, surface, query, asked, items, tokens, omitted, took_ms)
             select '{workspace}', {ID}, at, 'agent', '{agent}', 'rest', 'question number ' || n, '{{\"limit\": 10, \"detail\": \"full\", \"include_stale\": true}}',
                    (select jsonb_agg(jsonb_build_object('memory_id', t.id, 'version', 1, 'score', 0.5, 'freshness', 'fresh', 'tokens', 40, 'detail', 'full',
                        'why', jsonb_build_object('keyword', 0.5, 'semantic', 0.5, 'code', 0, 'recency', 0.5, 'authority', 1, 'freshness', 1)))
                     from told t where t.n in (e.n % 5000, (e.n * 7) % 5000, (e.n * 31) % 5000, (e.n * e.n) % 97, e.n % 13)),
                    200, 3, 1.5
             from (select n, now() - interval '90 days' * (1 - n::float8 / {receipts}) as at from generate_series(1::bigint, {receipts}) n) e"
        ),
        "insert into receipt_items (workspace_id, memory_id, receipt_id)
         select r.workspace_id, (i ->> 'memory_id')::uuid, r.id from receipts r cross join lateral jsonb_array_elements(r.items) i on conflict do nothing"
            .to_owned(),
        format!(
            "insert into tasks (workspace_id, id, key, title, project, state, next_step, created_at, updated_at, actor_type, actor_id, audit_id)
             select '{workspace}', {ID}, 'task-' || n, 'Task number ' || n, 'gateway', (array['open', 'active', 'paused', 'completed'])[1 + n % 4],
                    'go on with step ' || n, at, at, 'agent', '{agent}', (select id from audit_entries where workspace_id = '{workspace}' limit 1)
             from (select n, now() - interval '1 hour' * n as at from generate_series(1, 400) n) e"
        ),
        format!(
            "insert into sessions (workspace_id, id, agent_tool, project, task_id, state, started_at, ended_at, summary, actor_type, actor_id, audit_id)
             select '{workspace}', {ID}, 'claude-code', 'gateway', (select id from tasks where key = 'task-' || (1 + n % 400)), 'ended', at, at + interval '20 minutes', 'Run number ' || n,
                    'agent', '{agent}', (select id from audit_entries where workspace_id = '{workspace}' limit 1)
             from (select n, now() - interval '90 days' * (1 - n::float8 / {sessions}) as at from generate_series(1::bigint, {sessions}) n) e"
        ),
        format!(
            "insert into session_events (workspace_id, session_id, seq, id, type, at, received_at, text, path, command, exit_code, output)
             select '{workspace}', e.id, n, 'e' || n, (array['prompt', 'file_read', 'file_edit', 'command', 'message'])[1 + n % 5], now(), now(), 'what was said in ' || n,
                    'src/part_' || n || '.rs', 'cargo test part_' || n, n % 7, v.content
             from (select s.id, n, s.run * 1000 + n as m
                   from (select id, row_number() over (order by id desc) as run from sessions where workspace_id = '{workspace}' order by id desc limit 20) s,
                        generate_series(1, 1000) n) e
             join (select id as told, n as m from told) t on t.m = e.m % (select count(*) from told)
             join memory_versions v on v.workspace_id = '{workspace}' and v.memory_id = t.told and v.version = 1"
        ),
        // A thousand files, each used together with twenty others.
        format!(
            "insert into code_pairs (workspace_id, project, a, b, weight, runs, last_at)
             select '{workspace}', p, least(x, y), greatest(x, y), 1 + random(), 3, now()
             from (select (array['', 'gateway', 'billing'])[1 + n % 3] as p, 'src/package_' || n / 50 || '/file_' || n || '.py' as x,
                          'src/package_' || (n + m) / 50 || '/file_' || n + m || '.py' as y
                   from generate_series(1, 1000) n, generate_series(1, 20) m) f"
        ),
    ];
    let steps: Vec<String> = lived.into_iter().chain(governed::steps(workspace, agent)).chain(["analyze".to_owned()]).collect();
    let script = format!("set session_replication_role = replica; {}", steps.join(";\n"));
    pgbench::sql(postgres, &script).await?;
    pgbench::sql(postgres, "vacuum").await?;
    Ok(Lived {
        entries,
        memory: one(owner, "select memory_id from receipt_items group by memory_id order by count(*) desc limit 1").await?,
        session: one(owner, "select session_id from session_events limit 1").await?,
        receipt: one(owner, "select id from receipts order by id desc limit 1").await?,
        proposal: one(owner, "select id from proposals where state = 'open' order by id desc limit 1").await?,
        conflict: one(owner, "select id from conflicts order by id desc limit 1").await?,
        dream: one(owner, "select id from dreams order by id desc limit 1").await?,
        agent,
        request: one(owner, "select id from deletion_requests where state = 'pending' order by id desc limit 1").await?,
    })
}

async fn one(owner: &mut PgConnection, sql: &str) -> Result<Uuid, Failure> {
    Ok(sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(owner).await?)
}
