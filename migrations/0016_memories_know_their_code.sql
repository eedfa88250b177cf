-- ── What the code looks like ────────────────────────────────────────────────────────────────────
-- The newest picture of a branch: names, line numbers and fingerprints, never source. A key that is limited to a project
-- has a picture of its own; '' is everybody's.
create table code_snapshots (
    workspace_id uuid not null,
    id uuid not null,
    project text not null,
    repo text collate "C" not null,
    branch text collate "C" not null,
    -- None until all parts of the first picture have come.
    commit text,
    -- Whether the branch is the one that a memory's freshness is judged on unless another is asked for.
    main boolean not null,
    files int not null,
    symbols int not null,
    first_at timestamptz not null,
    at timestamptz not null,
    actor_type text not null,
    actor_id uuid not null,
    audit_id uuid not null,
    primary key (workspace_id, id),
    constraint code_snapshots_branch unique (workspace_id, project, repo, branch),
    constraint code_snapshots_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);

-- One row a file, its symbols packed: a hundred thousand of them are read and compared in a fraction of a second.
create table code_files (
    workspace_id uuid not null,
    snapshot_id uuid not null,
    path text collate "C" not null,
    sha256 text not null,
    -- The last parts of the symbols' names, to find a file by.
    names text[] not null,
    symbols bytea not null,
    primary key (workspace_id, snapshot_id, path),
    constraint code_files_snapshot foreign key (workspace_id, snapshot_id) references code_snapshots on delete cascade
);

-- A picture that comes in several calls waits here until it is whole.
create table code_parts (
    workspace_id uuid not null,
    snapshot_id uuid not null,
    part int not null,
    commit text not null,
    parts int not null,
    files bytea not null,
    removed text[] not null,
    at timestamptz not null,
    primary key (workspace_id, snapshot_id, part),
    constraint code_parts_snapshot foreign key (workspace_id, snapshot_id) references code_snapshots on delete cascade
);

do $$ declare t text; begin
    foreach t in array array['code_snapshots', 'code_files', 'code_parts'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
    end loop;
    -- A limited key reads its project's and everybody's, and writes its own.
    foreach t in array array['code_files', 'code_parts'] loop
        execute format('create policy scoped on %I
            using (workspace_id = (select scope_workspace())
                and snapshot_id in (select s.id from code_snapshots s where s.workspace_id = (select scope_workspace())))
            with check (workspace_id = (select scope_workspace())
                and snapshot_id in (select s.id from code_snapshots s where s.workspace_id = (select scope_workspace())
                    and ((select scope_project()) is null or s.project = (select scope_project()))))', t);
    end loop;
end $$;
create policy scoped on code_snapshots
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project in ('', (select scope_project()))))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())));
grant select, insert, update, delete on code_snapshots, code_files, code_parts to cairn_app;

-- ── What became of the code under a memory ──────────────────────────────────────────────────────
-- What it was true for: from the version, or from the first picture that has the place.
alter table anchors add column fingerprint text;
-- Of an anchor that names no repository: the one it was found in.
alter table anchors add column home text;
-- Where it has moved to on the main branch.
alter table anchors add column now_path text collate "C";
alter table anchors add column now_symbol text;
create index anchors_now on anchors (workspace_id, now_path) where now_path is not null;

create table code_verdicts (
    workspace_id uuid not null,
    memory_id uuid not null,
    branch text collate "C" not null,
    position int not null,
    main boolean not null,
    repo text collate "C" not null,
    verdict text not null,
    state text not null check (state in ('fresh', 'suspect', 'stale', 'unresolved')),
    -- Where it stands, or stood last.
    path text collate "C" not null,
    symbol text,
    -- Where it was when the memory was written.
    was_path text not null,
    was_symbol text,
    -- The commit since which it is so.
    since text not null,
    at timestamptz not null,
    primary key (workspace_id, memory_id, branch, position),
    -- What is said of an anchor goes with it.
    constraint code_verdicts_anchor foreign key (workspace_id, memory_id, position) references anchors on delete cascade
);
create index code_verdicts_anchor on code_verdicts (workspace_id, memory_id, position);
create index code_verdicts_branch on code_verdicts (workspace_id, repo, branch);
alter table code_verdicts enable row level security;
alter table code_verdicts force row level security;
create policy scoped on code_verdicts
    using (workspace_id = (select scope_workspace())
        and exists (select 1 from memories m where m.workspace_id = code_verdicts.workspace_id and m.id = code_verdicts.memory_id))
    with check (workspace_id = (select scope_workspace())
        and exists (select 1 from memories m where m.workspace_id = code_verdicts.workspace_id and m.id = code_verdicts.memory_id));
grant select, insert, update, delete on code_verdicts to cairn_app;

-- ── Told to every index ─────────────────────────────────────────────────────────────────────────
-- Something that a memory is judged by changed, though the memory did not.
create table memory_touches (
    workspace_id uuid not null,
    memory_id uuid not null,
    changed_xid xid8 not null default pg_current_xact_id(),
    -- No key to memories: whoever changes one and whoever judges it would wait for each other.
    primary key (workspace_id, memory_id)
);
create index memory_touches_changed on memory_touches (workspace_id, changed_xid);
alter table memory_touches enable row level security;
alter table memory_touches force row level security;
create policy scoped on memory_touches using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
grant select, insert, update on memory_touches to cairn_app;

create function touch_memories(ws uuid, ids uuid[]) returns void language sql as $$
    insert into memory_touches (workspace_id, memory_id)
    select ws, id from (select distinct unnest(ids) as id) t order by id
    on conflict (workspace_id, memory_id) do update set changed_xid = pg_current_xact_id();
$$;

create function conflicts_touch_memories() returns trigger language plpgsql as $$
begin
    perform touch_memories(new.workspace_id, array[new.a, new.b]);
    return null;
end $$;
create trigger conflicts_touch after insert or update of state on conflicts for each row execute function conflicts_touch_memories();

-- What judges reads anchors of a whole workspace, whoever synced, and writes what it finds and nothing else.
create policy indexed on anchors to cairn_index using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
create policy indexed on code_verdicts to cairn_index using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
create policy indexed on conflicts for select to cairn_index using (workspace_id = (select scope_workspace()));
create policy indexed on code_snapshots for select to cairn_index using (workspace_id = (select scope_workspace()));
create policy indexed on code_files for select to cairn_index using (workspace_id = (select scope_workspace()));
grant select on anchors, conflicts, code_snapshots, code_files to cairn_index;
grant update (fingerprint, home, now_path, now_symbol) on anchors to cairn_index;
grant select, insert, update, delete on code_verdicts to cairn_index;
grant select, insert, update on memory_touches to cairn_index;

create or replace function changes_since(ws uuid, since xid8,
    out horizon text, out changed uuid[], out stamps text[], out gone uuid[])
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
    perform enter_index(ws);
    -- One statement, one snapshot: what it does not see is at or after its horizon.
    select pg_snapshot_xmin(pg_current_snapshot())::text,
           coalesce(array_agg(c.id) filter (where not c.erased), '{}'),
           coalesce(array_agg(c.stamp) filter (where not c.erased), '{}'),
           coalesce(array_agg(c.id) filter (where c.erased), '{}')
    into horizon, changed, stamps, gone
    from (
        select m.id, greatest(m.changed_xid, t.changed_xid)::text as stamp, false as erased
        from memories m
        left join memory_touches t on t.workspace_id = m.workspace_id and t.memory_id = m.id
        where m.workspace_id = ws and m.changed_xid >= since
        union
        select m.id, greatest(m.changed_xid, t.changed_xid)::text, false
        from memory_touches t
        join memories m on m.workspace_id = t.workspace_id and m.id = t.memory_id
        where t.workspace_id = ws and t.changed_xid >= since
        union all
        select e.memory_id, '', true from erasures e where e.workspace_id = ws and e.changed_xid >= since
    ) c;
end $$;

-- As it was, and the fingerprint with the anchor.
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
        insert into anchors (workspace_id, memory_id, position, repo, path, symbol, fingerprint)
        select ws, id, a.position, coalesce(a.anchor ->> 'repo', ''), a.anchor ->> 'path', a.anchor ->> 'symbol', a.anchor ->> 'fingerprint'
        from unnest(ids, anchored) r (id, anchors), jsonb_array_elements(r.anchors) with ordinality a (anchor, position);
    end if;
    return true;
end $$;

-- The first id that could have been made at a moment: ids are in the order of time.
create function id_at(moment timestamptz) returns uuid language sql immutable strict parallel safe
    as $$ select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

-- ── What speaks against a memory, beside the memory ─────────────────────────────────────────────
create or replace view memory_states with (security_invoker = true) as
select v.workspace_id, v.memory_id as id, v.version, v.version = m.version as current, v.operation, v.store_id, v.path, v.title, v.content,
       v.kind, v.tags, v.project, v.anchors, v.source, v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from,
       v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at, v.verified_by_type, v.verified_by, v.content_sha256,
       v.reason, v.salt, v.digest, v.audit_id, v.redacted_at, v.session_id,
       m.created_at, m.created_by_type, m.created_by, v.at as updated_at, v.actor_type as updated_by_type, v.actor_id as updated_by,
       coalesce(ca.name, cp.name) as created_by_name, coalesce(ua.name, up.name) as updated_by_name,
       coalesce(va.name, vp.name) as verified_by_name,
       v.tokens, m.reported_at, m.reported_as,
       coalesce(v.run_id, case when v.version = 1 then v.session_id end) as run_id,
       case when v.version = m.version and v.anchors <> '[]' then (
           select jsonb_agg(jsonb_build_object('position', c.position, 'branch', c.branch, 'main', c.main, 'repo', c.repo, 'verdict', c.verdict,
               'path', c.path, 'symbol', c.symbol, 'was_path', c.was_path, 'was_symbol', c.was_symbol, 'since', c.since, 'at', c.at) order by c.position, c.branch)
           from code_verdicts c
           where c.workspace_id = m.workspace_id and c.memory_id = m.id) end as code,
       -- Active memories that it contradicts and nobody has decided, as far as everybody who sees the one may see the other.
       case when v.version = m.version and m.state = 'active' then (
           select jsonb_agg(jsonb_build_object('memory_id', k.other, 'at', k.found_at) order by k.other)
           from (
               select a.b as other, a.found_at from conflicts a where a.workspace_id = m.workspace_id and a.a = m.id and a.state = 'open'
               union all
               select b.a, b.found_at from conflicts b where b.workspace_id = m.workspace_id and b.b = m.id and b.state = 'open'
           ) k
           join memories o on o.workspace_id = m.workspace_id and o.id = k.other and o.state = 'active'
               and (o.project is null or o.project = m.project) and (o.owner_id is null or o.owner_id = m.owner_id)) end as contested
from memories m
join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id
left join agents ca on ca.workspace_id = m.workspace_id and ca.id = m.created_by
left join people cp on cp.id = m.created_by
left join agents ua on ua.workspace_id = v.workspace_id and ua.id = v.actor_id
left join people up on up.id = v.actor_id
left join agents va on va.workspace_id = v.workspace_id and va.id = v.verified_by
left join people vp on vp.id = v.verified_by;
