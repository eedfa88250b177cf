-- Whatever a statement puts down or decides is marked at once: marked one by one, a memory in ten contradictions was written
-- ten times, and every mark was planned anew.
create function conflicts_touch_their_memories() returns trigger language plpgsql as $$
begin
    perform touch_memories(workspace_id, array_agg(a) || array_agg(b)) from fresh group by workspace_id;
    return null;
end $$;
drop trigger conflicts_touch on conflicts;
drop function conflicts_touch_memories();
create trigger conflicts_touch_new after insert on conflicts referencing new table as fresh
    for each statement execute function conflicts_touch_their_memories();
create trigger conflicts_touch_changed after update on conflicts referencing new table as fresh
    for each statement execute function conflicts_touch_their_memories();
