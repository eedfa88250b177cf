-- Memories as the server would send them, made in Postgres and written by the call that the server makes.
create sequence if not exists made;
create or replace procedure remember_alone(size int, content text) language plpgsql as $$
declare
    first bigint := nextval('made') * size;
    ws uuid := '00000000-0000-7000-8000-0000000000aa';
    ids uuid[]; paths text[]; titles text[]; contents text[]; shas bytea[]; facts text[]; empty jsonb[]; sure real[]; open_to text[];
    moments timestamptz[]; counts int[];
    no_text text[] := array_fill(null::text, array[size]);
    no_json jsonb[] := array_fill(null::jsonb, array[size]);
    no_id uuid[] := array_fill(null::uuid, array[size]);
    no_time timestamptz[] := array_fill(null::timestamptz, array[size]);
begin
    -- Ids rise with time, as the server's do.
    select array_agg((lpad(to_hex(n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid),
           array_agg('/facts/retries-of-upstream-' || n || '.md'), array_agg('Retries of upstream ' || n),
           array_agg('Upstream ' || n || ': ' || content), array_agg(sha256(int8send(n))), array_agg('fact'::text), array_agg('[]'::jsonb),
           array_agg(0.8::real), array_agg('workspace'::text), array_agg(now()), array_agg(90)
    into ids, paths, titles, contents, shas, facts, empty, sure, open_to, moments, counts
    from generate_series(first, first + size - 1) n;
    if not remember(ws, ws, 'agent', 'writer', null, null, ws, shas, ids, paths, titles, contents, facts, empty, no_text, empty, no_json, sure,
                    open_to, no_id, no_text, moments, no_time, no_time, no_id, moments, shas, shas, shas, counts, shas, ids, titles, false) then
        raise exception 'something stands in the way';
    end if;
end $$;
