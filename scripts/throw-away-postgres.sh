#!/bin/sh
# Runs a command with DATABASE_URL set to an empty database, which is gone afterwards.
# Usage: throw-away-postgres.sh COMMAND [ARGUMENT…]
set -eu

bin=$("$(dirname "$0")/find-postgres.sh") || {
    echo "No Postgres 15 or newer was found: run scripts/install.sh test." >&2
    exit 1
}
folder=$(mktemp -d /tmp/cairn-throwaway.XXXXXX)

# Postgres refuses to run as root. Nothing below needs quoting: both paths are plain.
if [ "$(id -u)" = 0 ]; then
    account=postgres
    id -u "$account" >/dev/null 2>&1 || account=nobody
    chown "$account" "$folder"
    as_account() { su -s /bin/sh "$account" -c "cd / && $1"; }
else
    as_account() { sh -c "cd / && $1"; }
fi

put_away() {
    as_account "$bin/pg_ctl stop -D $folder/data -m immediate" >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap put_away EXIT
trap 'exit 130' HUP INT TERM

run() {
    as_account "$1" >"$folder.log" 2>&1 || {
        cat "$folder.log" >&2
        rm -f "$folder.log"
        exit 1
    }
    rm -f "$folder.log"
}
run "$bin/initdb -D $folder/data -U cairn_owner --auth=trust --encoding=UTF8 --locale=C --no-sync"
run "$bin/pg_ctl start -w -D $folder/data -l $folder/log \
    -o '-c listen_addresses= -c port=5432 -c fsync=off -c unix_socket_directories=$folder'"
run "$bin/psql -X -q -h $folder -U cairn_owner -d postgres \
    -c 'create role cairn_login login noinherit' -c 'create database cairn'"

DATABASE_URL="postgres://cairn_owner@localhost/cairn?host=$folder&sslmode=disable" "$@"
