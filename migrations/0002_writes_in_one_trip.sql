-- How much of a reader's budget a text takes, counted once, when it is written; null in versions from before.
alter table memory_versions add column tokens int;

-- New memories, their versions, labels and entries in one call, which is one transaction: standing in the scope,
-- looking whether anything is in the way, and writing. False, and nothing written, when the same text was erased or
-- is known, or a path is taken: whoever asked then looks closer, in a transaction of many statements.
-- Columns come as arrays: reading them out of JSON took longer than everything else together.
create function remember(
    ws uuid, who uuid, who_type text, who_role text, person uuid, wall text, store uuid, macs bytea[],
    ids uuid[], paths text[], titles text[], contents text[], kinds text[], tagged jsonb[], projects text[], anchored jsonb[], sources jsonb[],
    confidences real[], visibilities text[], owners uuid[], subjects text[], valid timestamptz[], stale timestamptz[], expires timestamptz[],
    sessions uuid[], moments timestamptz[], shas bytea[], salts bytea[], digests bytea[], counts int[], twins bytea[], audits uuid[], requests text[],
    labelled boolean
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
        select * from unnest(ids, paths, titles, contents, kinds, tagged, projects, anchored, sources, confidences, visibilities, owners, subjects,
            valid, stale, expires, sessions, moments, shas, salts, digests, counts, twins, audits, requests)
        as r (id, path, title, content, kind, tags, project, anchors, source, confidence, visibility, owner_id, subject,
            valid_from, stale_after, expires_at, session_id, at, sha, salt, digest, tokens, twin, audit_id, request_id)
    ), m as (
        insert into memories (workspace_id, id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, twin_key,
            subject, stale_after, expires_at, session_id, created_at, created_by_type, created_by, updated_at, updated_by, audit_id)
        select ws, id, 1, store, path, kind, project, 'active', visibility, owner_id, sha, twin,
            subject, stale_after, expires_at, session_id, at, who_type, who, at, who, audit_id
        from r
    ), v as (
        insert into memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, content_sha256, at, actor_type, actor_id,
            session_id, salt, digest, audit_id, tokens)
        select ws, id, 1, 'created', store, path, title, content, kind,
            case when labelled then array(select jsonb_array_elements_text(tags)) else '{}' end, project, anchors, source,
            confidence, 'active', visibility, owner_id, subject, valid_from, stale_after, expires_at, sha, at, who_type, who,
            session_id, salt, digest, audit_id, tokens
        from r
    )
    insert into audit_entries (workspace_id, id, actor_type, actor_id, role, action, target_type, target_id, version, request_id, session_id, digest)
    select ws, audit_id, who_type, who, who_role, 'memory.remembered', 'memory', id, 1, request_id, session_id, digest
    from r;
    if labelled then
        insert into memory_tags (workspace_id, tag, memory_id)
        select ws, tag, id from unnest(ids, tagged) r (id, tags), jsonb_array_elements_text(r.tags) tag;
        insert into anchors (workspace_id, memory_id, position, repo, path, symbol)
        select ws, id, a.position, coalesce(a.anchor ->> 'repo', ''), a.anchor ->> 'path', a.anchor ->> 'symbol'
        from unnest(ids, anchored) r (id, anchors), jsonb_array_elements(r.anchors) with ordinality a (anchor, position);
    end if;
    return true;
end $$;
