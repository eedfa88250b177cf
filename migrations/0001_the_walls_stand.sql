-- Roles are cluster-wide: another database may have made them a moment ago.
do $$ declare r text; begin
    foreach r in array array['cairn_app', 'cairn_gate'] loop
        if not exists (select 1 from pg_roles where rolname = r) then
            begin
                execute format('create role %I nologin noinherit', r);
            exception when duplicate_object or unique_violation then null;
            end;
        end if;
    end loop;
end $$;
revoke create on schema public from public;
grant usage on schema public to cairn_app, cairn_gate;

-- A spent SET LOCAL reads as '', not null.
create function scope_workspace() returns uuid language sql stable parallel safe
    as $$ select nullif(current_setting('cairn.workspace', true), '')::uuid $$;
create function scope_person() returns uuid language sql stable parallel safe
    as $$ select nullif(current_setting('cairn.person', true), '')::uuid $$;
create function scope_project() returns text language sql stable parallel safe
    as $$ select nullif(current_setting('cairn.project', true), '') $$;

-- Steps into one workspace for the rest of the transaction. `person` is whose private memories may be
-- seen, `project` the wall of a limited key.
create function enter_scope(workspace uuid, actor uuid, person uuid default null, project text default null)
returns void language plpgsql as $$
begin
    perform set_config('cairn.workspace', coalesce(workspace::text, ''), true),
            set_config('cairn.actor', coalesce(actor::text, ''), true),
            set_config('cairn.person', coalesce(person::text, ''), true),
            set_config('cairn.project', coalesce(project, ''), true);
    set local role cairn_app;
end $$;

-- Steps up to the instance itself: people, workspaces, signing keys. Its trail is that of the nil workspace.
create function enter_instance(actor uuid) returns void language plpgsql as $$
begin
    perform set_config('cairn.workspace', '00000000-0000-0000-0000-000000000000', true),
            set_config('cairn.actor', coalesce(actor::text, ''), true),
            set_config('cairn.person', '', true),
            set_config('cairn.project', '', true);
    set local role cairn_gate;
end $$;

-- ── Instance-wide: read and written through the gate ────────────────────────────────────────────
create table instance (
    singleton boolean primary key default true check (singleton),
    master_key_check bytea not null,
    created_at timestamptz not null default now()
);

create table people (
    id uuid primary key,
    email text not null,
    name text not null,
    password_hash text,
    instance_admin boolean not null default false,
    created_at timestamptz not null default now(),
    deleted_at timestamptz
);
create unique index people_email on people (lower(email)) where deleted_at is null;

create table logins (
    id uuid primary key,
    person_id uuid not null references people,
    generation int not null default 0,
    user_agent text not null default '',
    address text not null default '',
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz
);
create index logins_of_person on logins (person_id);

create table one_time_links (
    token_hash bytea primary key,
    purpose text not null check (purpose in ('set_up', 'password')),
    person_id uuid references people,
    expires_at timestamptz not null,
    used_at timestamptz
);

create table sign_in_failures (
    subject bytea primary key,
    failures int not null,
    last_at timestamptz not null default now()
);

create table signing_keys (
    id uuid primary key,
    purpose text not null check (purpose in ('tokens', 'trail')),
    public_key bytea not null,
    wrapped_key bytea not null,
    created_at timestamptz not null default now(),
    retired_at timestamptz
);

create table workspaces (
    id uuid primary key,
    slug text not null,
    name text not null,
    purpose text not null default '',
    settings jsonb not null default '{}',
    created_at timestamptz not null default now(),
    deleted_at timestamptz
);
create unique index workspaces_slug on workspaces (slug) where deleted_at is null;

-- ── The trail ───────────────────────────────────────────────────────────────────────────────────
-- Ids, numbers and words from a fixed list only: no text that anyone wrote.
create table audit_entries (
    workspace_id uuid not null,
    id uuid not null,
    at timestamptz not null default clock_timestamp(),
    actor_type text not null check (actor_type in ('person', 'agent', 'system')),
    actor_id uuid not null,
    role text,
    action text not null,
    target_type text,
    target_id uuid,
    version int,
    request_id text not null,
    session_id uuid,
    digest bytea,
    details jsonb,
    primary key (workspace_id, id)
);

-- ── Who may enter a workspace ───────────────────────────────────────────────────────────────────
create table members (
    workspace_id uuid not null,
    person_id uuid not null references people,
    role text not null check (role in ('reader', 'writer', 'reviewer', 'auditor', 'admin')),
    since timestamptz not null default now(),
    removed_at timestamptz,
    primary key (workspace_id, person_id)
);
create index members_person on members (person_id);

create table agents (
    workspace_id uuid not null,
    id uuid not null,
    name text not null,
    role text not null check (role in ('reader', 'writer', 'reviewer', 'auditor', 'admin')),
    project text,
    owner_id uuid references people,
    made_by uuid not null references people,
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    primary key (workspace_id, id)
);
create unique index agents_name on agents (workspace_id, name) where deleted_at is null;

create table agent_keys (
    workspace_id uuid not null,
    id uuid not null,
    agent_id uuid not null,
    secret_hash bytea not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    primary key (workspace_id, id),
    foreign key (workspace_id, agent_id) references agents
);
create index agent_keys_id on agent_keys (id);
create index agent_keys_agent on agent_keys (workspace_id, agent_id);

-- ── Memories ────────────────────────────────────────────────────────────────────────────────────
-- No table refers to workspaces by key: every write would lock the same row there.
create table stores (
    workspace_id uuid not null,
    id uuid not null,
    name text not null,
    description text not null default '',
    metadata jsonb not null default '{}',
    created_at timestamptz not null default now(),
    archived_at timestamptz,
    primary key (workspace_id, id)
);

-- What is true now, as far as it is filtered, ordered or kept unique; the text lies in the version.
create table memories (
    workspace_id uuid not null,
    id uuid not null,
    version int not null check (version > 0),
    store_id uuid not null,
    path text collate "C" not null,
    kind text not null,
    project text,
    state text not null check (state in ('active', 'proposed', 'superseded', 'archived')),
    visibility text not null check (visibility in ('workspace', 'private')),
    owner_id uuid,
    content_sha256 bytea not null,
    -- Held by a memory made without a path while it is active and unchanged, so that two such writes of the same text make one.
    twin_key bytea,
    subject text,
    stale_after timestamptz,
    expires_at timestamptz,
    verified_at timestamptz,
    session_id uuid,
    created_at timestamptz not null,
    created_by_type text not null,
    created_by uuid not null,
    updated_at timestamptz not null,
    updated_by uuid not null,
    audit_id uuid not null,
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (workspace_id, id),
    constraint private_has_owner check ((visibility = 'private') = (owner_id is not null)),
    constraint memories_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create unique index memories_twin on memories (workspace_id, twin_key);
-- A private path is its owner's affair: a clash with somebody else's would tell that it is there.
create unique index memories_path on memories (workspace_id, store_id, path, coalesce(owner_id, workspace_id))
    where state in ('active', 'proposed');
create index memories_recent on memories (workspace_id, updated_at desc, id desc);
create index memories_text on memories (workspace_id, content_sha256);
create index memories_subject on memories (workspace_id, subject) where subject is not null;
create index memories_session on memories (workspace_id, session_id) where session_id is not null;

create table memory_versions (
    workspace_id uuid not null,
    memory_id uuid not null,
    version int not null check (version > 0),
    operation text not null,
    store_id uuid not null,
    path text collate "C",
    title text,
    content text,
    kind text not null,
    tags text[] not null default '{}',
    project text,
    anchors jsonb not null default '[]',
    source jsonb,
    confidence real not null,
    state text not null,
    visibility text not null,
    owner_id uuid,
    subject text,
    valid_from timestamptz not null,
    stale_after timestamptz,
    expires_at timestamptz,
    supersedes uuid,
    superseded_by uuid,
    verified_at timestamptz,
    verified_by_type text,
    verified_by uuid,
    content_sha256 bytea,
    reason text,
    at timestamptz not null,
    actor_type text not null,
    actor_id uuid not null,
    session_id uuid,
    salt bytea,
    digest bytea not null,
    audit_id uuid not null,
    redacted_at timestamptz,
    primary key (workspace_id, memory_id, version),
    constraint memory_versions_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);

-- Operators on arrays are not leakproof and so cannot use an index behind a row policy.
create table memory_tags (
    workspace_id uuid not null,
    tag text collate "C" not null,
    memory_id uuid not null,
    primary key (workspace_id, tag, memory_id)
);
create index memory_tags_memory on memory_tags (workspace_id, memory_id);

create table anchors (
    workspace_id uuid not null,
    memory_id uuid not null,
    position int not null,
    repo text not null default '',
    path text collate "C" not null,
    symbol text,
    primary key (workspace_id, memory_id, position)
);
create index anchors_path on anchors (workspace_id, path);

-- A change of a memory that keeps its old audit entry went around the trail.
create function memories_need_a_new_entry() returns trigger language plpgsql as $$
begin
    if new.audit_id = old.audit_id then
        raise exception 'memory % changed without an audit entry of its own', old.id
            using errcode = 'integrity_constraint_violation', constraint = 'memories_audit_is_new';
    end if;
    new.changed_xid := pg_current_xact_id();
    return new;
end $$;
create trigger memories_audited before update on memories for each row execute function memories_need_a_new_entry();

-- Versions are immutable; only redaction and erasure empty one, and redaction keeps who and when.
create function versions_never_change() returns trigger language plpgsql as $$
begin
    if new.redacted_at is null or old.redacted_at is not null
       or new.content is not null or new.title is not null or new.path is not null or new.salt is not null
       or (new.workspace_id, new.memory_id, new.version, new.at, new.actor_id, new.audit_id, new.digest)
          is distinct from (old.workspace_id, old.memory_id, old.version, old.at, old.actor_id, old.audit_id, old.digest) then
        raise exception 'version % of memory % is immutable', old.version, old.memory_id
            using errcode = 'integrity_constraint_violation', constraint = 'memory_versions_immutable';
    end if;
    return new;
end $$;
create trigger versions_immutable before update on memory_versions for each row execute function versions_never_change();

-- ── No path is another's ancestor ───────────────────────────────────────────────────────────────
-- Of two writers that would clash, one has to see the other. Locks, few and per folder: whoever uses a folder
-- shares it (1); whoever takes a memory out of it holds it alone, for it may vanish; whoever adds a file shares
-- the list of its parent (2); whoever makes a folder that was not there holds that list alone. Every statement
-- of a volatile function has a snapshot of its own, so what is asked after a lock sees what was done before it.
create function parent_of(path text) returns text language sql immutable strict parallel safe
    as $$ select left(path, length(path) - strpos(reverse(path), '/')) $$;

-- Planned once: planning these looks anew for every write would cost more than all else together.
create function keep_paths_apart(workspace uuid, store uuid, coming text[], ids uuid[], going text[]) returns void
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
declare
    wall text := current_setting('cairn.project', true);
    parents text[] := '{}';
    used text[] := '{}';
    made text[] := '{}';
    p text;
    place bigint;
begin
    foreach p in array going loop
        loop
            p := parent_of(p);
            exit when p = '';
            perform pg_advisory_xact_lock(hashtextextended(store::text || p, 1));
        end loop;
    end loop;
    if cardinality(coming) = 0 then
        return;
    end if;
    foreach p in array coming loop
        p := parent_of(p);
        continue when p = any (parents);
        parents := parents || p;
        while p <> '' and p <> all (used) loop
            used := used || p;
            p := parent_of(p);
        end loop;
    end loop;
    -- The rule holds across the wall of a limited key, which learns no more than that a path cannot be had.
    if wall <> '' then
        perform set_config('cairn.project', '', true);
    end if;
    foreach p in array used loop
        place := hashtextextended(store::text || p, 1);
        if not pg_try_advisory_xact_lock_shared(place) then
            perform pg_advisory_xact_lock_shared(place);
        end if;
        perform 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed')
          and m.path >= p || '/' and m.path < p || '0' and m.id <> all (ids)
        order by m.path
        limit 1;
        if not found then
            made := made || p;
            perform pg_advisory_xact_lock(hashtextextended(store::text || parent_of(p), 2));
        end if;
    end loop;
    foreach p in array parents loop
        place := hashtextextended(store::text || p, 2);
        if not pg_try_advisory_xact_lock_shared(place) then
            perform pg_advisory_xact_lock_shared(place);
        end if;
    end loop;
    -- A folder that was there is no file; one that is new may be. And nothing may lie below what comes.
    perform 1 from unnest(made) f
    cross join lateral (
        select 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed') and m.path = f
        limit 1) file
    union all
    select 1 from unnest(coming) c
    cross join lateral (
        select 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed')
          and m.path >= c || '/' and m.path < c || '0'
        order by m.path
        limit 1) below;
    if found then
        raise exception 'path clash' using errcode = 'unique_violation', constraint = 'memories_path';
    end if;
    if wall <> '' then
        perform set_config('cairn.project', wall, true);
    end if;
end $$;

create function memories_keep_paths_apart() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        perform keep_paths_apart(workspace_id, store_id, array_agg(path), array_agg(id), '{}')
        from fresh where state in ('active', 'proposed') group by workspace_id, store_id;
    elsif tg_op = 'DELETE' then
        perform keep_paths_apart(workspace_id, store_id, '{}', '{}', array_agg(path))
        from gone where state in ('active', 'proposed') group by workspace_id, store_id;
    else
        perform keep_paths_apart(workspace_id, store_id, coalesce(array_agg(path) filter (where comes), '{}'), array_agg(id),
                                 coalesce(array_agg(path) filter (where not comes), '{}'))
        from (
            select f.workspace_id, f.store_id, f.path, f.id, true from fresh f join gone g using (workspace_id, id)
            where f.state in ('active', 'proposed') and (g.state not in ('active', 'proposed') or (f.store_id, f.path) is distinct from (g.store_id, g.path))
            union all
            select g.workspace_id, g.store_id, g.path, g.id, false from fresh f join gone g using (workspace_id, id)
            where g.state in ('active', 'proposed') and (f.state not in ('active', 'proposed') or (f.store_id, f.path) is distinct from (g.store_id, g.path))
        ) moved (workspace_id, store_id, path, id, comes)
        group by workspace_id, store_id;
    end if;
    return null;
end $$;
create trigger memories_paths_in after insert on memories referencing new table as fresh
    for each statement execute function memories_keep_paths_apart();
create trigger memories_paths_moved after update on memories referencing old table as gone new table as fresh
    for each statement execute function memories_keep_paths_apart();
create trigger memories_paths_out after delete on memories referencing old table as gone
    for each statement execute function memories_keep_paths_apart();

-- ── Deletion ────────────────────────────────────────────────────────────────────────────────────
create table deletion_requests (
    workspace_id uuid not null,
    id uuid not null,
    state text not null check (state in ('pending', 'approved', 'executed', 'rejected', 'blocked')),
    reason text,
    reason_mac bytea,
    asked_at timestamptz not null,
    asked_by_type text not null,
    asked_by uuid not null,
    -- The person whose request it counts as: an agent's is that of whoever made the agent.
    asked_for uuid not null,
    decided_at timestamptz,
    decided_by uuid,
    executed_at timestamptz,
    executed_by uuid,
    counts jsonb,
    audit_id uuid not null,
    primary key (workspace_id, id),
    constraint deletion_requests_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create table deletion_request_items (
    workspace_id uuid not null,
    request_id uuid not null,
    memory_id uuid not null,
    -- Whose a private memory is: the erasure has to see it, whoever executes.
    owner_id uuid,
    primary key (workspace_id, request_id, memory_id)
);

-- What was erased must not come back: keyed hashes, from which no text can be guessed without the master key.
create table erasures (
    workspace_id uuid not null,
    content_mac bytea not null,
    request_id uuid not null,
    memory_id uuid not null,
    erased_at timestamptz not null default now(),
    primary key (workspace_id, content_mac, request_id, memory_id)
);

create table idempotency_keys (
    workspace_id uuid not null,
    actor_id uuid not null,
    key text not null,
    fingerprint bytea not null,
    status int,
    headers jsonb,
    body bytea,
    secret boolean not null default false,
    erased boolean not null default false,
    memory_ids uuid[] not null default '{}',
    created_at timestamptz not null default now(),
    primary key (workspace_id, actor_id, key)
);

-- ── Row policies ────────────────────────────────────────────────────────────────────────────────
do $$ declare t text; begin
    foreach t in array array['audit_entries','members','agents','agent_keys','stores','memories','memory_versions',
        'memory_tags','anchors','deletion_requests','deletion_request_items','erasures','idempotency_keys'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
    end loop;
    foreach t in array array['audit_entries','members','agents','agent_keys','stores',
        'deletion_requests','deletion_request_items','erasures','idempotency_keys'] loop
        execute format('create policy scoped on %I using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()))', t);
    end loop;
    -- A limited key reads its project and what belongs to all, and writes its project only.
    foreach t in array array['memories','memory_versions'] loop
        execute format('create policy scoped on %I using (
                workspace_id = (select scope_workspace())
                and (project is null or (select scope_project()) is null or project = (select scope_project()))
                and (owner_id is null or owner_id = (select scope_person())))
            with check (
                workspace_id = (select scope_workspace())
                and ((select scope_project()) is null or project = (select scope_project()))
                and (owner_id is null or owner_id = (select scope_person())))', t);
    end loop;
    foreach t in array array['memory_tags','anchors'] loop
        execute format('create policy scoped on %I using (
                workspace_id = (select scope_workspace())
                and exists (select 1 from memories m where m.workspace_id = %I.workspace_id and m.id = %I.memory_id))
            with check (workspace_id = (select scope_workspace()))', t, t, t);
    end loop;
end $$;

-- The gate finds who a credential belongs to before there is a workspace to stand in.
create policy gate_reads on members for select to cairn_gate using (true);
create policy gate_reads on agents for select to cairn_gate using (true);
create policy gate_reads on agent_keys for select to cairn_gate using (true);
-- Answers are kept for a day, whoever they were for.
create policy gate_forgets on idempotency_keys to cairn_gate using (created_at < now() - interval '24 hours') with check (false);
create policy gate_notes_use on agent_keys for update to cairn_gate using (true) with check (true);

-- Of people, a workspace sees those who are or were in it.
alter table people enable row level security;
alter table people force row level security;
create policy gate_all on people to cairn_gate using (true) with check (true);
create policy fellows on people for select to cairn_app
    using (exists (select 1 from members m where m.person_id = people.id));

-- ── Grants ──────────────────────────────────────────────────────────────────────────────────────
grant select, insert on audit_entries to cairn_app, cairn_gate;
grant select, insert, update on members, agents, agent_keys, stores, memories to cairn_app;
grant select, insert on memory_versions, erasures, deletion_request_items to cairn_app;
grant update (path, title, content, tags, anchors, source, subject, content_sha256, reason, salt, redacted_at) on memory_versions to cairn_app;
grant delete on memories, memory_versions to cairn_app;
grant select, insert, delete on memory_tags, anchors to cairn_app;
grant select, insert, update on deletion_requests to cairn_app;
grant select, insert, update, delete on idempotency_keys to cairn_app, cairn_gate;
grant select (id, email, name, deleted_at) on people to cairn_app;
grant select on workspaces to cairn_app;
grant update (name, purpose, settings) on workspaces to cairn_app;

grant select, insert, update on people, logins, one_time_links, workspaces, signing_keys, instance to cairn_gate;
grant delete on one_time_links to cairn_gate;
grant select, insert, update, delete on sign_in_failures to cairn_gate;
grant select on members, agents, agent_keys to cairn_gate;
grant update (last_used_at) on agent_keys to cairn_gate;

-- A server that may not migrate can still see whether the schema is the one it knows.
do $$ begin
    if to_regclass('_sqlx_migrations') is not null then
        grant select on _sqlx_migrations to cairn_gate;
    end if;
end $$;

-- A workspace sees and changes itself only.
alter table workspaces enable row level security;
alter table workspaces force row level security;
create policy gate_all on workspaces to cairn_gate using (true) with check (true);
create policy itself on workspaces to cairn_app using (id = (select scope_workspace())) with check (id = (select scope_workspace()));

-- ── One picture of a memory at a version, names joined ──────────────────────────────────────────
create view memory_states with (security_invoker = true) as
select v.workspace_id, v.memory_id as id, v.version, v.version = m.version as current, v.operation, v.store_id, v.path, v.title, v.content,
       v.kind, v.tags, v.project, v.anchors, v.source, v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from,
       v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at, v.verified_by_type, v.verified_by, v.content_sha256,
       v.reason, v.salt, v.digest, v.audit_id, v.redacted_at, v.session_id,
       m.created_at, m.created_by_type, m.created_by, v.at as updated_at, v.actor_type as updated_by_type, v.actor_id as updated_by,
       coalesce(ca.name, cp.name) as created_by_name, coalesce(ua.name, up.name) as updated_by_name,
       coalesce(va.name, vp.name) as verified_by_name
from memories m
join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id
left join agents ca on ca.workspace_id = m.workspace_id and ca.id = m.created_by
left join people cp on cp.id = m.created_by
left join agents ua on ua.workspace_id = v.workspace_id and ua.id = v.actor_id
left join people up on up.id = v.actor_id
left join agents va on va.workspace_id = v.workspace_id and va.id = v.verified_by
left join people vp on vp.id = v.verified_by;
grant select on memory_states to cairn_app;
