//! What people decide on and run, in numbers that a long life leaves: proposals, conflicts, dreams, holds, deletion requests,
//! people and agents, straight into Postgres; and one erasure through the doors, for only the server can sign its certificate.

use super::fill::ID;
use crate::{
    Failure,
    house::{House, WORKSPACE},
};
use serde_json::json;
use uuid::Uuid;

const SECOND: &str = "second@example.org";

/// Statements for after `told` is there: the oldest memories, numbered.
pub fn steps(workspace: Uuid, agent: Uuid) -> Vec<String> {
    let audit = format!("(select id from audit_entries where workspace_id = '{workspace}' limit 1)");
    let maker = format!("(select made_by from agents where id = '{agent}')");
    vec![
        // Those that wait are proposed, as they would be.
        "create temp table waits as select id, n, now() - interval '1 minute' * n as at, n % 2 = 0 as open from told where n >= 1000".to_owned(),
        format!("update memories set state = 'proposed' where workspace_id = '{workspace}' and id in (select id from waits where open)"),
        format!("update memory_versions set state = 'proposed' where workspace_id = '{workspace}' and memory_id in (select id from waits where open)"),
        format!(
            "insert into proposals (workspace_id, id, origin, memory_id, state, reason, confidence, created_at, decided_at, decided_by_type, decided_by, audit_id)
             select '{workspace}', {ID}, (array['policy', 'capture', 'suspicious'])[1 + n::int % 3], id, case when open then 'open' else 'approved' end, 'a reason like any other',
                    0.6, at, case when open then null else at end, case when open then null else 'person' end, case when open then null else {maker} end, {audit}
             from waits"
        ),
        format!(
            "insert into conflicts (workspace_id, id, a, b, a_version, b_version, a_mark, b_mark, score, certain, origin, state, found_at, audit_id)
             select '{workspace}', {ID}, a, b, 1, 1, sha256(a::text::bytea), sha256(b::text::bytea), 0.8, false, 'sweep', 'open', at, {audit}
             from (select x.n, x.id as a, y.id as b, now() - interval '1 minute' * x.n as at from told x join told y on y.n = x.n + 1 where x.n between 100 and 900) e"
        ),
        // Swept, as it would be after three months.
        format!(
            "insert into conflict_sweeps (workspace_id, swept_to, swept_id, audit_id)
             values ('{workspace}', now(), '00000000-0000-0000-0000-000000000000', {audit})"
        ),
        format!(
            "insert into dreams (workspace_id, id, mode, dry_run, state, stage, started_at, ended_at, actor_type, actor_id, tally, audit_id)
             select '{workspace}', {ID}, 'review', false, 'done', 'over', at, at + interval '1 minute', 'person', {maker}, '{{\"looked_at\": 5000}}', {audit}
             from (select n, now() - interval '1 day' * n as at from generate_series(1, 200) n) e"
        ),
        format!(
            "insert into dream_actions (workspace_id, dream_id, n, deed, why, score, outcome, memory_id, others)
             select '{workspace}', d.id, t.n, 'verify', 'not_fresh', 0.7, 'listed', t.id, '{{}}'
             from dreams d, told t where d.workspace_id = '{workspace}' and t.n < 500"
        ),
        format!(
            "insert into holds (workspace_id, id, reason, placed_at, placed_by_type, placed_by, audit_id)
             select '{workspace}', {ID}, 'case number ' || n, at, 'person', {maker}, {audit} from (select n, now() - interval '1 hour' * n as at from generate_series(1, 500) n) e"
        ),
        format!(
            "insert into hold_items (workspace_id, hold_id, kind, target_id)
             select '{workspace}', h.id, 'memory', t.id from (select id, row_number() over () as n from holds) h join told t on t.n % 500 = h.n - 1"
        ),
        format!(
            "insert into deletion_requests (workspace_id, id, state, reason, asked_at, asked_by_type, asked_by, asked_for, audit_id)
             select '{workspace}', {ID}, (array['pending', 'rejected', 'blocked'])[1 + n % 3], 'somebody asked, number ' || n, at, 'agent', '{agent}', {maker}, {audit}
             from (select n, now() - interval '1 hour' * n as at from generate_series(1, 1000) n) e"
        ),
        format!(
            "insert into deletion_request_items (workspace_id, request_id, memory_id)
             select '{workspace}', r.id, t.id from (select id, row_number() over () as n from deletion_requests) r join told t on t.n % 1000 = r.n - 1"
        ),
        format!(
            "insert into people (id, email, name) select {ID}, 'person-' || n || '@example.org', 'Person number ' || n
             from (select n, now() - interval '1 hour' * n as at from generate_series(1, 300) n) e"
        ),
        format!(
            "insert into members (workspace_id, person_id, role)
             select '{workspace}', id, 'reader' from people where email like 'person-%'"
        ),
        format!(
            "insert into agents (workspace_id, id, name, role, made_by)
             select '{workspace}', {ID}, 'agent-' || n, 'writer', {maker} from (select n, now() - interval '1 hour' * n as at from generate_series(1, 300) n) e"
        ),
    ]
}

/// A request that went all the way.
pub async fn erased(house: &mut House) -> Result<String, Failure> {
    let at = |place: &str| format!("/v1/workspaces/{WORKSPACE}/{place}");
    house.account(SECOND).await?;
    house.joins(WORKSPACE, SECOND, "reviewer").await?;
    let mut agent = house.client(&house.key).await?;
    let memory = agent.make(&at("memories"), json!({"content": "What has to go.", "kind": "discovery"})).await?;
    let asked = agent.make(&at("deletion-requests"), json!({"memory_ids": [memory["id"]], "reason": "to measure"})).await?;
    let request = asked["id"].as_str().ok_or("a request has an id")?.to_owned();
    let mut second = house.sign_in(SECOND).await?;
    for step in ["approve", "execute"] {
        second.make(&at(&format!("deletion-requests/{request}/{step}")), json!({})).await?;
    }
    Ok(request)
}
