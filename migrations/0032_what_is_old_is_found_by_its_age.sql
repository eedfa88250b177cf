-- What has been archived for long is looked for kind by kind, the oldest first.
create index memories_archived on memories (workspace_id, kind, updated_at, id) where state = 'archived';

-- ── How often each memory was told, by the day ──────────────────────────────────────────────────
-- Counted from the receipts when a day is long over, so that whoever weighs what needs review need not count every telling.
-- Numbers and ids, no text; it can be thrown away and is made again.
create table tellings (
    workspace_id uuid not null,
    memory_id uuid not null,
    day date not null,
    times int not null,
    primary key (workspace_id, memory_id, day) include (times)
);
-- Days before this one are counted.
create table tellings_counted (
    workspace_id uuid primary key,
    before date not null
);

do $$ declare t text; begin
    foreach t in array array['tellings', 'tellings_counted'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
        execute format('create policy scoped on %I using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()))', t);
        execute format('grant select, insert, update, delete on %I to cairn_app', t);
    end loop;
end $$;

-- Receipts of a day have ids from here on.
create function id_of_day(day date) returns uuid language sql immutable strict parallel safe
    as $$ select id_at(day::timestamp at time zone 'UTC') $$;
