-- The memories of contradictions were marked by each statement, so that a transaction with several marked in an order of its
-- own, held what it had marked, and went on to wait for others: two that met waited for each other. Now each statement only
-- notes them, and they are marked when everything else is done, all at once and in one order for everybody.
create or replace function conflicts_touch_their_memories() returns trigger language plpgsql as $$
declare
    noted text;
begin
    select string_agg(workspace_id || ' ' || a || ' ' || b, E'\n') into noted from fresh;
    if noted is not null then
        perform set_config('cairn.contradicted', concat_ws(E'\n', nullif(current_setting('cairn.contradicted', true), ''), noted), true);
    end if;
    return null;
end $$;

create function conflicts_touch_last() returns trigger language plpgsql as $$
declare
    noted text := current_setting('cairn.contradicted', true);
begin
    -- The first of them at the end of a transaction marks for all.
    if noted <> '' then
        perform set_config('cairn.contradicted', '', true);
        perform touch_memories(ws, array_agg(one) || array_agg(other))
        from (
            select split_part(line, ' ', 1)::uuid as ws, split_part(line, ' ', 2)::uuid as one, split_part(line, ' ', 3)::uuid as other
            from unnest(string_to_array(noted, E'\n')) line
        ) pairs
        group by ws;
    end if;
    return null;
end $$;
create constraint trigger conflicts_touch_last after insert or update on conflicts
    deferrable initially deferred for each row execute function conflicts_touch_last();
