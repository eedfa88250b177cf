//! The trail: nothing was written without its entry, and no entry speaks of what never was.

use super::Promise;

pub(super) const PROMISES: &[Promise<'static>] = &[
    Promise {
        name: "versions_have_entries",
        says: "every version was written together with the audit entry that names it",
        counts: "select count(*) from memory_versions",
        breaks: "select format('version %s of memory %s', v.version, v.memory_id)
            from memory_versions v
            where not exists (
                select 1 from audit_entries e
                where e.workspace_id = v.workspace_id and e.id = v.audit_id and e.target_id = v.memory_id and e.version = v.version and e.digest = v.digest)",
    },
    Promise {
        name: "entries_have_versions",
        says: "every entry of a written version has that version, unless it was erased",
        counts: "select count(*) from audit_entries where target_type = 'memory' and version is not null",
        breaks: "select format('entry %s of version %s of memory %s', e.id, e.version, e.target_id)
            from audit_entries e
            where e.target_type = 'memory' and e.version is not null
              and not exists (
                  select 1 from memory_versions v
                  where v.workspace_id = e.workspace_id and v.memory_id = e.target_id and v.version = e.version
                    and (v.audit_id = e.id or (e.action = 'memory.redacted' and v.redacted_at is not null)))
              and not exists (
                  select 1 from audit_entries g
                  where g.workspace_id = e.workspace_id and g.action = 'memory.erased' and g.target_id = e.target_id)",
    },
    Promise {
        name: "versions_have_authors",
        says: "every version has an author who is known in its workspace",
        counts: "select count(*) from memory_versions",
        breaks: "select format('version %s of memory %s by %s %s', v.version, v.memory_id, v.actor_type, v.actor_id)
            from memory_versions v
            where not case v.actor_type
                when 'agent' then exists (select 1 from agents a where a.workspace_id = v.workspace_id and a.id = v.actor_id)
                when 'person' then exists (select 1 from people p where p.id = v.actor_id)
                else v.actor_type = 'system' and v.actor_id = '00000000-0000-0000-0000-000000000000' end",
    },
];
