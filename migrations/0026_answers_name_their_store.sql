-- What is told says in which store it lies. As `told`, which servers of before go on using, with two columns more; the name is
-- looked up only for what lies beside the default store, and is null for that one.
create function told_where(ws uuid, who uuid, person uuid, wall text, ids uuid[], versions int[], authors uuid[])
returns table (id uuid, version int, path text, title text, content text, kind text, tags text[], project text, state text, source jsonb,
    confidence real, created_at timestamptz, created_by_type text, created_by uuid, created_by_name text,
    updated_at timestamptz, session_id uuid, superseded_by uuid, verified_at timestamptz, stale_after timestamptz, expires_at timestamptz,
    reported_at timestamptz, reported_as text, store_id uuid, store_name text)
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
            m.reported_at, m.reported_as, v.store_id,
            case when v.store_id <> ws then (select s.name from stores s where s.workspace_id = ws and s.id = v.store_id) end
        from unnest(ids, versions) w (memory, number)
        join memory_versions v on v.workspace_id = ws and v.memory_id = w.memory and v.version = w.number
        join memories m on m.workspace_id = ws and m.id = w.memory;
end $$;
