//! Deletion: what was erased is gone from every table, and every erasure was asked, decided and left its mark.

use super::Promise;

pub(super) const PROMISES: &[Promise<'static>] = &[
    Promise {
        name: "erased_memories_are_gone",
        says: "nothing of an erased memory is left in any table that holds text or what was made of it",
        counts: "select count(*) from audit_entries where action = 'memory.erased'",
        breaks: "with gone as materialized (
                select workspace_id, target_id as id from audit_entries where action = 'memory.erased'
                union
                select i.workspace_id, i.memory_id
                from deletion_request_items i
                join deletion_requests r on r.workspace_id = i.workspace_id and r.id = i.request_id and r.state = 'executed'
                where i.kind = 'memory' and i.taken
            ), left_over as (
                select 'memories' as place, workspace_id, id from memories
                union all select 'memory_versions', workspace_id, memory_id from memory_versions
                union all select 'memory_tags', workspace_id, memory_id from memory_tags
                union all select 'anchors', workspace_id, memory_id from anchors
                union all select 'memory_vectors', workspace_id, memory_id from memory_vectors
                union all select 'code_verdicts', workspace_id, memory_id from code_verdicts
                union all select 'imported_versions', workspace_id, memory_id from imported_versions
                union all select 'proposals', workspace_id, memory_id from proposals
                union all select 'conflicts', workspace_id, a from conflicts
                union all select 'conflicts', workspace_id, b from conflicts
            )
            select distinct format('memory %s in %s', id, place) from left_over join gone using (workspace_id, id)",
    },
    Promise {
        name: "erased_runs_are_gone",
        says: "nothing of an erased run is left",
        counts: "select count(*) from audit_entries where action = 'session.erased'",
        breaks: "with left_over as (
                select 'sessions' as place, workspace_id, id from sessions
                union all select 'session_events', workspace_id, session_id from session_events
                union all select 'checkpoints', workspace_id, session_id from checkpoints
                union all select 'task_items', workspace_id, session_id from task_items
                union all select 'run_looks', workspace_id, session_id from run_looks
                union all select 'code_pair_runs', workspace_id, session_id from code_pair_runs
            )
            select distinct format('session %s in %s', l.id, l.place)
            from left_over l
            join audit_entries e on e.workspace_id = l.workspace_id and e.target_id = l.id and e.action = 'session.erased'",
    },
    Promise {
        name: "erased_words_are_gone",
        says: "what was asked about something erased, and what was looked for to erase it, is kept as hashes only",
        counts: "select count(*) from deletion_requests where state = 'executed'",
        breaks: "select format('deletion request %s', id)
            from deletion_requests
            where state = 'executed' and (reason is not null or subject is not null or query is not null)
            union all
            select distinct format('receipt %s', r.id)
            from audit_entries e
            join receipt_items i on i.workspace_id = e.workspace_id and i.memory_id = e.target_id
            join receipts r on r.workspace_id = i.workspace_id and r.id = i.receipt_id
            where e.action = 'memory.erased' and r.at < e.at and r.query is not null
            union all
            select distinct format('the answer kept for key %s of %s', md5(k.key), k.actor_id)
            from audit_entries e
            join idempotency_keys k on k.workspace_id = e.workspace_id and e.target_id = any (k.memory_ids)
            where e.action = 'memory.erased' and k.created_at < e.at and k.body is not null
            union all
            select format('event %s of session %s', s.seq, s.session_id)
            from session_events s
            join deletion_request_items i on i.workspace_id = s.workspace_id and i.kind = 'event' and i.taken and i.memory_id = s.session_id and i.part = s.seq
            join deletion_requests r on r.workspace_id = i.workspace_id and r.id = i.request_id and r.state = 'executed'
            where coalesce(s.text, s.tool, s.input::text, s.output, s.path, s.command) is not null",
    },
    Promise {
        name: "erasures_were_decided",
        says: "whatever was erased was asked for by one and approved by another, or by a rule, or alone after the wait, and its entry says so",
        counts: "select count(*) from deletion_requests where state = 'executed'",
        breaks: "select format('deletion request %s', r.id)
            from deletion_requests r
            where r.state = 'executed'
              and (r.executed_at is null or r.executed_by is null
                   or (r.rule is null and not r.alone
                       and (r.decided_by is null or r.decided_by = r.asked_for or not exists (select 1 from people p where p.id = r.decided_by)))
                   or not exists (
                       select 1 from audit_entries e
                       where e.workspace_id = r.workspace_id and e.target_id = r.id and e.action in ('deletion.executed', 'deletion.executed_again')))
            union all
            select format('memory %s of deletion request %s', i.memory_id, i.request_id)
            from deletion_request_items i
            join deletion_requests r on r.workspace_id = i.workspace_id and r.id = i.request_id and r.state = 'executed'
            where i.kind = 'memory' and i.taken
              and not exists (
                  select 1 from audit_entries e where e.workspace_id = i.workspace_id and e.target_id = i.memory_id and e.action = 'memory.erased')",
    },
    Promise {
        name: "tombstones_have_requests",
        says: "every keyed hash of an erased text belongs to a request that was executed",
        counts: "select count(*) from erasures",
        breaks: "select distinct format('the hashes of deletion request %s', e.request_id)
            from erasures e
            where not exists (
                select 1 from deletion_requests r where r.workspace_id = e.workspace_id and r.id = e.request_id and r.state = 'executed')",
    },
    Promise {
        name: "holds_hold",
        says: "nothing that a legal hold keeps was erased while it was held",
        counts: "select count(*) from hold_items",
        breaks: "select format('%s %s, held by %s', i.kind, i.target_id, i.hold_id)
            from hold_items i
            join holds h on h.workspace_id = i.workspace_id and h.id = i.hold_id
            join audit_entries e on e.workspace_id = i.workspace_id and e.target_id = i.target_id
                and e.action in ('memory.erased', 'session.erased') and e.at > h.placed_at + interval '1 minute'",
    },
];
