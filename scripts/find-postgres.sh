#!/bin/sh
# Prints the folder of the newest Postgres that Cairn can use, or fails.
# Looks where server/src/store/cluster/binaries.rs looks.
set -eu

oldest=15
best=
best_major=0

# The real folder has the whole set; what is in PATH may be links or wrappers.
consider() {
    program=$(readlink -f "$1/postgres" 2>/dev/null) || return 0
    folder=${program%/*}
    for name in postgres initdb pg_ctl; do
        [ -x "$folder/$name" ] || return 0
    done
    for name in psql pg_dump pg_restore; do
        [ -x "$folder/$name" ] || command -v "$name" >/dev/null || return 0
    done
    major=$("$folder/postgres" --version 2>/dev/null | sed -n 's/.*(PostgreSQL) \([0-9][0-9]*\).*/\1/p')
    if [ "${major:-0}" -ge "$oldest" ] && [ "$major" -gt "$best_major" ]; then
        best=$folder
        best_major=$major
    fi
}

old_ifs=$IFS
IFS=:
for folder in $PATH; do
    consider "$folder"
done
IFS=$old_ifs
for folder in \
    /usr/lib/postgresql/*/bin /usr/lib/postgresql*/bin /usr/libexec/postgresql* /usr/pgsql-*/bin \
    /usr/local/pgsql/bin /usr/local/bin /usr/bin \
    /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin \
    /home/linuxbrew/.linuxbrew/opt/postgresql@*/bin /opt/local/lib/postgresql*/bin \
    /Applications/Postgres.app/Contents/Versions/*/bin; do
    consider "$folder"
done

[ -n "$best" ] || exit 1
echo "$best"
