-- ── What happened by the hour ───────────────────────────────────────────────────────────────────
-- Counted once an hour is over, from the trail and the receipts, so that a page need not count a million rows. Numbers and
-- ids, no text; it can be thrown away and is made again.
create table activity (
    workspace_id uuid not null,
    hour timestamptz not null,
    -- Entries in the trail that are about memories.
    writes int not null,
    recalls int not null,
    told_tokens bigint not null,
    -- Those told most often in this hour: [id, times].
    recalled jsonb not null,
    primary key (workspace_id, hour)
);
alter table activity enable row level security;
alter table activity force row level security;
create policy scoped on activity using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()));
grant select, insert, update, delete on activity to cairn_app;

-- Decisions are read as a log of their own.
create index memories_decisions on memories (workspace_id, state, created_at desc, id desc) where kind = 'decision';
