-- The view as it was, but for the other side of a contradiction: it is found by its key, for each contradiction there is. Of a
-- table that grew a moment ago the planner knows nothing, and read all memories for each memory.
create or replace view memory_states with (security_invoker = true) as
select v.workspace_id, v.memory_id as id, v.version, v.version = m.version as current, v.operation, v.store_id, v.path, v.title, v.content,
       v.kind, v.tags, v.project, v.anchors, v.source, v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from,
       v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at, v.verified_by_type, v.verified_by, v.content_sha256,
       v.reason, v.salt, v.digest, v.audit_id, v.redacted_at, v.session_id,
       m.created_at, m.created_by_type, m.created_by, v.at as updated_at, v.actor_type as updated_by_type, v.actor_id as updated_by,
       coalesce(ca.name, cp.name) as created_by_name, coalesce(ua.name, up.name) as updated_by_name,
       coalesce(va.name, vp.name) as verified_by_name,
       v.tokens, m.reported_at, m.reported_as,
       coalesce(v.run_id, case when v.version = 1 then v.session_id end) as run_id,
       case when v.version = m.version and v.anchors <> '[]' then (
           select jsonb_agg(jsonb_build_object('position', c.position, 'branch', c.branch, 'main', c.main, 'repo', c.repo, 'verdict', c.verdict,
               'path', c.path, 'symbol', c.symbol, 'was_path', c.was_path, 'was_symbol', c.was_symbol, 'since', c.since, 'at', c.at) order by c.position, c.branch)
           from code_verdicts c
           where c.workspace_id = m.workspace_id and c.memory_id = m.id) end as code,
       -- Active memories that it contradicts and nobody has decided, as far as everybody who sees the one may see the other.
       case when v.version = m.version and m.state = 'active' then (
           select jsonb_agg(jsonb_build_object('memory_id', c.other, 'at', c.found_at) order by c.other)
           from (
               select k.other, k.found_at
               from (
               select a.b as other, a.found_at from conflicts a where a.workspace_id = m.workspace_id and a.a = m.id and a.state = 'open' and a.certain
               union all
               select b.a, b.found_at from conflicts b where b.workspace_id = m.workspace_id and b.b = m.id and b.state = 'open' and b.certain
               ) k
               cross join lateral (
                   select from memories o
                   where o.workspace_id = m.workspace_id and o.id = k.other and o.state = 'active'
                     and (o.project is null or o.project = m.project) and (o.owner_id is null or o.owner_id = m.owner_id)
                   offset 0) o
               order by k.found_at, k.other
               limit 3
           ) c) end as contested
from memories m
join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id
left join agents ca on ca.workspace_id = m.workspace_id and ca.id = m.created_by
left join people cp on cp.id = m.created_by
left join agents ua on ua.workspace_id = v.workspace_id and ua.id = v.actor_id
left join people up on up.id = v.actor_id
left join agents va on va.workspace_id = v.workspace_id and va.id = v.verified_by
left join people vp on vp.id = v.verified_by;
