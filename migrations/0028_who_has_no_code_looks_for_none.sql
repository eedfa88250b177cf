-- Whether anybody ever sent a picture of code to a workspace. The gate reads the row with every request: a text that speaks
-- of code is looked up only where there is some.
-- Of those that are there already nobody knows, and each is looked at as before.
alter table workspaces add column pictured boolean not null default true;
alter table workspaces alter column pictured set default false;
grant update (pictured) on workspaces to cairn_app;

create function code_snapshots_picture_workspace() returns trigger language plpgsql as $$
begin
    update workspaces set pictured = true where id = new.workspace_id and not pictured;
    return null;
end $$;
create trigger code_snapshots_picture after insert on code_snapshots for each row execute function code_snapshots_picture_workspace();
