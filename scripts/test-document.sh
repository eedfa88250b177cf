#!/bin/sh
# Has schemathesis, from PyPI, in an environment of its own, ask a real server whatever the API document allows.
# DOCUMENT_SECONDS and DOCUMENT_SEED make it longer, and different.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
cargo build --bin cairn-server
[ -x "$target/document-venv/bin/pip" ] || python3 -m venv --clear "$target/document-venv"
"$target/document-venv/bin/pip" install --quiet --disable-pip-version-check -r tests/clients/document/requirements.txt
exec python3 tests/clients/document/test.py "$target/debug/cairn-server" "$target/document-venv/bin/schemathesis"
