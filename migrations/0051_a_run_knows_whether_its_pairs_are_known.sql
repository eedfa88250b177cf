-- Whether what a run added to pairs of files was kept, also if it added none (0047): an older server, which kept none of it, says nothing.
alter table sessions add column pairs_known boolean not null default false;
