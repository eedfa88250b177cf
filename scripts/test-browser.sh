#!/bin/sh
# Opens the dashboard in a real browser, on a server of its own.
set -eu
cd "$(dirname "$0")/.."
cargo build --bin cairn-server
cd tests/browser
npm ci --no-fund --no-audit
exec npm test
