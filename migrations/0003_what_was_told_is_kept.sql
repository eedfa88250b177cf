-- ── The index reads whole workspaces ────────────────────────────────────────────────────────────
-- A recall index is one workspace's, private memories included; who sees which is decided when it is asked, and the
-- text of an answer is read under the asker's scope. Its role reads and never writes.
do $$ begin
    if not exists (select 1 from pg_roles where rolname = 'cairn_index') then
        begin
            create role cairn_index nologin noinherit;
        exception when duplicate_object or unique_violation then null;
        end;
    end if;
end $$;
grant usage on schema public to cairn_index;

create function enter_index(workspace uuid) returns void language plpgsql as $$
begin
    perform set_config('cairn.workspace', coalesce(workspace::text, ''), true),
            set_config('cairn.actor', '', true),
            set_config('cairn.person', '', true),
            set_config('cairn.project', '', true);
    set local role cairn_index;
end $$;

create policy indexed on memories for select to cairn_index using (workspace_id = (select scope_workspace()));
create policy indexed on memory_versions for select to cairn_index using (workspace_id = (select scope_workspace()));
create policy indexed on people for select to cairn_index using (exists (select 1 from members m where m.person_id = people.id));
grant select on memories, memory_versions, agents, members, erasures to cairn_index;
grant select (id, name) on people to cairn_index;

-- ── Up to date at every call ────────────────────────────────────────────────────────────────────
alter table erasures add column changed_xid xid8 not null default pg_current_xact_id();
create index erasures_changed on erasures (workspace_id, changed_xid);
create index memories_changed on memories (workspace_id, changed_xid);

-- ── What agents said of what they were told ─────────────────────────────────────────────────────
alter table memories add column reported_at timestamptz;
alter table memories add column reported_as text check (reported_as in ('wrong', 'stale'));
alter table memories add column helpful int not null default 0;

-- ── Receipts ────────────────────────────────────────────────────────────────────────────────────
-- Written with each recall, without an entry in the trail. Ids, versions and numbers of what was told; the texts lie in the versions.
create table receipts (
    workspace_id uuid not null,
    id uuid not null,
    at timestamptz not null,
    actor_type text not null check (actor_type in ('person', 'agent', 'system')),
    actor_id uuid not null,
    -- The wall of the key that asked: a limited key sees the receipts of its project only.
    project text,
    session_id uuid,
    surface text not null,
    query text,
    asked jsonb not null,
    items jsonb not null,
    tokens int not null,
    omitted int not null,
    took_ms real not null,
    primary key (workspace_id, id)
);
create index receipts_actor on receipts (workspace_id, actor_id, id);
create index receipts_session on receipts (workspace_id, session_id, id) where session_id is not null;

-- Who was told memory M: found by the memory.
create table receipt_items (
    workspace_id uuid not null,
    memory_id uuid not null,
    receipt_id uuid not null,
    primary key (workspace_id, memory_id, receipt_id)
);

create table receipt_verdicts (
    workspace_id uuid not null,
    receipt_id uuid not null,
    memory_id uuid not null,
    actor_id uuid not null,
    actor_type text not null,
    verdict text not null check (verdict in ('used', 'helpful', 'wrong', 'stale')),
    at timestamptz not null,
    audit_id uuid not null,
    primary key (workspace_id, receipt_id, memory_id, actor_id),
    constraint receipt_verdicts_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create index receipt_verdicts_memory on receipt_verdicts (workspace_id, memory_id);

do $$ declare t text; begin
    foreach t in array array['receipts', 'receipt_items', 'receipt_verdicts'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
    end loop;
    foreach t in array array['receipt_items', 'receipt_verdicts'] loop
        execute format('create policy scoped on %I using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()))', t);
    end loop;
end $$;
create policy scoped on receipts
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())));
grant select, insert on receipts, receipt_items to cairn_app;
grant select, insert, update on receipt_verdicts to cairn_app;
-- Erasing takes the words and filters of a question that was answered with what had to go, and nothing else of a receipt.
grant update (query, asked) on receipts to cairn_app;

-- ── One trip each ───────────────────────────────────────────────────────────────────────────────
-- What changed since a horizon, and the horizon for the next time: the oldest transaction that may still be open.
create function changes_since(ws uuid, since xid8,
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
        select m.id, m.changed_xid::text as stamp, false as erased from memories m where m.workspace_id = ws and m.changed_xid >= since
        union all
        select e.memory_id, '', true from erasures e where e.workspace_id = ws and e.changed_xid >= since
    ) c;
end $$;

-- The same, and with it the texts that a search on what was known would answer with, read under the asker's scope.
create function look_up(ws uuid, who uuid, person uuid, wall text, since xid8, ids uuid[], versions int[],
    out horizon text, out changed uuid[], out stamps text[], out gone uuid[], out texts jsonb)
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
    select c.horizon, c.changed, c.stamps, c.gone into horizon, changed, stamps, gone from changes_since(ws, since) c;
    if cardinality(changed) > 0 or cardinality(gone) > 0 then
        return;
    end if;
    texts := told_texts(ws, who, person, wall, ids, versions);
end $$;

create function told_texts(ws uuid, who uuid, person uuid, wall text, ids uuid[], versions int[]) returns jsonb
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
    perform enter_scope(ws, who, person, wall);
    return (
        select coalesce(jsonb_agg(jsonb_build_object(
            'id', v.memory_id, 'version', v.version, 'path', v.path, 'title', v.title, 'content', v.content, 'kind', v.kind, 'tags', v.tags,
            'project', v.project, 'state', v.state, 'source', v.source, 'confidence', v.confidence, 'tokens', v.tokens,
            'created_at', m.created_at, 'created_by_type', m.created_by_type, 'created_by', m.created_by, 'created_by_name', coalesce(a.name, p.name),
            'updated_at', v.at, 'updated_by_type', v.actor_type, 'updated_by', v.actor_id, 'session_id', v.session_id,
            'superseded_by', v.superseded_by, 'verified_at', v.verified_at, 'stale_after', v.stale_after, 'expires_at', v.expires_at,
            'reported_at', m.reported_at, 'reported_as', m.reported_as) order by w.n), '[]')
        from unnest(ids, versions) with ordinality w (id, version, n)
        join memory_versions v on v.workspace_id = ws and v.memory_id = w.id and v.version = w.version
        join memories m on m.workspace_id = ws and m.id = w.id
        left join agents a on a.workspace_id = ws and a.id = m.created_by
        left join people p on p.id = m.created_by
    );
end $$;

-- Kept before the answer leaves. It has to survive the server and not the disk, so nobody waits for the disk.
create function keep_receipt(ws uuid, who uuid, who_type text, person uuid, wall text,
    receipt uuid, moment timestamptz, session uuid, door text, question text, asked jsonb, items jsonb, memories uuid[],
    tokens int, omitted int, took_ms real) returns void
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
    perform enter_scope(ws, who, person, wall);
    set local synchronous_commit = off;
    insert into receipts (workspace_id, id, at, actor_type, actor_id, project, session_id, surface, query, asked, items, tokens, omitted, took_ms)
    values (ws, receipt, moment, who_type, who, wall, session, door, question, asked, items, tokens, omitted, took_ms);
    insert into receipt_items (workspace_id, memory_id, receipt_id)
    select ws, told, receipt from unnest(memories) told
    on conflict do nothing;
end $$;

-- What the next state of a memory is judged by, at its end: a view may only grow.
create or replace view memory_states with (security_invoker = true) as
select v.workspace_id, v.memory_id as id, v.version, v.version = m.version as current, v.operation, v.store_id, v.path, v.title, v.content,
       v.kind, v.tags, v.project, v.anchors, v.source, v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from,
       v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at, v.verified_by_type, v.verified_by, v.content_sha256,
       v.reason, v.salt, v.digest, v.audit_id, v.redacted_at, v.session_id,
       m.created_at, m.created_by_type, m.created_by, v.at as updated_at, v.actor_type as updated_by_type, v.actor_id as updated_by,
       coalesce(ca.name, cp.name) as created_by_name, coalesce(ua.name, up.name) as updated_by_name,
       coalesce(va.name, vp.name) as verified_by_name,
       v.tokens, m.reported_at, m.reported_as
from memories m
join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id
left join agents ca on ca.workspace_id = m.workspace_id and ca.id = m.created_by
left join people cp on cp.id = m.created_by
left join agents ua on ua.workspace_id = v.workspace_id and ua.id = v.actor_id
left join people up on up.id = v.actor_id
left join agents va on va.workspace_id = v.workspace_id and va.id = v.verified_by
left join people vp on vp.id = v.verified_by;
