#!/bin/sh
# What the scanner is held against: formatters and oracles that others wrote, each in its pinned version.
# Usage: freshness.sh formatters|history [ARGUMENTS]
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
kept=$target/freshness
what=${1:-}
[ $# -gt 0 ] && shift

wanted=bench/freshness/requirements.txt
if ! cmp -s "$wanted" "$kept/venv/installed.txt"; then
    rm -rf "$kept/venv"
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$wanted"
    cp "$wanted" "$kept/venv/installed.txt"
fi
cmp -s bench/freshness/package-lock.json bench/freshness/node_modules/.installed.json || {
    (cd bench/freshness && npm ci --no-fund --no-audit)
    cp bench/freshness/package-lock.json bench/freshness/node_modules/.installed.json
}

case $what in
formatters)
    cargo build --bin cairn
    exec python3 bench/freshness/formatters.py --cairn "$target/debug/cairn" --black "$kept/venv/bin/black" "$@"
    ;;
history)
    cargo build --release --bin cairn-server
    cargo build --release -p cairn-client --bin cairn --example syn_oracle
    exec python3 bench/freshness/history.py --server "$target/release/cairn-server" --cairn "$target/release/cairn" --syn "$target/release/examples/syn_oracle" \
        --black "$kept/venv/bin/black" "$@"
    ;;
*)
    echo "freshness.sh wants \`formatters\` or \`history\`." >&2
    exit 2
    ;;
esac
