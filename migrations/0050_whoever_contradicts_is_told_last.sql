-- Who stands against these memories, undecided and clearly, whoever may see that: what is doubted for one of them is judged anew when
-- it goes, comes back or changes hands.
create function who_contradicts(ws uuid, moved uuid[]) returns uuid[] language plpgsql volatile as $$
declare
    was text := set_config('role', 'cairn_index', true);
    others uuid[];
begin
    select array_agg(o.id) into others
    from (
        select b as id from conflicts where workspace_id = ws and a = any (moved) and state = 'open' and certain
        union
        select a from conflicts where workspace_id = ws and b = any (moved) and state = 'open' and certain
    ) o;
    was := set_config('role', 'cairn_app', true);
    return others;
end $$;

-- They are marked when everything else is done, together with the contradictions that the transaction noted, in one order for
-- everybody: marked by each statement, two transactions that met waited for each other.
create function touch_contradicted(ws uuid, others uuid[]) returns void language plpgsql volatile as $$
declare
    noted text := coalesce(current_setting('cairn.contradicted', true), '');
    was text;
begin
    was := set_config('cairn.contradicted', coalesce((
        select string_agg(line, E'\n') from unnest(string_to_array(noted, E'\n')) line where split_part(line, ' ', 1) <> ws::text), ''), true);
    perform touch_memories(ws, others || coalesce((
        select array_agg(one)
        from unnest(string_to_array(noted, E'\n')) line
        cross join lateral (values (split_part(line, ' ', 2)::uuid), (split_part(line, ' ', 3)::uuid)) pair (one)
        where split_part(line, ' ', 1) = ws::text), '{}'));
end $$;
