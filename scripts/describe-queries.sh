#!/bin/sh
# Brings DATABASE_URL up to the migrations and has the sqlx macros write what they learn from it.
# With psql and not with our own `migrate`, which does not compile before its queries are known.
# Usage: describe-queries.sh FOLDER
set -eu
cd "$(dirname "$0")/.."

psql=$(scripts/find-postgres.sh)/psql
[ -x "$psql" ] || psql=psql
for migration in migrations/*.sql; do
    [ -e "$migration" ] || continue
    transaction=--single-transaction
    head -n 1 "$migration" | grep -q '^-- no-transaction' && transaction=
    # shellcheck disable=SC2086 # nothing, or one word
    "$psql" -X -q -v ON_ERROR_STOP=1 $transaction -f "$migration" "$DATABASE_URL" >/dev/null || {
        echo "$migration does not apply to an empty database." >&2
        exit 1
    }
done

# The macros run only when the crate is compiled anew: a flag that is new each time sees to that.
# All SQL is in the server's library, and nothing else needs the result.
messages=$(SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$1 CARGO_INCREMENTAL=0 \
    cargo rustc --quiet -p cairn-server --lib --profile check --message-format json-render-diagnostics -- \
    --cfg "described=\"$$-$(date +%s)\"" --cap-lints allow)
printf '%s\n' "$messages" |
    sed -n 's/.*"name":"cairn_server".*"filenames":\["\([^"]*\)".*/\1/p' |
    while read -r artifact; do rm -f "$artifact"; done
