-- ── A request by person, session or words ───────────────────────────────────────────────────────
-- What was looked for is shown to whoever approves; after the execution only keyed hashes of it stay.
alter table deletion_requests
    add column subject text,
    add column subject_mac bytea,
    add column query text,
    add column query_mac bytea,
    add column include_copies boolean not null default false,
    -- What a blocked one is again when the hold is lifted.
    add column resumes_as text check (resumes_as in ('pending', 'approved')),
    -- One person asked and approved, after a day, because there was no other.
    add column alone boolean not null default false,
    -- The retention rule that asked: a kind of memory, or what is archived, and a number of days.
    add column rule jsonb,
    add column executed_xid xid8,
    add column certificate text;
create index deletion_requests_executed on deletion_requests (workspace_id, executed_at) where state = 'executed';

-- The list is made when the request is asked and frozen: what is approved is what is erased.
-- `memory_id` is the id of whatever `kind` says; `part` the place of an event in its log or of an item in its task.
alter table deletion_request_items
    add column kind text not null default 'memory'
        check (kind in ('memory', 'session', 'session_words', 'event', 'checkpoint', 'task', 'task_item', 'receipt', 'deletion_request')),
    add column part bigint not null default 0,
    add column why text not null default 'named' check (why in ('named', 'wrote', 'words', 'derived', 'copy')),
    -- A copy that nobody chose is listed, and stays.
    add column taken boolean not null default true,
    drop constraint deletion_request_items_pkey,
    add primary key (workspace_id, request_id, kind, memory_id, part);
create index deletion_request_items_of on deletion_request_items (workspace_id, memory_id);

-- ── Holds ───────────────────────────────────────────────────────────────────────────────────────
create table holds (
    workspace_id uuid not null,
    id uuid not null,
    subject text,
    reason text not null,
    placed_at timestamptz not null,
    placed_by_type text not null,
    placed_by uuid not null,
    audit_id uuid not null,
    primary key (workspace_id, id),
    constraint holds_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create table hold_items (
    workspace_id uuid not null,
    hold_id uuid not null,
    kind text not null check (kind in ('memory', 'session')),
    target_id uuid not null,
    primary key (workspace_id, hold_id, kind, target_id),
    constraint hold_items_hold foreign key (workspace_id, hold_id) references holds on delete cascade
);
create index hold_items_of on hold_items (workspace_id, target_id);

do $$ declare t text; begin
    foreach t in array array['holds', 'hold_items'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
        execute format('create policy scoped on %I using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()))', t);
    end loop;
end $$;
grant select, insert, delete on holds, hold_items to cairn_app;

-- Whoever places a hold and whoever erases wait for each other.
create function lock_holds(ws uuid) returns void language sql volatile
    as $$ select pg_advisory_xact_lock(hashtextextended('cairn holds ' || ws::text, 0)) $$;

-- ── The one way in which a log loses something ──────────────────────────────────────────────────
-- Logs and checkpoints are append-only for the role that requests run under. This takes what an executed request lists,
-- in the transaction that executes it, and nothing else.
create function erase_runs(ws uuid, request uuid) returns jsonb
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
    whole uuid[];
    touched uuid[];
    counts jsonb := '{}';
    n bigint;
    m bigint;
begin
    perform 1 from deletion_requests r
    where r.workspace_id = ws and r.id = request and r.state = 'executed' and r.executed_xid = pg_current_xact_id();
    if not found then
        raise exception 'deletion request % is not being executed in this transaction', request using errcode = 'insufficient_privilege';
    end if;
    select coalesce(array_agg(i.memory_id), '{}') into whole
    from deletion_request_items i where i.workspace_id = ws and i.request_id = request and i.kind = 'session' and i.taken;

    -- Pairs of files that one run alone taught: they were kept when it ended, and its log names both.
    delete from code_pairs p using sessions s
    where s.workspace_id = ws and s.id = any (whole) and p.workspace_id = ws and p.project = coalesce(s.project, '') and p.runs = 1
      and p.last_at >= s.ended_at and p.last_at < s.ended_at + interval '1 minute'
      and exists (select 1 from session_events e where e.workspace_id = ws and e.session_id = s.id
                  and strpos(concat_ws(' ', e.path, e.command, e.input::text), p.a) > 0)
      and exists (select 1 from session_events e where e.workspace_id = ws and e.session_id = s.id
                  and strpos(concat_ws(' ', e.path, e.command, e.input::text), p.b) > 0);
    get diagnostics n = row_count;
    -- And those that name a file of a single event: its path may be what had to go.
    delete from code_pairs p using deletion_request_items i, session_events e
    where i.workspace_id = ws and i.request_id = request and i.kind = 'event' and i.taken
      and e.workspace_id = ws and e.session_id = i.memory_id and e.seq = i.part and p.workspace_id = ws
      and (strpos(concat_ws(' ', e.path, e.command, e.input::text), p.a) > 0 or strpos(concat_ws(' ', e.path, e.command, e.input::text), p.b) > 0);
    get diagnostics m = row_count;
    counts := counts || jsonb_build_object('code_pairs', n + m);

    -- Evidence in a log that is gone speaks for nothing; events go by names that their senders gave.
    update proposals p
    set sightings = coalesce((
        select jsonb_agg(jsonb_set(s, '{events}', coalesce((
            select jsonb_agg(shown)
            from jsonb_array_elements_text(s -> 'events') shown
            where not exists (
                select 1 from session_events e
                join deletion_request_items i on i.workspace_id = ws and i.request_id = request and i.kind = 'event' and i.taken
                    and i.memory_id = e.session_id and i.part = e.seq
                where e.workspace_id = ws and e.session_id = (s ->> 'session_id')::uuid and e.id = shown)), '[]')))
        from jsonb_array_elements(p.sightings) s
        where (s ->> 'session_id')::uuid <> all (whole)), '[]')
    where p.workspace_id = ws and exists (
        select 1 from jsonb_array_elements(p.sightings) s
        join deletion_request_items i on i.workspace_id = ws and i.request_id = request and i.kind in ('session', 'event') and i.taken
        where i.memory_id = (s ->> 'session_id')::uuid);

    delete from session_events e where e.workspace_id = ws and e.session_id = any (whole);
    get diagnostics n = row_count;
    -- One event keeps its place in the log, and nothing else.
    update session_events e
    set id = 'erased-' || e.seq, text = null, tool = null, input = null, output = null, path = null, command = null, cut = null
    from deletion_request_items i
    where i.workspace_id = ws and i.request_id = request and i.kind = 'event' and i.taken
      and e.workspace_id = ws and e.session_id = i.memory_id and e.seq = i.part;
    get diagnostics m = row_count;
    counts := counts || jsonb_build_object('session_events', n + m);

    select coalesce(array_agg(distinct c.task_id), '{}') into touched
    from checkpoints c
    where c.workspace_id = ws and c.task_id is not null
      and (c.session_id = any (whole)
           or exists (select 1 from deletion_request_items i where i.workspace_id = ws and i.request_id = request
                      and i.kind = 'checkpoint' and i.taken and i.memory_id = c.id));
    delete from checkpoints c where c.workspace_id = ws and c.session_id = any (whole);
    get diagnostics n = row_count;
    update checkpoints c set progress = '[]', next_step = null
    from deletion_request_items i
    where i.workspace_id = ws and i.request_id = request and i.kind = 'checkpoint' and i.taken
      and c.workspace_id = ws and c.id = i.memory_id;
    get diagnostics m = row_count;
    counts := counts || jsonb_build_object('checkpoints', n + m);

    delete from task_items t
    where t.workspace_id = ws
      and (t.session_id = any (whole)
           or exists (select 1 from deletion_request_items i where i.workspace_id = ws and i.request_id = request
                      and i.kind = 'task_item' and i.taken and i.memory_id = t.task_id and i.part = t.position));
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('task_items', n);
    -- Where to go on is what the last checkpoint that is left says.
    update tasks t
    set next_step = (select c.next_step from checkpoints c
                     where c.workspace_id = ws and c.task_id = t.id and c.next_step is not null order by c.id desc limit 1)
    where t.workspace_id = ws and t.id = any (touched) and t.next_step is not null;
    update tasks t set key = 'erased-' || t.id, title = '[erased]', next_step = null
    from deletion_request_items i
    where i.workspace_id = ws and i.request_id = request and i.kind = 'task' and i.taken and t.workspace_id = ws and t.id = i.memory_id;
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('tasks', n);

    update sessions s set agent_tool = 'erased', external_id = null, branch = null, commit_id = null, cwd = null, summary = null
    from deletion_request_items i
    where i.workspace_id = ws and i.request_id = request and i.kind = 'session_words' and i.taken
      and s.workspace_id = ws and s.id = i.memory_id;
    get diagnostics m = row_count;
    delete from sessions s where s.workspace_id = ws and s.id = any (whole);
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('sessions', n + m);
    return counts;
end $$;
revoke execute on function erase_runs(uuid, uuid) from public;
grant execute on function erase_runs(uuid, uuid) to cairn_app;
