-- Whose place a memory took is asked before it may be hidden from those who read what it replaced.
create index memory_versions_superseded_by on memory_versions (workspace_id, superseded_by) where superseded_by is not null;
