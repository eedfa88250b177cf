-- A key that is limited to a project must not learn from a refusal that another project has a task of that name.
alter table tasks drop constraint tasks_key;
create unique index tasks_key on tasks (workspace_id, key, coalesce(project, ''));
