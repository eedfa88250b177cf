-- A page of what changed begins where the last one ended, also in the middle of a transaction that wrote a hundred thousand.
create index audit_entries_written_at on audit_entries (written_xid, id);
drop index audit_entries_written;
