-- A token that is limited to a project acts as the key that it came from: what was asked outside of its wall is not for it to read.
-- Requests made before this one tell no wall; whoever is walled in no longer finds them.
alter table deletion_requests add column asked_within text default scope_project();

drop policy scoped on deletion_requests;
create policy scoped on deletion_requests
    using (
        workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or (asked_by = (select scope_actor()) and asked_within = (select scope_project()))))
    with check (
        workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or (asked_by = (select scope_actor()) and asked_within = (select scope_project()))));
