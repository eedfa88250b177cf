#!/bin/sh
# Makes Cairn's two roles and its database. The postgres image runs it once, while its volume is
# empty; anywhere else run it as a superuser:
#   CAIRN_OWNER_PASSWORD=… CAIRN_LOGIN_PASSWORD=… POSTGRES_USER=postgres deploy/postgres/10-cairn-roles.sh
set -eu
: "${CAIRN_OWNER_PASSWORD:?is missing: the password of the role that owns the tables}"
: "${CAIRN_LOGIN_PASSWORD:?is missing: the password of the role that the server signs in with}"

# The passwords go through the environment: arguments can be seen in the list of processes.
export CAIRN_OWNER_PASSWORD CAIRN_LOGIN_PASSWORD
psql -X -q -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv owner_password CAIRN_OWNER_PASSWORD
\getenv login_password CAIRN_LOGIN_PASSWORD

-- Owns the tables and makes the roles that queries run under; BYPASSRLS because a backup has to see every row.
create role cairn_owner login createrole bypassrls password :'owner_password';

-- What the server signs in with. It has no rights: each transaction steps into one workspace.
create role cairn login noinherit password :'login_password';

-- From Postgres 16 on, CREATEROLE alone no longer lets the owner give this role its way in.
grant cairn to cairn_owner with admin option;

create database cairn owner cairn_owner encoding 'UTF8' template template0;
revoke all on database cairn from public;
grant connect on database cairn to cairn;
SQL
