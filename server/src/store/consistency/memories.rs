//! Memories: versions without gaps, and everything that is kept beside them says what the newest version says.

use super::Promise;

pub(super) const PROMISES: &[Promise<'static>] = &[
    Promise {
        name: "versions_without_gaps",
        says: "the versions of a memory are numbered from 1 on, without a gap, in the order of time",
        counts: "select count(*) from memories",
        breaks: "select format('memory %s', memory_id)
            from (
                select workspace_id, memory_id, version, at,
                       row_number() over w as place, lag(at) over w as before
                from memory_versions
                window w as (partition by workspace_id, memory_id order by version)
            ) v
            group by workspace_id, memory_id
            having bool_or(version <> place) or bool_or(at <= before)",
    },
    Promise {
        name: "current_versions",
        says: "a memory is what its newest version says",
        counts: "select count(*) from memories",
        breaks: "select format('memory %s at version %s', m.id, m.version)
            from memories m
            left join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
            where v.version is null
               or exists (select 1 from memory_versions l where l.workspace_id = m.workspace_id and l.memory_id = m.id and l.version > m.version)
               -- Only what was put away can be redacted to its last version.
               or case when v.redacted_at is not null then m.state <> 'archived' else
                  (m.store_id, m.path, m.kind, m.project, m.state, m.visibility, m.owner_id, m.content_sha256, m.subject,
                   m.stale_after, m.expires_at, m.verified_at, m.session_id, m.updated_at, m.updated_by)
                  is distinct from
                  (v.store_id, v.path, v.kind, v.project, v.state, v.visibility, v.owner_id, v.content_sha256, v.subject,
                   v.stale_after, v.expires_at, v.verified_at, v.session_id, v.at, v.actor_id) end
               or v.content_sha256 <> sha256(convert_to(v.content, 'UTF8'))",
    },
    Promise {
        name: "versions_have_memories",
        says: "every version belongs to a memory",
        counts: "select count(*) from memory_versions",
        breaks: "select format('version %s of memory %s', v.version, v.memory_id)
            from memory_versions v
            where not exists (select 1 from memories m where m.workspace_id = v.workspace_id and m.id = v.memory_id)",
    },
    Promise {
        name: "tags_and_anchors",
        says: "memories are found by the tags and anchors of their newest version, and by no others",
        counts: "select (select count(*) from memory_tags) + (select count(*) from anchors)",
        breaks: "with current as (
                select v.workspace_id, v.memory_id, v.tags, v.anchors
                from memories m
                join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
            ), tagged as (
                select workspace_id, memory_id, tag from current, unnest(tags) tag
            ), anchored as (
                select workspace_id, memory_id, a.position::int, a.anchor ->> 'path' as path, a.anchor ->> 'symbol' as symbol
                from current, jsonb_array_elements(anchors) with ordinality a (anchor, position)
            )
            select distinct format('memory %s', memory_id)
            from (
                (select workspace_id, memory_id from (select workspace_id, memory_id, tag from memory_tags except select * from tagged) more)
                union all
                (select workspace_id, memory_id from (select * from tagged except select workspace_id, memory_id, tag from memory_tags) less)
                union all
                (select workspace_id, memory_id from (select workspace_id, memory_id, position, path, symbol from anchors except select * from anchored) more)
                union all
                (select workspace_id, memory_id from (select * from anchored except select workspace_id, memory_id, position, path, symbol from anchors) less)
            ) differ",
    },
    Promise {
        name: "paths_apart",
        says: "no memory in use lies on another's path, or below it",
        counts: "select count(*) from memories where state in ('active', 'proposed')",
        breaks: "select format('memory %s, below memory %s', m.id, f.id)
            from memories m
            cross join lateral (select left(m.path, n - 1) as folder from generate_series(2, length(m.path)) n where substr(m.path, n, 1) = '/') up
            join memories f on f.workspace_id = m.workspace_id and f.store_id = m.store_id and f.path = up.folder
                and f.owner_id is not distinct from m.owner_id and f.state in ('active', 'proposed')
            where m.state in ('active', 'proposed')
            union all
            select format('memory %s, where memory %s lies', m.id, f.id)
            from memories m
            join memories f on f.workspace_id = m.workspace_id and f.store_id = m.store_id and f.path = m.path and f.id < m.id
                and f.owner_id is not distinct from m.owner_id and f.state in ('active', 'proposed')
            where m.state in ('active', 'proposed')",
    },
    Promise {
        name: "superseded_by_something",
        says: "whatever is superseded names what took its place, which is there or was erased, and nothing else does",
        counts: "select count(*) from memories where state = 'superseded'",
        breaks: "select format('memory %s', m.id)
            from memories m
            join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
            where (m.state = 'superseded' and v.superseded_by is null)
               or (m.state not in ('superseded', 'archived') and v.superseded_by is not null)
               or exists (
                   select 1 from (values (v.superseded_by), (v.supersedes)) l (other)
                   where l.other is not null
                     and not exists (select 1 from memories o where o.workspace_id = m.workspace_id and o.id = l.other)
                     and not exists (select 1 from audit_entries e where e.workspace_id = m.workspace_id and e.action = 'memory.erased' and e.target_id = l.other))",
    },
    Promise {
        name: "decisions_unchanged",
        says: "the text of a decision never changes",
        counts: "select count(*) from memories where kind = 'decision'",
        breaks: "select format('version %s of memory %s', v.version, v.memory_id)
            from memory_versions v
            join memory_versions before on before.workspace_id = v.workspace_id and before.memory_id = v.memory_id and before.version = v.version - 1
            where v.kind = 'decision' and before.kind = 'decision' and v.content_sha256 <> before.content_sha256
              and (v.operation = 'revised'
                or (v.operation = 'imported' and exists (
                    -- What came together is told as it was there.
                    select 1 from audit_entries e
                    join audit_entries f on f.workspace_id = e.workspace_id and f.id = before.audit_id and f.request_id <> e.request_id
                    where e.workspace_id = v.workspace_id and e.id = v.audit_id)))",
    },
    Promise {
        name: "stores_are_there",
        says: "every memory lies in a store of its workspace",
        counts: "select count(*) from memories",
        breaks: "select format('memory %s in store %s', m.id, m.store_id)
            from memories m
            where m.store_id <> m.workspace_id
              and not exists (select 1 from stores s where s.workspace_id = m.workspace_id and s.id = m.store_id)",
    },
];
