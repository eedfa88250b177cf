-- A change of a column that a whole unique index has counts as a change of the key: whoever revised a text kept everybody from
-- putting down anything that belongs to the memory, and two who revised contradicting ones waited for each other.
create unique index memories_twins on memories (workspace_id, twin_key) where twin_key is not null;
drop index memories_twin;
alter index memories_twins rename to memories_twin;
