-- How much of a reader's budget a text takes, counted once, when it is written; null in versions from before.
alter table memory_versions add column tokens int;

-- New memories, their versions, labels and entries in one call, which is one transaction: standing in the scope,
-- looking whether anything is in the way, and writing. False, and nothing written, when the same text was erased or
-- is known, or a path is taken: whoever asked then looks closer, in a transaction of many statements.
create function remember(
    ws uuid, who uuid, person uuid, wall text,
    store uuid, versions jsonb, twins bytea[], macs bytea[], shas bytea[], paths text[], entries jsonb, labelled boolean
) returns boolean language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
    perform enter_scope(ws, who, person, wall);
    perform 1 from unnest(macs) mac
    cross join lateral (select 1 from erasures e where e.workspace_id = ws and e.content_mac = mac limit 1) erased
    union all
    select 1 from unnest(shas) sha
    cross join lateral (select 1 from memories m where m.workspace_id = ws and m.content_sha256 = sha limit 1) known
    union all
    select 1 from unnest(paths) wanted
    cross join lateral (
        select 1 from memories m
        where m.workspace_id = ws and m.store_id = store and m.path = wanted and m.state in ('active', 'proposed')
        limit 1) taken;
    if found then
        return false;
    end if;
    with r as materialized (
        select * from rows from (jsonb_populate_recordset(null::memory_versions, versions), unnest(twins)) as r
    ), m as (
        insert into memories (workspace_id, id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, twin_key,
            subject, stale_after, expires_at, verified_at, session_id, created_at, created_by_type, created_by, updated_at, updated_by, audit_id)
        select workspace_id, memory_id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, unnest,
            subject, stale_after, expires_at, verified_at, session_id, at, actor_type, actor_id, at, actor_id, audit_id
        from r
    )
    insert into memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
        confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
        verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, salt, digest, audit_id, tokens)
    select workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
        confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
        verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, salt, digest, audit_id, tokens
    from r;
    if labelled then
        insert into memory_tags (workspace_id, tag, memory_id)
        select r.workspace_id, t.tag, r.memory_id
        from jsonb_populate_recordset(null::memory_versions, versions) r, unnest(r.tags) t (tag);
        insert into anchors (workspace_id, memory_id, position, repo, path, symbol)
        select r.workspace_id, r.memory_id, a.position, coalesce(a.anchor ->> 'repo', ''), a.anchor ->> 'path', a.anchor ->> 'symbol'
        from jsonb_populate_recordset(null::memory_versions, versions) r, jsonb_array_elements(r.anchors) with ordinality a (anchor, position);
    end if;
    insert into audit_entries (workspace_id, id, actor_type, actor_id, role, action, target_type, target_id, version, request_id, session_id, digest, details)
    select workspace_id, id, actor_type, actor_id, role, action, target_type, target_id, version, request_id, session_id, digest, details
    from jsonb_populate_recordset(null::audit_entries, entries);
    return true;
end $$;
