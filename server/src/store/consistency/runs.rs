//! Runs, tasks, what waits for review, and what was told.

use super::Promise;

pub(super) const PROMISES: &[Promise<'static>] = &[
    Promise {
        name: "runs_end_once",
        says: "a run that is over has an end, and one that goes on has none; its log has no gap, and no more of it was distilled than there is",
        counts: "select count(*) from sessions",
        breaks: "select format('session %s', s.id)
            from sessions s
            left join lateral (
                select count(*) as events, coalesce(max(e.seq), 0) as last
                from session_events e where e.workspace_id = s.workspace_id and e.session_id = s.id
            ) log on true
            where (s.state = 'running') <> (s.ended_at is null) or log.events <> log.last or s.distilled > log.last",
    },
    Promise {
        name: "runs_have_their_tasks",
        says: "runs, checkpoints and items belong to tasks, runs and memories that are there, or were erased",
        counts: "select (select count(*) from sessions) + (select count(*) from checkpoints) + (select count(*) from task_items)",
        breaks: "with links as (
                select 'task' as sort, s.workspace_id, s.task_id as id, format('session %s', s.id) as what from sessions s
                union all select 'memory', s.workspace_id, s.episode_id, format('session %s', s.id) from sessions s
                union all select 'task', c.workspace_id, c.task_id, format('checkpoint %s', c.id) from checkpoints c
                union all select 'session', c.workspace_id, c.session_id, format('checkpoint %s', c.id) from checkpoints c
                union all select 'memory', c.workspace_id, unnest(c.decisions || c.discoveries), format('checkpoint %s', c.id) from checkpoints c
                union all select 'memory', t.workspace_id, t.episode_id, format('task %s', t.id) from tasks t
                union all select 'task', i.workspace_id, i.task_id, format('item %s of task %s', i.position, i.task_id) from task_items i
                union all select 'session', i.workspace_id, i.session_id, format('item %s of task %s', i.position, i.task_id) from task_items i
                union all select 'session', e.workspace_id, e.session_id, format('events of session %s', e.session_id)
                    from (select distinct workspace_id, session_id from session_events) e
            )
            select distinct format('%s: no %s %s', l.what, l.sort, l.id)
            from links l
            where l.id is not null
              and not case l.sort
                  when 'task' then exists (select 1 from tasks t where t.workspace_id = l.workspace_id and t.id = l.id)
                  when 'session' then exists (select 1 from sessions s where s.workspace_id = l.workspace_id and s.id = l.id)
                  else exists (select 1 from memories m where m.workspace_id = l.workspace_id and m.id = l.id) end
              and not exists (
                  select 1 from audit_entries e
                  where e.workspace_id = l.workspace_id and e.target_id = l.id and e.action in ('memory.erased', 'session.erased'))",
    },
    Promise {
        name: "proposals_are_decided_once",
        says: "a proposal is open, or somebody has decided on it; and whatever waits for review has one that is open",
        counts: "select count(*) from proposals",
        breaks: "select format('proposal %s', p.id)
            from proposals p
            where (p.state = 'open') <> (p.decided_at is null) or (p.decided_at is null) <> (p.decided_by is null)
               or not exists (select 1 from memories m where m.workspace_id = p.workspace_id and m.id = p.memory_id)
            union all
            select format('memory %s', m.id)
            from memories m
            where m.state = 'proposed'
              and not exists (select 1 from proposals p where p.workspace_id = m.workspace_id and p.memory_id = m.id and p.state = 'open')",
    },
    Promise {
        name: "receipts_point_at_versions",
        says: "every receipt names versions that can still be read, unless they were erased",
        counts: "select count(*) from receipts",
        breaks: "select format('receipt %s: version %s of memory %s', r.id, told ->> 'version', told ->> 'memory_id')
            from receipts r, jsonb_array_elements(r.items) told
            where not exists (
                    select 1 from memory_versions v
                    where v.workspace_id = r.workspace_id and v.memory_id = (told ->> 'memory_id')::uuid and v.version = (told ->> 'version')::int)
              and not exists (
                    select 1 from audit_entries e
                    where e.workspace_id = r.workspace_id and e.target_id = (told ->> 'memory_id')::uuid and e.action = 'memory.erased')
            union all
            select format('receipt %s is not found by memory %s', r.id, told ->> 'memory_id')
            from receipts r, jsonb_array_elements(r.items) told
            where not exists (
                select 1 from receipt_items i
                where i.workspace_id = r.workspace_id and i.receipt_id = r.id and i.memory_id = (told ->> 'memory_id')::uuid)
            union all
            select format('an item of receipt %s, which is not there', i.receipt_id)
            from receipt_items i
            where not exists (select 1 from receipts r where r.workspace_id = i.workspace_id and r.id = i.receipt_id)",
    },
    Promise {
        name: "rollbacks_add_versions",
        says: "what a rollback brought back is a version of its own, which says whose state it has",
        counts: "select count(*) from rollback_items",
        breaks: "select format('memory %s in rollback %s', i.memory_id, i.rollback_id)
            from rollback_items i
            where i.outcome <> 'left' and i.version is not null
              and not exists (
                  select 1 from memory_versions v
                  where v.workspace_id = i.workspace_id and v.memory_id = i.memory_id and v.version = i.version and v.run_id = i.rollback_id)
              and not exists (
                  select 1 from audit_entries e where e.workspace_id = i.workspace_id and e.target_id = i.memory_id and e.action = 'memory.erased')",
    },
];
