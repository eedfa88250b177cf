-- Which runs a pair of files was counted from, and how much each added: a run that is erased takes its own back. Pairs that an
-- older server counts, or counted before, know none of that.
create table code_pair_runs (
    workspace_id uuid not null,
    session_id uuid not null,
    project text not null,
    a text not null,
    b text not null,
    weight real not null,
    primary key (workspace_id, session_id, project, a, b),
    constraint code_pair_runs_session foreign key (workspace_id, session_id) references sessions on delete cascade,
    constraint code_pair_runs_pair foreign key (workspace_id, project, a, b) references code_pairs on delete cascade
);
create index code_pair_runs_pair on code_pair_runs (workspace_id, project, a, b);

alter table code_pair_runs enable row level security;
alter table code_pair_runs force row level security;
create policy scoped on code_pair_runs
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())));
grant select, insert on code_pair_runs to cairn_app;

-- As it was, but for the pairs. What is asked with arrays is planned for how long they are.
create or replace function erase_runs(ws uuid, request uuid) returns jsonb
language plpgsql volatile security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
    whole uuid[];
    older uuid[];
    namers uuid[];
    names text[];
    projects text[] := '{}';
    firsts text[] := '{}';
    seconds text[] := '{}';
    namings bigint[] := '{}';
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

    -- Of what an older server counted, nobody knows which run it was from: a run that it closed takes the mean of each pair
    -- that its log names. A name is looked for once per run, however many pairs it is in.
    select array_agg(s.id) into older from sessions s
    where s.workspace_id = ws and s.id = any (whole) and s.ended_at is not null and not s.pairs_known;
    if older is not null then
        with files as materialized (
            select p.project, f.path, max(p.last_at) as last_at
            from code_pairs p
            left join (
                select r.project, r.a, r.b, count(*) as runs from code_pair_runs r where r.workspace_id = ws group by r.project, r.a, r.b
            ) k using (project, a, b)
            cross join lateral (values (p.a), (p.b)) f (path)
            where p.workspace_id = ws and p.runs > coalesce(k.runs, 0)
              and p.project in (select coalesce(s.project, '') from sessions s where s.workspace_id = ws and s.id = any (older))
            group by p.project, f.path
        ), said as materialized (
            select distinct e.session_id, concat_ws(' ', e.path, e.command, e.input::text) as text
            from session_events e
            where e.workspace_id = ws and e.session_id = any (older)
        )
        select coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.path), '{}') into namers, names
        from (
            select distinct s.id, f.path
            from sessions s
            join said e on e.session_id = s.id
            join files f on f.project = coalesce(s.project, '') and f.last_at >= s.ended_at and strpos(e.text, f.path) > 0
            where s.workspace_id = ws and s.id = any (older)
        ) l;
        select coalesce(array_agg(l.project), '{}'), coalesce(array_agg(l.a), '{}'), coalesce(array_agg(l.b), '{}'), coalesce(array_agg(l.runs), '{}')
        into projects, firsts, seconds, namings
        from (
            select p.project, p.a, p.b, count(*) as runs
            from sessions s
            join unnest(namers, names) x (id, path) on x.id = s.id
            join code_pairs p on p.workspace_id = ws and p.project = coalesce(s.project, '') and p.a = x.path and p.last_at >= s.ended_at
            join unnest(namers, names) y (id, path) on y.id = s.id and y.path = p.b
            where s.workspace_id = ws and s.id = any (older)
            group by p.project, p.a, p.b
        ) l;
    end if;
    -- Whoever counts one of these meanwhile waits, or was first and is seen.
    perform 1 from code_pairs p
    join (
        select r.project, r.a, r.b from code_pair_runs r where r.workspace_id = ws and r.session_id = any (whole)
        union
        select * from unnest(projects, firsts, seconds)
    ) l using (project, a, b)
    where p.workspace_id = ws
    order by p.project, p.a, p.b
    for update of p;
    -- Pairs of files lose what these runs counted in them, and go with the last of their runs. What a known run counted is its own.
    with lost as materialized (
        select l.project, l.a, l.b, sum(l.runs) as runs, sum(l.weight) as weight
        from (
            select r.project, r.a, r.b, 1 as runs, r.weight from code_pair_runs r where r.workspace_id = ws and r.session_id = any (whole)
            union all
            select p.project, p.a, p.b, t.runs, t.runs * p.weight / p.runs
            from unnest(projects, firsts, seconds, namings) o (project, a, b, runs)
            join code_pairs p on p.workspace_id = ws and p.project = o.project and p.a = o.a and p.b = o.b
            cross join lateral (
                select count(*) as runs from code_pair_runs r
                where r.workspace_id = ws and r.project = p.project and r.a = p.a and r.b = p.b
            ) k
            cross join lateral (select least(o.runs, p.runs - k.runs) as runs) t
            where t.runs > 0
        ) l
        group by l.project, l.a, l.b
    ), gone as (
        delete from code_pairs p using lost l
        where p.workspace_id = ws and p.project = l.project and p.a = l.a and p.b = l.b and p.runs <= l.runs
    ), less as (
        update code_pairs p set runs = p.runs - l.runs, weight = greatest(p.weight - l.weight, 0)
        from lost l
        where p.workspace_id = ws and p.project = l.project and p.a = l.a and p.b = l.b and p.runs > l.runs
    )
    select count(*) into n from lost;
    delete from code_pair_runs r where r.workspace_id = ws and r.session_id = any (whole);
    -- And those that name a file of a single event: its path may be what had to go.
    with said as materialized (
        select distinct concat_ws(' ', e.path, e.command, e.input::text) as text
        from deletion_request_items i
        join session_events e on e.workspace_id = ws and e.session_id = i.memory_id and e.seq = i.part
        where i.workspace_id = ws and i.request_id = request and i.kind = 'event' and i.taken
    ), files as materialized (
        select p.a as path from code_pairs p where p.workspace_id = ws and exists (select 1 from said)
        union
        select p.b from code_pairs p where p.workspace_id = ws and exists (select 1 from said)
    ), named as materialized (
        select f.path from files f where exists (select 1 from said e where strpos(e.text, f.path) > 0)
    )
    delete from code_pairs p
    where p.workspace_id = ws and (p.a in (select path from named) or p.b in (select path from named));
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
