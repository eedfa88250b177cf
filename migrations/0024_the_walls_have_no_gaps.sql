-- ── What others ask to be erased ────────────────────────────────────────────────────────────────
-- A request says why, about whom and in which words, of any project: whoever is walled in one sees only what it asked itself.
create function scope_actor() returns uuid language sql stable parallel safe
    as $$ select nullif(current_setting('cairn.actor', true), '')::uuid $$;

drop policy scoped on deletion_requests;
create policy scoped on deletion_requests
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or asked_by = (select scope_actor())))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or asked_by = (select scope_actor())));

drop policy scoped on deletion_request_items;
create policy scoped on deletion_request_items
    using (
        workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or exists (
            select 1 from deletion_requests r
            where r.workspace_id = deletion_request_items.workspace_id and r.id = deletion_request_items.request_id)))
    with check (workspace_id = (select scope_workspace()));

-- ── People who are gone ─────────────────────────────────────────────────────────────────────────
-- Where somebody signed in is forgotten 90 days after the sign-in ended, and with the person at once.
grant delete on logins to cairn_gate;
-- The owner of a table that is no superuser is held by its policies too, while they are forced.
alter table people no force row level security;
delete from logins where person_id in (select id from people where deleted_at is not null);
update people set email = '', name = 'removed person' where deleted_at is not null;
alter table people force row level security;
