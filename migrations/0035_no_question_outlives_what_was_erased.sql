-- Who asked while the answer was being erased had their words kept: the receipt came after the look for receipts, and before
-- the erasure was there for all to see. Now either the erasure waits for the receipt and finds it, or the receipt for the
-- erasure: then what it tells of is gone, and so are the words that asked for it.
create or replace function write_receipt(ws uuid, who uuid, who_type text, person uuid, wall text,
    receipt uuid, moment timestamptz, session uuid, door text, question text, asked jsonb, items jsonb, memories uuid[],
    tokens int, omitted int, took_ms real) returns void
language plpgsql volatile as $$
declare
    stands boolean := enter_for_one_call(ws, who, person, wall);
    waits text := set_config('synchronous_commit', 'off', true);
    gone boolean;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('receipts ' || ws, 0));
    gone := cardinality(memories) > (select count(*) from memories m where m.workspace_id = ws and m.id = any (memories));
    insert into receipts (workspace_id, id, at, actor_type, actor_id, project, session_id, surface, query, asked, items, tokens, omitted, took_ms)
    values (ws, receipt, moment, who_type, who, wall, session, door, case when not gone then question end,
        case when gone then '{}' else asked end, items, tokens, omitted, took_ms);
    insert into receipt_items (workspace_id, memory_id, receipt_id) select ws, told, receipt from unnest(memories) told;
end $$;
