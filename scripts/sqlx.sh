#!/bin/sh
# .sqlx holds what Postgres says about every query, so that the build needs no database.
# Usage: sqlx.sh write|check
set -eu
cd "$(dirname "$0")/.."

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
trap 'exit 130' HUP INT TERM
scripts/throw-away-postgres.sh scripts/describe-queries.sh "$fresh"

case ${1:-} in
write)
    rm -rf .sqlx
    mkdir .sqlx
    find "$fresh" -name 'query-*.json' -exec cp {} .sqlx/ \;
    echo ".sqlx describes $(find .sqlx -name 'query-*.json' | wc -l | tr -d ' ') queries."
    ;;
check)
    # No query yet, no folder yet: git keeps no empty ones.
    [ -d .sqlx ] || [ -n "$(ls "$fresh")" ] || exit 0
    difference=$(diff -rq .sqlx "$fresh" 2>&1) || {
        printf '%s\n' "$difference" >&2
        echo ".sqlx is not what the queries and migrations say: run \`make sqlx\` and commit it." >&2
        exit 1
    }
    ;;
*)
    echo "sqlx.sh wants \`write\` or \`check\`." >&2
    exit 1
    ;;
esac
