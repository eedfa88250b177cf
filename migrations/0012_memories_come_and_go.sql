-- Versions that came in a file: from what, what makes two imports of it the same, and what the file says of when it was
-- made, by whom and how. It goes with its memory, whoever erases that.
create table imported_versions (
    workspace_id uuid not null,
    memory_id uuid not null,
    version int not null,
    format text not null,
    -- A digest: the tool's own name for it may be words that somebody wrote.
    key bytea not null,
    origin jsonb not null,
    primary key (workspace_id, memory_id, version),
    constraint imported_versions_memory foreign key (workspace_id, memory_id) references memories on delete cascade
);
create index imported_versions_key on imported_versions (workspace_id, key);

alter table imported_versions enable row level security;
alter table imported_versions force row level security;
-- Seen by whoever sees the memory: private ones and other projects' are not there.
create policy scoped on imported_versions using (
        workspace_id = (select scope_workspace())
        and exists (select 1 from memories m where m.workspace_id = imported_versions.workspace_id and m.id = imported_versions.memory_id))
    with check (workspace_id = (select scope_workspace()));
grant select, insert, delete on imported_versions to cairn_app;
