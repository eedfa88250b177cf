-- A hold on a person keeps private memories too, also by what a file said of who made them elsewhere: whoever looks whether one
-- is kept reads them as the index does.
create policy indexed on imported_versions for select to cairn_index using (workspace_id = (select scope_workspace()));
grant select on imported_versions to cairn_index;
