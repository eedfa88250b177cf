-- ── Which run wrote this very version ───────────────────────────────────────────────────────────
-- The session, dream or rollback. `session_id` says where the memory came from, and stays from version to version.
alter table memory_versions add column run_id uuid;
-- Of a version that a rollback wrote: the one whose state it brought back; 0 when there was none, and the memory was put away.
alter table memory_versions add column restores int;
-- Not by workspace: it would be taken for a way to read one whole.
create index memory_versions_run on memory_versions (run_id) where run_id is not null;

-- As it was, and the run with it. Servers that know nothing of runs call it as before.
create or replace function remember(
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
            session_id, run_id, salt, digest, audit_id, tokens)
        select ws, id, 1, 'created', store, path, title, content, kind,
            case when labelled then array(select jsonb_array_elements_text(tags)) else '{}' end, project, anchors, source,
            confidence, 'active', visibility, owner_id, subject, valid_from, stale_after, expires_at, sha, at, who_type, who,
            session_id, session_id, salt, digest, audit_id, tokens
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

-- What was written before runs were kept, or by an older server, began in the session that it names.
create or replace view memory_states with (security_invoker = true) as
select v.workspace_id, v.memory_id as id, v.version, v.version = m.version as current, v.operation, v.store_id, v.path, v.title, v.content,
       v.kind, v.tags, v.project, v.anchors, v.source, v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from,
       v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at, v.verified_by_type, v.verified_by, v.content_sha256,
       v.reason, v.salt, v.digest, v.audit_id, v.redacted_at, v.session_id,
       m.created_at, m.created_by_type, m.created_by, v.at as updated_at, v.actor_type as updated_by_type, v.actor_id as updated_by,
       coalesce(ca.name, cp.name) as created_by_name, coalesce(ua.name, up.name) as updated_by_name,
       coalesce(va.name, vp.name) as verified_by_name,
       v.tokens, m.reported_at, m.reported_as,
       coalesce(v.run_id, case when v.version = 1 then v.session_id end) as run_id
from memories m
join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id
left join agents ca on ca.workspace_id = m.workspace_id and ca.id = m.created_by
left join people cp on cp.id = m.created_by
left join agents ua on ua.workspace_id = v.workspace_id and ua.id = v.actor_id
left join people up on up.id = v.actor_id
left join agents va on va.workspace_id = v.workspace_id and va.id = v.verified_by
left join people vp on vp.id = v.verified_by;

-- ── Rollbacks ───────────────────────────────────────────────────────────────────────────────────
-- Ids, numbers and words of a fixed list: what was selected, and what became of it.
create table rollbacks (
    workspace_id uuid not null,
    id uuid not null,
    -- The wall of the key that rolled back: a limited key sees those of its project only.
    project text,
    selector jsonb not null,
    restored int not null,
    unwound int not null,
    archived int not null,
    kept int not null,
    withdrawn int not null,
    at timestamptz not null,
    actor_type text not null check (actor_type in ('person', 'agent', 'system')),
    actor_id uuid not null,
    audit_id uuid not null,
    primary key (workspace_id, id),
    constraint rollbacks_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create table rollback_items (
    workspace_id uuid not null,
    rollback_id uuid not null,
    memory_id uuid not null,
    -- Whose a private memory is: nobody else can tell that it is there.
    owner_id uuid,
    outcome text not null check (outcome in ('restored', 'unwound', 'archived', 'left')),
    -- What it wrote, and whose state that is; of what was left, the version that stood in the way.
    version int,
    back_to int,
    reason text,
    other_id uuid,
    primary key (workspace_id, rollback_id, memory_id),
    constraint rollback_items_rollback foreign key (workspace_id, rollback_id) references rollbacks
);
do $$ declare t text; begin
    foreach t in array array['rollbacks', 'rollback_items'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
    end loop;
end $$;
create policy scoped on rollbacks
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())));
create policy scoped on rollback_items
    using (workspace_id = (select scope_workspace())
        and (owner_id is null or owner_id = (select scope_person()))
        and exists (select 1 from rollbacks r where r.workspace_id = rollback_items.workspace_id and r.id = rollback_items.rollback_id))
    with check (workspace_id = (select scope_workspace()) and (owner_id is null or owner_id = (select scope_person())));
grant select, insert on rollbacks, rollback_items to cairn_app;

-- A proposal that was made by what is undone is withdrawn: decided as rejected, but its finding may come again.
alter table proposals add column withdrawn_by uuid;
alter table proposals add column withdrawn_key text;
