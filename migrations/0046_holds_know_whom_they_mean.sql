-- Whom a hold on a person meant when it was placed, and every name that they went by: what is theirs and speaks of them is kept
-- though they are renamed, or their account is removed. A server that knows nothing of it looks as before.
alter table holds
    add column people uuid[] not null default '{}',
    add column names text[] not null default '{}';

-- Those that stand mean whom they mean now. The owner of a table that is no superuser is held by its policies too, while they
-- are forced.
alter table holds no force row level security;
alter table people no force row level security;
alter table members no force row level security;
update holds h
set people = meant.people, names = meant.names
from (
    select o.workspace_id, o.id, array_agg(p.id) as people,
           array_agg(p.id::text) || coalesce(array_agg(p.email) filter (where p.deleted_at is null), '{}')
               || coalesce(array_agg(p.name) filter (where p.deleted_at is null), '{}') as names
    from holds o
    join people p on p.id::text = lower(o.subject)
        or (p.deleted_at is null and (lower(p.email) = lower(o.subject) or lower(p.name) = lower(o.subject)))
    where exists (select 1 from members m where m.workspace_id = o.workspace_id and m.person_id = p.id)
    group by o.workspace_id, o.id
) meant
where h.workspace_id = meant.workspace_id and h.id = meant.id;
alter table members force row level security;
alter table people force row level security;
alter table holds force row level security;
