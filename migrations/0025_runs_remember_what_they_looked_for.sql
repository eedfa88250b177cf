-- What a run looked for, and where it found it: in one run a habit, in several something worth knowing.
create table run_looks (
    workspace_id uuid not null,
    project text not null,
    -- What makes two looks the same, in any run.
    key text not null,
    session_id uuid not null,
    path text not null,
    at timestamptz not null,
    primary key (workspace_id, project, key, session_id),
    -- What a run saw goes with it.
    constraint run_looks_session foreign key (workspace_id, session_id) references sessions on delete cascade
);
create index run_looks_session on run_looks (workspace_id, session_id);
create index run_looks_old on run_looks (workspace_id, project, at);

alter table run_looks enable row level security;
alter table run_looks force row level security;
create policy scoped on run_looks
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())));
grant select, insert, update, delete on run_looks to cairn_app;

-- An event of a log is only ever changed to empty it: whatever its run looked for may have been in it.
create function forget_looks() returns trigger
language plpgsql set search_path = public, pg_temp as $$ begin
    delete from run_looks l where l.workspace_id = new.workspace_id and l.session_id = new.session_id;
    return null;
end $$;
create trigger looks_go_with_events after update of text, tool, input, path, command on session_events
    for each row execute function forget_looks();

-- The brief that a run starts with: of each kind the verified, then the newest.
create index memories_binding on memories (workspace_id, kind, (verified_at is null), updated_at desc) where state = 'active';
