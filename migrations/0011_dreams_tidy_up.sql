-- ── Dreams ──────────────────────────────────────────────────────────────────────────────────────
-- Curation runs. Ids, numbers and words of a fixed list: what was looked at, what was done and why; the texts lie in memories.
create table dreams (
    workspace_id uuid not null,
    id uuid not null,
    -- What it was limited to, by wish or by the wall of the key that asked for it.
    project text,
    mode text not null check (mode in ('off', 'review', 'auto')),
    dry_run boolean not null,
    -- Whether it was rolled back stands with the rollbacks.
    state text not null check (state in ('running', 'done', 'failed')),
    stage text not null check (stage in ('reading', 'thinking', 'writing', 'rewriting', 'over')),
    started_at timestamptz not null,
    ended_at timestamptz,
    actor_type text not null check (actor_type in ('person', 'agent', 'system')),
    actor_id uuid not null,
    tally jsonb not null,
    audit_id uuid not null,
    primary key (workspace_id, id),
    constraint dreams_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create table dream_actions (
    workspace_id uuid not null,
    dream_id uuid not null,
    n int not null,
    deed text not null check (deed in ('merge', 'promote', 'condense', 'decay', 'flag', 'verify', 'rewrite')),
    why text not null,
    score real not null,
    outcome text not null,
    memory_id uuid not null,
    others uuid[] not null,
    -- A memory that was made of these.
    made_id uuid,
    proposal_id uuid,
    conflict_id uuid,
    primary key (workspace_id, dream_id, n),
    constraint dream_actions_dream foreign key (workspace_id, dream_id) references dreams
);
-- Whoever erases one of several that another was made of has to find that one.
create index dream_actions_made on dream_actions (workspace_id, made_id) where made_id is not null;

do $$ declare t text; begin
    foreach t in array array['dreams', 'dream_actions'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
    end loop;
end $$;
-- A limited key sees the dreams of its project only.
create policy scoped on dreams
    using (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())))
    with check (workspace_id = (select scope_workspace()) and ((select scope_project()) is null or project = (select scope_project())));
create policy scoped on dream_actions
    using (workspace_id = (select scope_workspace())
        and exists (select 1 from dreams d where d.workspace_id = dream_actions.workspace_id and d.id = dream_actions.dream_id))
    with check (workspace_id = (select scope_workspace()));
grant select, insert, update on dreams to cairn_app;
grant select, insert on dream_actions to cairn_app;
