-- What changed, as before; where both a memory and what is said of its code did, it is told twice, which costs whoever asks
-- nothing. Telling these apart cost every look a table of its own.
create function enter_index_for_one_call(workspace uuid) returns boolean language plpgsql as $$
declare
    was text;
begin
    was := set_config('cairn.workspace', coalesce(workspace::text, ''), true);
    was := set_config('cairn.actor', '', true);
    was := set_config('cairn.person', '', true);
    was := set_config('cairn.project', '', true);
    was := set_config('role', 'cairn_index', true);
    was := set_config('plan_cache_mode', 'force_generic_plan', true);
    return true;
end $$;

create or replace function changes_since(ws uuid, since xid8,
    out horizon text, out changed uuid[], out stamps text[], out gone uuid[])
language plpgsql volatile as $$
declare
    stands boolean := enter_index_for_one_call(ws);
begin
    -- One statement, one snapshot: what it does not see is at or after its horizon.
    select pg_snapshot_xmin(pg_current_snapshot())::text,
           coalesce(array_agg(c.id) filter (where not c.erased), '{}'),
           coalesce(array_agg(c.stamp) filter (where not c.erased), '{}'),
           coalesce(array_agg(c.id) filter (where c.erased), '{}')
    into horizon, changed, stamps, gone
    from (
        select m.id, greatest(m.changed_xid, t.changed_xid)::text as stamp, false as erased
        from memories m
        left join lateral (select changed_xid from memory_touches where workspace_id = m.workspace_id and memory_id = m.id limit 1) t on true
        where m.workspace_id = ws and m.changed_xid >= since
        union all
        select t.memory_id, greatest(m.changed_xid, t.changed_xid)::text, false
        from memory_touches t
        cross join lateral (select changed_xid from memories where workspace_id = t.workspace_id and id = t.memory_id limit 1) m
        where t.workspace_id = ws and t.changed_xid >= since
        union all
        -- Their vectors came later; the stamp 0 is no memory's, so they are read again.
        select v.memory_id, '0', false from memory_vectors v where v.workspace_id = ws and v.changed_xid >= since
        union all
        select e.memory_id, '', true from erasures e where e.workspace_id = ws and e.changed_xid >= since
    ) c;
end $$;
