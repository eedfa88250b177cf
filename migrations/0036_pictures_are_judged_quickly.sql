-- Fingerprints do not get smaller: trying took a third of the time that a large picture needs.
alter table code_parts alter column files set storage external;
alter table code_files alter column symbols set storage external;

-- As it was, but for the look-ups of one memory each: right after many were touched nobody knows yet how many there are, and
-- a join of all with all was planned as if there were none.
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
        select m.id, greatest(m.changed_xid, t.changed_xid)::text as stamp, false as erased
        from memories m
        left join lateral (select changed_xid from memory_touches where workspace_id = m.workspace_id and memory_id = m.id limit 1) t on true
        where m.workspace_id = ws and m.changed_xid >= since
        union
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
