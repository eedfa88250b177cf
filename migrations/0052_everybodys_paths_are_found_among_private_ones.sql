-- Whether anything of everybody's lies in a folder is asked with every write below it (0040), however much that is private is there.
create index memories_everybodys on memories (workspace_id, store_id, path) where owner_id is null and state in ('active', 'proposed');
