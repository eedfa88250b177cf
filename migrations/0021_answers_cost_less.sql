-- ── Stepping in ─────────────────────────────────────────────────────────────────────────────────
-- As before, by plain assignments: each `perform` and `set local` is a statement of its own, and these come with
-- every transaction.
create or replace function enter_scope(workspace uuid, actor uuid, person uuid default null, project text default null)
returns void language plpgsql as $$
declare
    was text;
begin
    was := set_config('cairn.workspace', coalesce(workspace::text, ''), true);
    was := set_config('cairn.actor', coalesce(actor::text, ''), true);
    was := set_config('cairn.person', coalesce(person::text, ''), true);
    was := set_config('cairn.project', coalesce(project, ''), true);
    was := set_config('role', 'cairn_app', true);
end $$;

create or replace function enter_index(workspace uuid) returns void language plpgsql as $$
declare
    was text;
begin
    was := set_config('cairn.workspace', coalesce(workspace::text, ''), true);
    was := set_config('cairn.actor', '', true);
    was := set_config('cairn.person', '', true);
    was := set_config('cairn.project', '', true);
    was := set_config('role', 'cairn_index', true);
end $$;

-- The same for a call that is a transaction of its own: what it asks is planned once per connection, as `set
-- plan_cache_mode` at the function would have it, which costs more.
create function enter_for_one_call(workspace uuid, actor uuid, person uuid, project text) returns boolean language plpgsql as $$
declare
    was text;
begin
    was := set_config('cairn.workspace', coalesce(workspace::text, ''), true);
    was := set_config('cairn.actor', coalesce(actor::text, ''), true);
    was := set_config('cairn.person', coalesce(person::text, ''), true);
    was := set_config('cairn.project', coalesce(project, ''), true);
    was := set_config('role', 'cairn_app', true);
    was := set_config('plan_cache_mode', 'force_generic_plan', true);
    return true;
end $$;

-- ── Texts of an answer ──────────────────────────────────────────────────────────────────────────
-- Under the asker's scope, in no order. Who wrote them first is known to whoever asks: looking their names up once,
-- instead of once for each memory, takes a fifth off.
create function told(ws uuid, who uuid, person uuid, wall text, ids uuid[], versions int[], authors uuid[])
returns table (id uuid, version int, path text, title text, content text, kind text, tags text[], project text, state text, source jsonb,
    confidence real, created_at timestamptz, created_by_type text, created_by uuid, created_by_name text,
    updated_at timestamptz, session_id uuid, superseded_by uuid, verified_at timestamptz, stale_after timestamptz, expires_at timestamptz,
    reported_at timestamptz, reported_as text)
language plpgsql volatile as $$
#variable_conflict use_column
declare
    stands boolean := enter_for_one_call(ws, who, person, wall);
    known uuid[] := '{}';
    names text[] := '{}';
begin
    if cardinality(authors) > 0 then
        select coalesce(array_agg(a.id), '{}'), coalesce(array_agg(a.name), '{}') into known, names
        from agents a where a.workspace_id = ws and a.id = any (authors);
    end if;
    if cardinality(authors) > cardinality(known) then
        select known || coalesce(array_agg(p.id), '{}'), names || coalesce(array_agg(p.name), '{}') into known, names
        from people p where p.id = any (authors);
    end if;
    return query
        select v.memory_id, v.version, v.path, v.title, v.content, v.kind, v.tags, v.project, v.state, v.source,
            v.confidence, m.created_at, m.created_by_type, m.created_by, names[array_position(known, m.created_by)],
            v.at, v.session_id, v.superseded_by, v.verified_at, v.stale_after, v.expires_at,
            m.reported_at, m.reported_as
        from unnest(ids, versions) w (memory, number)
        join memory_versions v on v.workspace_id = ws and v.memory_id = w.memory and v.version = w.number
        join memories m on m.workspace_id = ws and m.id = w.memory;
end $$;

-- ── Receipts ────────────────────────────────────────────────────────────────────────────────────
-- What `keep_receipt` does; whoever calls this names each memory once.
create function write_receipt(ws uuid, who uuid, who_type text, person uuid, wall text,
    receipt uuid, moment timestamptz, session uuid, door text, question text, asked jsonb, items jsonb, memories uuid[],
    tokens int, omitted int, took_ms real) returns void
language plpgsql volatile as $$
declare
    stands boolean := enter_for_one_call(ws, who, person, wall);
    waits text := set_config('synchronous_commit', 'off', true);
begin
    insert into receipts (workspace_id, id, at, actor_type, actor_id, project, session_id, surface, query, asked, items, tokens, omitted, took_ms)
    values (ws, receipt, moment, who_type, who, wall, session, door, question, asked, items, tokens, omitted, took_ms);
    insert into receipt_items (workspace_id, memory_id, receipt_id) select ws, told, receipt from unnest(memories) told;
end $$;

-- Compressing it as Postgres does by itself took a quarter of the call. Where this Postgres cannot do better, it stays so.
do $$ begin
    alter table receipts alter column items set compression lz4;
exception when feature_not_supported then null;
end $$;
