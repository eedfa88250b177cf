-- ── Single sign-on ──────────────────────────────────────────────────────────────────────────────
-- Who somebody is at a provider, and who that is here. The provider's own id counts, never an address: addresses change hands.
create table identities (
    issuer text not null,
    subject text not null,
    person_id uuid not null references people,
    linked_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    primary key (issuer, subject)
);
create index identities_of_person on identities (person_id);
grant select, insert, update, delete on identities to cairn_gate;

-- A membership that a group of the provider gives follows it: another role, or none, at the next sign-in. What an admin gave stays.
alter table members add column by_group boolean not null default false;
