-- ── Stores beside the default one ───────────────────────────────────────────────────────────────
alter table stores
    -- Made by a key that is limited to a project, a store belongs to that: nobody behind another wall sees it.
    add column project text,
    add column updated_at timestamptz,
    add column deleted_at timestamptz;
drop policy scoped on stores;
create policy scoped on stores
    using (workspace_id = (select scope_workspace())
        and (project is null or (select scope_project()) is null or project = (select scope_project())))
    with check (workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or project = (select scope_project())));

-- A store that is archived or deleted takes no new text and gives no path; what lies in it can be read and put away. Whoever
-- archives it and whoever writes wait for each other. The default store has the workspace's id and is always open.
create function memories_need_an_open_store() returns trigger language plpgsql as $$
declare
    wall text := current_setting('cairn.project', true);
begin
    if wall <> '' then
        perform set_config('cairn.project', '', true);
    end if;
    perform 1 from stores s
    where s.workspace_id = new.workspace_id and s.id = new.store_id and s.archived_at is null and s.deleted_at is null
    for share;
    if not found then
        raise exception 'store % takes no changes', new.store_id using errcode = 'check_violation', constraint = 'memories_store_open';
    end if;
    if wall <> '' then
        perform set_config('cairn.project', wall, true);
    end if;
    return new;
end $$;
create trigger memories_store_open_in before insert on memories for each row
    when (new.store_id <> new.workspace_id and new.state in ('active', 'proposed'))
    execute function memories_need_an_open_store();
create trigger memories_store_open_changed before update on memories for each row
    when (new.store_id <> new.workspace_id and new.state in ('active', 'proposed')
        and (old.state not in ('active', 'proposed')
             or (old.store_id, old.path, old.content_sha256) is distinct from (new.store_id, new.path, new.content_sha256)))
    execute function memories_need_an_open_store();

-- ── Versions of a store, newest first; and who redacted one ─────────────────────────────────────
create index memory_versions_store on memory_versions (workspace_id, store_id, at desc, memory_id desc, version desc)
    where store_id <> workspace_id;
alter table memory_versions add column redacted_by_type text, add column redacted_by uuid;
grant update (tokens, redacted_by_type, redacted_by) on memory_versions to cairn_app;
