//! The walls, from the catalog: they stand around every table of a workspace, and no key leads through them.

use super::Promise;

pub(super) const PROMISES: &[Promise<'static>] = &[
    Promise {
        name: "walls_stand",
        says: "every table of a workspace has forced row policies, and the workspace leads its primary key",
        counts:
            "select count(*) from pg_attribute a join pg_class c on c.oid = a.attrelid
            where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attname = 'workspace_id' and not a.attisdropped",
        breaks: "select format('table %s', c.relname)
            from pg_class c
            join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
            where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
              and (not c.relrowsecurity or not c.relforcerowsecurity
                   or not exists (select 1 from pg_policy p where p.polrelid = c.oid)
                   or not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary and i.indkey[0] = a.attnum))",
    },
    Promise {
        name: "keys_stay_inside",
        says: "every foreign key between tables of workspaces compares the workspace too",
        counts: "select count(*) from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace",
        breaks: "select format('%s of table %s', k.conname, k.conrelid::regclass)
            from pg_constraint k
            join pg_attribute own on own.attrelid = k.conrelid and own.attname = 'workspace_id'
            join pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attname = 'workspace_id'
            where k.contype = 'f' and k.connamespace = 'public'::regnamespace
              and not exists (
                  select 1 from unnest(k.conkey, k.confkey) c (own, theirs) where c.own = own.attnum and c.theirs = theirs.attnum)",
    },
    Promise {
        name: "roles_are_bound",
        says: "the roles that queries run under are no superusers, bypass no policy and cannot change the trail",
        counts: "select count(*) from pg_roles where rolname in ('cairn_app', 'cairn_gate', 'cairn_index', 'cairn_seal')",
        breaks: "select format('role %s', rolname)
            from pg_roles
            where rolname in ('cairn_app', 'cairn_gate', 'cairn_index', 'cairn_seal')
              and (rolsuper or rolbypassrls
                   or has_table_privilege(rolname, 'audit_entries', 'update') or has_table_privilege(rolname, 'audit_entries', 'delete')
                   or has_table_privilege(rolname, 'audit_entries', 'truncate'))",
    },
];
