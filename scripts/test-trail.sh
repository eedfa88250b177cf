#!/bin/sh
# Has an export of the audit trail verified by libraries that others wrote, from PyPI, in an environment of its own.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
cargo build --bin cairn-server
[ -x "$target/trail-venv/bin/pip" ] || python3 -m venv --clear "$target/trail-venv"
"$target/trail-venv/bin/pip" install --quiet --disable-pip-version-check -r tests/clients/trail/requirements.txt
exec "$target/trail-venv/bin/python" tests/clients/trail/test.py "$target/debug/cairn-server"
