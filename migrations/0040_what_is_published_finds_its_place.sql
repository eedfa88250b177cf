-- What was private and becomes everybody's comes to its path as if it had been moved there; and that somebody keeps private
-- memories in a folder does not show that none of everybody's lies where the folder is.
create or replace function keep_paths_apart(workspace uuid, store uuid, coming text[], ids uuid[], going text[]) returns void
language plpgsql volatile set plan_cache_mode = force_generic_plan as $$
declare
    wall text := current_setting('cairn.project', true);
    parents text[] := '{}';
    used text[] := '{}';
    made text[] := '{}';
    p text;
    place bigint;
begin
    foreach p in array going loop
        loop
            p := parent_of(p);
            exit when p = '';
            perform pg_advisory_xact_lock(hashtextextended(store::text || p, 1));
        end loop;
    end loop;
    if cardinality(coming) = 0 then
        return;
    end if;
    foreach p in array coming loop
        p := parent_of(p);
        continue when p = any (parents);
        parents := parents || p;
        while p <> '' and p <> all (used) loop
            used := used || p;
            p := parent_of(p);
        end loop;
    end loop;
    -- The rule holds across the wall of a limited key, which learns no more than that a path cannot be had.
    if wall <> '' then
        perform set_config('cairn.project', '', true);
    end if;
    foreach p in array used loop
        place := hashtextextended(store::text || p, 1);
        if not pg_try_advisory_xact_lock_shared(place) then
            perform pg_advisory_xact_lock_shared(place);
        end if;
        perform 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed')
          and m.path >= p || '/' and m.path < p || '0' and m.id <> all (ids) and m.owner_id is null
        order by m.path
        limit 1;
        if not found then
            made := made || p;
            perform pg_advisory_xact_lock(hashtextextended(store::text || parent_of(p), 2));
        end if;
    end loop;
    foreach p in array parents loop
        place := hashtextextended(store::text || p, 2);
        if not pg_try_advisory_xact_lock_shared(place) then
            perform pg_advisory_xact_lock_shared(place);
        end if;
    end loop;
    -- A folder that was there is no file; one that is new may be. And nothing may lie below what comes.
    perform 1 from unnest(made) f
    cross join lateral (
        select 1 from memories m
        where m.workspace_id = workspace and m.store_id = store and m.state in ('active', 'proposed') and m.path = f
        limit 1) file
    union all
    select 1 from unnest(coming) c
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
        perform keep_paths_apart(workspace_id, store_id, array_agg(path), array_agg(id), '{}')
        from fresh where state in ('active', 'proposed') group by workspace_id, store_id;
    elsif tg_op = 'DELETE' then
        perform keep_paths_apart(workspace_id, store_id, '{}', '{}', array_agg(path))
        from gone where state in ('active', 'proposed') group by workspace_id, store_id;
    else
        perform keep_paths_apart(workspace_id, store_id, coalesce(array_agg(path) filter (where comes), '{}'), array_agg(id),
                                 coalesce(array_agg(path) filter (where not comes), '{}'))
        from (
            select f.workspace_id, f.store_id, f.path, f.id, true from fresh f join gone g using (workspace_id, id)
            where f.state in ('active', 'proposed') and (g.state not in ('active', 'proposed') or (f.store_id, f.path, f.owner_id) is distinct from (g.store_id, g.path, g.owner_id))
            union all
            select g.workspace_id, g.store_id, g.path, g.id, false from fresh f join gone g using (workspace_id, id)
            where g.state in ('active', 'proposed') and (f.state not in ('active', 'proposed') or (f.store_id, f.path, f.owner_id) is distinct from (g.store_id, g.path, g.owner_id))
        ) moved (workspace_id, store_id, path, id, comes)
        group by workspace_id, store_id;
    end if;
    return null;
end $$;
