-- Notes on what only one person sees are weighed against holds, and emptied, by the role that sees them all; it may write
-- nothing else of them.
create policy indexed on proposals to cairn_index
    using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
create policy indexed_notes on conflicts for update to cairn_index
    using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
grant select on proposals to cairn_index;
grant update (note, sightings) on proposals to cairn_index;
grant update (note) on conflicts to cairn_index;

-- What was private before it was published, or the other way round, was not erased whole: versions of memories that are gone
-- go too. The owner of a table that is no superuser is held by its policies too, while they are forced.
alter table memories no force row level security;
alter table memory_versions no force row level security;
delete from memory_versions v
where not exists (select 1 from memories m where m.workspace_id = v.workspace_id and m.id = v.memory_id);
alter table memories force row level security;
alter table memory_versions force row level security;
