-- The cluster in which the numbers of transactions were given. Another one is found out at a start, whatever brought the tables there.
create table home (
    singleton boolean primary key default true check (singleton),
    system_identifier text not null
);
