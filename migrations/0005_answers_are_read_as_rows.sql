-- What `look_up` does, in rows instead of jsonb: building and reading that took most of the trip. Either one row says
-- what changed since, or the rows are the texts, read under the asker's scope, in the order asked.
create function look(ws uuid, who uuid, person uuid, wall text, since xid8, ids uuid[], versions int[])
returns table (horizon text, changed uuid[], stamps text[], gone uuid[],
    id uuid, version int, path text, title text, content text, kind text, tags text[], project text, state text, source jsonb,
    confidence real, created_at timestamptz, created_by_type text, created_by uuid, created_by_name text,
    updated_at timestamptz, session_id uuid, superseded_by uuid, verified_at timestamptz, stale_after timestamptz, expires_at timestamptz,
    reported_at timestamptz, reported_as text)
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
    select c.horizon, c.changed, c.stamps, c.gone into look.horizon, look.changed, look.stamps, look.gone from changes_since(ws, since) c;
    if cardinality(look.changed) > 0 or cardinality(look.gone) > 0 then
        return next;
        return;
    end if;
    perform enter_scope(ws, who, person, wall);
    return query
        select null::text, null::uuid[], null::text[], null::uuid[],
            v.memory_id, v.version, v.path, v.title, v.content, v.kind, v.tags, v.project, v.state, v.source,
            v.confidence, m.created_at, m.created_by_type, m.created_by, coalesce(a.name, p.name),
            v.at, v.session_id, v.superseded_by, v.verified_at, v.stale_after, v.expires_at,
            m.reported_at, m.reported_as
        from unnest(ids, versions) with ordinality w (memory, number, place)
        join memory_versions v on v.workspace_id = ws and v.memory_id = w.memory and v.version = w.number
        join memories m on m.workspace_id = ws and m.id = w.memory
        left join agents a on a.workspace_id = ws and a.id = m.created_by
        left join people p on p.id = m.created_by
        order by w.place;
end $$;
