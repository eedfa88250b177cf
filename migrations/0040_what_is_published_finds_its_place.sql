-- What was private and becomes everybody's comes to its path as if it had been moved there; and that somebody keeps private
-- memories in a folder does not show that none of everybody's lies where the folder is.
--
-- What comes is everybody's (`coming`) or the writer's own (`own`). Everybody's finds its folder there only where something of
-- everybody's lies in it: whoever puts a file in the folder's place may not see the rest. One's own finds it there with whatever
-- the writer sees in it. The first of those made the folder and held the list alone, and since then nothing came to its place
-- that the writer keeps, for below it they saw one of those; what had come before is there to be seen, and is looked for.
--
-- All locks of a statement are taken in one order: folders, then lists, and of either what lies above before what lies below.
-- The function of five arguments (0001) is used no more, but by whoever is in the middle of a write.
create function keep_paths_apart(workspace uuid, store uuid, coming text[], own text[], ids uuid[], going text[]) returns void
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
declare
    wall text := current_setting('cairn.project', true);
    parents text[] := '{}';
    shared text[] := '{}';
    used text[] := '{}';
    emptied text[] := '{}';
    made text[] := '{}';
    p text;
    alone boolean;
    comes boolean;
    everybodys boolean;
    place bigint;
begin
    foreach p in array going loop
        p := parent_of(p);
        while p <> '' and p <> all (emptied) loop
            emptied := emptied || p;
            p := parent_of(p);
        end loop;
    end loop;
    foreach p in array coming loop
        p := parent_of(p);
        continue when p = any (parents);
        parents := parents || p;
        while p <> '' and p <> all (shared) loop
            shared := shared || p;
            p := parent_of(p);
        end loop;
    end loop;
    foreach p in array own loop
        p := parent_of(p);
        if p <> all (parents) then
            parents := parents || p;
        end if;
        while p <> '' and p <> all (used) loop
            used := used || p;
            p := parent_of(p);
        end loop;
    end loop;
    -- The rule holds across the wall of a limited key, which learns no more than that a path cannot be had.
    if wall <> '' then
        perform set_config('cairn.project', '', true);
    end if;
    for p, alone, comes, everybodys in
        select f.path, bool_or(f.alone), bool_or(f.comes), bool_or(f.everybodys)
        from (
            select u.path, true, false, false from unnest(emptied) u (path)
            union all
            select u.path, false, true, true from unnest(shared) u (path)
            union all
            select u.path, false, true, false from unnest(used) u (path)
        ) f (path, alone, comes, everybodys)
        group by f.path
        order by f.path collate "C"
    loop
        place := hashtextextended(store::text || p, 1);
        if alone then
            perform pg_advisory_xact_lock(place);
        elsif not pg_try_advisory_xact_lock_shared(place) then
            perform pg_advisory_xact_lock_shared(place);
        end if;
        continue when not comes;
        perform 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed')
          and m.path >= p || '/' and m.path < p || '0' and m.id not in (select unnest(ids)) and m.owner_id is null
        order by m.path
        limit 1;
        if not found and not everybodys then
            perform 1 from memories m
            where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed')
              and m.path >= p || '/' and m.path < p || '0' and m.id not in (select unnest(ids))
              and coalesce(m.owner_id, m.workspace_id) = scope_person()
            order by m.path
            limit 1;
        end if;
        if not found then
            made := made || p;
        end if;
    end loop;
    for p, alone in
        select l.path, bool_or(l.alone)
        from (
            select parent_of(u.path), true from unnest(made) u (path)
            union all
            select u.path, false from unnest(parents) u (path)
        ) l (path, alone)
        group by l.path
        order by l.path collate "C"
    loop
        place := hashtextextended(store::text || p, 2);
        if alone then
            perform pg_advisory_xact_lock(place);
        elsif not pg_try_advisory_xact_lock_shared(place) then
            perform pg_advisory_xact_lock_shared(place);
        end if;
    end loop;
    -- A folder that was there is no file of everybody's; one that is new may be. And nothing may lie below what comes.
    perform 1 from unnest(made || used) f
    cross join lateral (
        select 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed') and m.path = f
        limit 1) file
    union all
    select 1 from unnest(coming || own) c
    cross join lateral (
        select 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed')
          and m.path >= c || '/' and m.path < c || '0'
        order by m.path
        limit 1) below;
    if found then
        raise exception 'path clash' using errcode = 'unique_violation', constraint = 'memories_path';
    end if;
    if wall <> '' then
        perform set_config('cairn.project', wall, true);
    end if;
end $$;

create or replace function memories_keep_paths_apart() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        perform keep_paths_apart(workspace_id, store_id, coalesce(array_agg(path) filter (where owner_id is null), '{}'),
                                 coalesce(array_agg(path) filter (where owner_id is not null), '{}'), array_agg(id), '{}')
        from fresh where state in ('active', 'proposed') group by workspace_id, store_id;
    elsif tg_op = 'DELETE' then
        perform keep_paths_apart(workspace_id, store_id, '{}', '{}', '{}', array_agg(path))
        from gone where state in ('active', 'proposed') group by workspace_id, store_id;
    else
        perform keep_paths_apart(workspace_id, store_id, coalesce(array_agg(path) filter (where comes and owner_id is null), '{}'),
                                 coalesce(array_agg(path) filter (where comes and owner_id is not null), '{}'), array_agg(id),
                                 coalesce(array_agg(path) filter (where not comes), '{}'))
        from (
            select f.workspace_id, f.store_id, f.owner_id, f.path, f.id, true from fresh f join gone g using (workspace_id, id)
            where f.state in ('active', 'proposed') and (g.state not in ('active', 'proposed') or (f.store_id, f.path, f.owner_id) is distinct from (g.store_id, g.path, g.owner_id))
            union all
            select g.workspace_id, g.store_id, g.owner_id, g.path, g.id, false from fresh f join gone g using (workspace_id, id)
            where g.state in ('active', 'proposed') and (f.state not in ('active', 'proposed') or (f.store_id, f.path, f.owner_id) is distinct from (g.store_id, g.path, g.owner_id))
        ) moved (workspace_id, store_id, owner_id, path, id, comes)
        group by workspace_id, store_id;
    end if;
    return null;
end $$;
