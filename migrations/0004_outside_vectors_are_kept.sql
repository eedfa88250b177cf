-- ── Vectors of an outside model ─────────────────────────────────────────────────────────────────
-- A generation is what one model made of a workspace's memories. It serves once it is complete; then the one before goes.
create table embedding_generations (
    workspace_id uuid not null,
    model text not null,
    -- Of its vectors; null while there is none.
    dimensions int check (dimensions > 0),
    begun_at timestamptz not null default now(),
    complete_at timestamptz,
    primary key (workspace_id, model)
);

-- One row for a memory, of its current text; empty where the text has no direction or the model refused it.
create table memory_vectors (
    workspace_id uuid not null,
    memory_id uuid not null,
    model text not null,
    text_mark bytea not null,
    dimensions int not null,
    -- One after the other, each a little-endian float32 scale and its int8 codes.
    vectors bytea not null,
    -- Null when it was made before its generation served: an index of that generation reads it when it is built.
    changed_xid xid8,
    primary key (workspace_id, memory_id, model),
    -- Nothing derived outlives its memory, not even what was under way while it was erased.
    constraint memory_vectors_memory foreign key (workspace_id, memory_id) references memories on delete cascade
);
alter table memory_vectors alter column vectors set storage external;
create index memory_vectors_changed on memory_vectors (workspace_id, changed_xid) where changed_xid is not null;
create index memory_vectors_model on memory_vectors (workspace_id, model);

-- What a vector is made of: a version that only verifies or labels has the text of the one before, and its vectors.
create function text_mark(content_sha256 bytea, title text) returns bytea language sql stable parallel safe
    as $$ select sha256(content_sha256 || convert_to(coalesce(title, ''), 'UTF8')) $$;

do $$ declare t text; begin
    foreach t in array array['embedding_generations', 'memory_vectors'] loop
        execute format('alter table %I enable row level security', t);
        execute format('alter table %I force row level security', t);
        execute format('create policy indexed on %I to cairn_index using (workspace_id = (select scope_workspace())) with check (workspace_id = (select scope_workspace()))', t);
    end loop;
end $$;
create policy scoped on embedding_generations for select to cairn_app using (workspace_id = (select scope_workspace()));
-- Whoever may not see a memory may not see its vectors.
create policy scoped on memory_vectors to cairn_app using (
    workspace_id = (select scope_workspace())
    and exists (select 1 from memories m where m.workspace_id = memory_vectors.workspace_id and m.id = memory_vectors.memory_id));

-- They are a part of the index that is kept: its role writes them, and nothing else. The app reads, and takes them away when it erases.
grant select, insert, update, delete on embedding_generations, memory_vectors to cairn_index;
grant select on embedding_generations, memory_vectors to cairn_app;
grant delete on memory_vectors to cairn_app;

-- Keeps one memory's vectors if the memory still is what they were made of. One at a time, so that it holds nothing that an
-- erasure waits for while it waits for the erasure. They can be made again, so nobody waits for the disk.
create function keep_vectors(ws uuid, memory uuid, of_version int, by_model text, wide int, made bytea) returns boolean
language plpgsql volatile as $$
begin
    perform enter_index(ws);
    set local synchronous_commit = off;
    insert into memory_vectors (workspace_id, memory_id, model, text_mark, dimensions, vectors, changed_xid)
    select ws, m.id, by_model, text_mark(v.content_sha256, v.title), wide, made,
        (select pg_current_xact_id() from embedding_generations g where g.workspace_id = ws and g.model = by_model and g.complete_at is not null)
    from memories m
    join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
    where m.workspace_id = ws and m.id = memory and m.version = of_version and v.content_sha256 is not null
    on conflict (workspace_id, memory_id, model) do update
        set text_mark = excluded.text_mark, dimensions = excluded.dimensions, vectors = excluded.vectors, changed_xid = excluded.changed_xid;
    return found;
end $$;

-- As before, and with the memories whose vectors came later; their stamp 0 is no memory's, so they are read again.
create or replace function changes_since(ws uuid, since xid8,
    out horizon text, out changed uuid[], out stamps text[], out gone uuid[])
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
begin
    perform enter_index(ws);
    -- One statement, one snapshot: what it does not see is at or after its horizon.
    select pg_snapshot_xmin(pg_current_snapshot())::text,
           coalesce(array_agg(c.id) filter (where not c.erased), '{}'),
           coalesce(array_agg(c.stamp) filter (where not c.erased), '{}'),
           coalesce(array_agg(c.id) filter (where c.erased), '{}')
    into horizon, changed, stamps, gone
    from (
        select m.id, m.changed_xid::text as stamp, false as erased from memories m where m.workspace_id = ws and m.changed_xid >= since
        union all
        select v.memory_id, '0', false from memory_vectors v where v.workspace_id = ws and v.changed_xid >= since
        union all
        select e.memory_id, '', true from erasures e where e.workspace_id = ws and e.changed_xid >= since
    ) c;
end $$;
