#!/bin/sh
# A newcomer's first five minutes: a clean clone, an empty HOME, `make run`, and the README's own tour to its end.
set -eu
cd "$(dirname "$0")/.."

place=$(mktemp -d)
port=${TOUR_PORT:-18377}
server=
stop() {
    # The server first, so that it stops its Postgres before the folder goes; it wrote its number into its lock.
    if pid=$(cat "$place/home/.local/share/cairn/server.lock" 2>/dev/null) && kill -TERM "$pid" 2>/dev/null; then
        while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
    fi
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    rm -rf "$place"
}
trap stop EXIT
trap 'exit 130' HUP INT TERM
chmod 755 "$place"

git clone --quiet . "$place/clone"
mkdir "$place/home"
# Compiled artefacts and the toolchain are reused; everything else is new.
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
export HOME="$place/home"
unset XDG_DATA_HOME CAIRN_DATA_DIR CAIRN_DATABASE_URL CAIRN_ADMIN_EMAIL CAIRN_ADMIN_PASSWORD
address="http://127.0.0.1:$port"

CAIRN_LISTEN="127.0.0.1:$port" make --no-print-directory -C "$place/clone" run PROFILE=dev >"$place/log" 2>&1 &
server=$!
waited=0
until curl -sf "$address/readyz" >/dev/null && grep -q 'sign in as' "$place/log"; do
    waited=$((waited + 1))
    if ! kill -0 "$server" 2>/dev/null || [ "$waited" -gt 900 ]; then
        cat "$place/log" >&2
        echo "make run did not come up." >&2
        exit 1
    fi
    sleep 1
done

# The one bash block after the heading, with the address of this run. The backticks are Markdown's.
# shellcheck disable=SC2016
sed -n '/^## A tour/,/^## /p' README.md | sed -n '/^```bash/,/^```/p' | sed '/^```/d' | sed "s|http://127.0.0.1:8080|$address|" >"$place/tour"
grep -q 'supersede' "$place/tour"
bash -eu "$place/tour" >"$place/said" 2>&1 || { cat "$place/said" >&2; echo "the README's tour stopped half-way." >&2; exit 1; }

for expected in '"slug":"tour"' 'again: 200' '"code":"decision_immutable"' '"content":"We deploy from main whenever it is green."' \
    '"state":"superseded"' '"next_step":"install the hooks"' 'release notes are written by hand' 'next door: 404' '"action":"memory.superseded"'; do
    grep -qF "$expected" "$place/said" || { cat "$place/said" >&2; echo "the README's tour did not say $expected" >&2; exit 1; }
done
echo "The README's tour runs to its end."
