-- Who was told what was being erased got the answer when the erasure was there for all to see. Now no receipt is kept of such an
-- answer, and whoever is about to give it learns that some of it is gone, and looks again.
create function write_receipt_unless_gone(ws uuid, who uuid, who_type text, person uuid, wall text,
    receipt uuid, moment timestamptz, session uuid, door text, question text, asked jsonb, items jsonb, memories uuid[],
    tokens int, omitted int, took_ms real) returns boolean
language plpgsql volatile as $$
declare
    stands boolean := enter_for_one_call(ws, who, person, wall);
    waits text := set_config('synchronous_commit', 'off', true);
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('receipts ' || ws, 0));
    if cardinality(memories) > (select count(*) from memories m where m.workspace_id = ws and m.id = any (memories)) then
        return false;
    end if;
    insert into receipts (workspace_id, id, at, actor_type, actor_id, project, session_id, surface, query, asked, items, tokens, omitted, took_ms)
    values (ws, receipt, moment, who_type, who, wall, session, door, question, asked, items, tokens, omitted, took_ms);
    insert into receipt_items (workspace_id, memory_id, receipt_id) select ws, told, receipt from unnest(memories) told;
    return true;
end $$;

-- Whether anything that an answer shows was erased since a snapshot, by others. Until the end of the transaction no erasure ends,
-- so that it finds the answer that is kept, or the answer finds it.
create function erased_since(ws uuid, since text, shown uuid[], answer bytea) returns boolean
language plpgsql volatile as $$
declare
    wall text := current_setting('cairn.project', true);
    requests uuid[];
    gone boolean := false;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('receipts ' || ws, 0));
    -- What was erased is gone for whoever stands behind a wall too.
    perform set_config('cairn.project', '', true);
    select array_agg(r.id) into requests
    from deletion_requests r
    where r.workspace_id = ws and r.state = 'executed' and r.executed_xid <> pg_current_xact_id()
      and not pg_visible_in_snapshot(r.executed_xid, since::pg_snapshot);
    if requests is not null then
        gone := exists (
            select 1 from deletion_request_items i
            where i.workspace_id = ws and i.request_id = any (requests) and i.taken
              and (i.memory_id = any (shown)
                   or i.memory_id in (
                       select m[1]::uuid
                       from regexp_matches(encode(answer, 'escape'), '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}', 'g') m)));
    end if;
    perform set_config('cairn.project', coalesce(wall, ''), true);
    return gone;
end $$;
