-- ── Keys that seal the trail go by a name ───────────────────────────────────────────────────────
-- It is part of what is signed, so it stays with the key and is handed on to the next.
alter table signing_keys add column name text;
alter table signing_keys add constraint trail_keys_have_a_name check (purpose <> 'trail' or name is not null);

-- ── The sealer ──────────────────────────────────────────────────────────────────────────────────
-- It reads entries of all workspaces, which hold no text that anyone wrote, and adds to their trees. It changes nothing.
do $$ begin
    if not exists (select 1 from pg_roles where rolname = 'cairn_seal') then
        begin
            create role cairn_seal nologin noinherit;
        exception when duplicate_object or unique_violation then null;
        end;
    end if;
end $$;
grant usage on schema public to cairn_seal;

create function enter_seal(workspace uuid default null) returns void language plpgsql as $$
begin
    perform set_config('cairn.workspace', coalesce(workspace::text, ''), true),
            set_config('cairn.actor', '', true),
            set_config('cairn.person', '', true),
            set_config('cairn.project', '', true);
    set local role cairn_seal;
end $$;

-- Entries are found by the transaction that wrote them: ids and clocks lie under concurrent commits. Whatever a look does
-- not see was written at or after its horizon. The default is not volatile: the table is not rewritten.
alter table audit_entries add column written_xid xid8 not null default pg_current_xact_id();
create index audit_entries_written on audit_entries (written_xid);

-- How far the sealer has looked. Another cluster's number, above all of ours, is taken for 0.
create table audit_horizon (
    singleton boolean primary key default true check (singleton),
    horizon xid8 not null
);
insert into audit_horizon (horizon) values ('0');

-- ── The tree of each workspace, by RFC 6962; the instance's own is that of the nil workspace ────
create table audit_leaves (
    workspace_id uuid not null,
    index bigint not null check (index >= 0),
    entry_id uuid not null,
    hash bytea not null check (length(hash) = 32),
    primary key (workspace_id, index),
    constraint audit_leaves_entry unique (workspace_id, entry_id)
);
-- Of the nodes above the leaves only every fourth level is kept; those between are made again from sixteen below.
create table audit_nodes (
    workspace_id uuid not null,
    level smallint not null check (level > 0 and level % 4 = 0),
    place bigint not null check (place >= 0),
    hash bytea not null check (length(hash) = 32),
    primary key (workspace_id, level, place)
);
create table audit_checkpoints (
    workspace_id uuid not null,
    size bigint not null check (size > 0),
    note text not null,
    signed_at timestamptz not null default now(),
    primary key (workspace_id, size)
);

do $$ declare t text; begin
    foreach t in array array['audit_leaves', 'audit_nodes', 'audit_checkpoints'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
        execute format('create policy scoped on %I using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()))', t);
        execute format('create policy sealer_reads on %I for select to cairn_seal using (true)', t);
    end loop;
end $$;
create policy sealer_reads on audit_entries for select to cairn_seal using (true);

grant select on audit_entries to cairn_seal;
grant select, insert on audit_leaves, audit_nodes, audit_checkpoints to cairn_seal;
grant select on audit_leaves, audit_nodes, audit_checkpoints to cairn_app, cairn_gate;
grant select, update on audit_horizon to cairn_seal;
