-- The texts of an answer, as `told_where` reads them, and the receipt of it in the same trip, when it is known what will be told.
-- Nothing is kept unless all of it is there: then fewer texts come back than were asked for, and whoever asks looks again. With
-- no receipt, it only reads.
create function tell(ws uuid, who uuid, who_type text, person uuid, wall text, ids uuid[], versions int[], authors uuid[],
    receipt uuid, moment timestamptz, session uuid, door text, question text, asked jsonb, items jsonb,
    tokens int, omitted int, took_ms real)
returns table (id uuid, version int, path text, title text, content text, kind text, tags text[], project text, state text, source jsonb,
    confidence real, created_at timestamptz, created_by_type text, created_by uuid, created_by_name text,
    updated_at timestamptz, session_id uuid, superseded_by uuid, verified_at timestamptz, stale_after timestamptz, expires_at timestamptz,
    reported_at timestamptz, reported_as text, store_id uuid, store_name text)
language plpgsql volatile as $$
#variable_conflict use_column
declare
    stands boolean := enter_for_one_call(ws, who, person, wall);
    waits text;
    known uuid[] := '{}';
    names text[] := '{}';
    there bigint;
begin
    if receipt is not null then
        waits := set_config('synchronous_commit', 'off', true);
        -- Until the end, no erasure ends: what is read now is still there when the receipt is.
        perform pg_advisory_xact_lock_shared(hashtextextended('receipts ' || ws, 0));
    end if;
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
            and (receipt is null or v.content is not null)
        join memories m on m.workspace_id = ws and m.id = w.memory;
    get diagnostics there = row_count;
    if receipt is null or there < cardinality(ids) then
        return;
    end if;
    insert into receipts (workspace_id, id, at, actor_type, actor_id, project, session_id, surface, query, asked, items, tokens, omitted, took_ms)
    values (ws, receipt, moment, who_type, who, wall, session, door, question, asked, items, tokens, omitted,
        took_ms + extract(epoch from clock_timestamp() - statement_timestamp()) * 1000);
    insert into receipt_items (workspace_id, memory_id, receipt_id) select ws, told, receipt from unnest(ids) told;
end $$;
