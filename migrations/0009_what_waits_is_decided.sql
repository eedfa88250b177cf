-- ── Proposals ───────────────────────────────────────────────────────────────────────────────────
-- More reasons to wait, and more that can be proposed than that a memory become known.
alter table proposals drop constraint proposals_origin_check;
alter table proposals add constraint proposals_origin_check check (origin in ('capture', 'conflict', 'suspicious', 'policy', 'dream'));
-- What approving does to others: ids and words of a fixed list. Texts lie in memories, so that erasing finds them.
alter table proposals add column change jsonb;
-- The person who is to look at it.
alter table proposals add column assigned_to uuid;
-- What whoever decided said; it goes with the row when its memory is erased.
alter table proposals add column note text;
-- A memory waits once; what is proposed for it later is another matter.
drop index proposals_memory;
create unique index proposals_memory on proposals (workspace_id, memory_id) where change is null;
create index proposals_about on proposals (workspace_id, memory_id);

-- Whoever may not see a memory may not see what is proposed for it.
drop policy scoped on proposals;
create policy scoped on proposals
    using (
        workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or project = (select scope_project()))
        and exists (select 1 from memories m where m.workspace_id = proposals.workspace_id and m.id = proposals.memory_id))
    with check (
        workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or project = (select scope_project()))
        and exists (select 1 from memories m where m.workspace_id = proposals.workspace_id and m.id = proposals.memory_id));

-- ── Conflicts ───────────────────────────────────────────────────────────────────────────────────
-- Two memories that may not both hold. No words of theirs: why they clash is said when it is read, from the texts.
create table conflicts (
    workspace_id uuid not null,
    id uuid not null,
    a uuid not null,
    b uuid not null,
    -- What was judged: the versions, and marks of their texts, which a version that only verifies or labels keeps.
    a_version int not null,
    b_version int not null,
    a_mark bytea not null,
    b_mark bytea not null,
    score real not null,
    certain boolean not null,
    origin text not null check (origin in ('write', 'sweep', 'dream')),
    state text not null check (state in ('open', 'resolved')),
    found_at timestamptz not null,
    resolution text check (resolution in ('one', 'both', 'neither', 'revised')),
    kept uuid,
    note text,
    resolved_at timestamptz,
    resolved_by_type text,
    resolved_by uuid,
    audit_id uuid not null,
    primary key (workspace_id, id),
    constraint conflicts_pair unique (workspace_id, a, b),
    constraint conflicts_in_order check (a < b),
    constraint conflicts_resolved check ((state = 'resolved') = (resolution is not null)),
    -- Nothing said of a memory outlives it.
    constraint conflicts_a foreign key (workspace_id, a) references memories on delete cascade,
    constraint conflicts_b foreign key (workspace_id, b) references memories on delete cascade,
    constraint conflicts_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);
create index conflicts_other on conflicts (workspace_id, b);
create index conflicts_open on conflicts (workspace_id, id) where state = 'open';

-- How far the last sweep came, in the order in which memories changed.
create table conflict_sweeps (
    workspace_id uuid not null,
    swept_to timestamptz not null,
    swept_id uuid not null,
    audit_id uuid not null,
    primary key (workspace_id),
    constraint conflict_sweeps_audit foreign key (workspace_id, audit_id) references audit_entries deferrable initially deferred
);

do $$ declare t text; begin
    foreach t in array array['conflicts', 'conflict_sweeps'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
    end loop;
end $$;
-- Whoever may see both memories may see that they clash.
create policy scoped on conflicts
    using (
        workspace_id = (select scope_workspace())
        and exists (select 1 from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.a)
        and exists (select 1 from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.b))
    with check (
        workspace_id = (select scope_workspace())
        and exists (select 1 from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.a)
        and exists (select 1 from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.b));
create policy scoped on conflict_sweeps using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
grant select, insert, update on conflicts, conflict_sweeps to cairn_app;
