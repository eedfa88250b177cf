-- What whoever synced last said of the repository: the branch that memories are judged on unless another is asked for.
alter table code_snapshots add column default_branch text collate "C";
