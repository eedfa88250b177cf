#!/bin/sh
# Lighthouse on the dashboard's main pages, on a release server of its own with the demo.
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-release}
cargo build --profile "$profile" --bin cairn-server
[ "$profile" = dev ] && profile=debug
CAIRN_SERVER_BIN="$PWD/${CARGO_TARGET_DIR:-target}/$profile/cairn-server"
export CAIRN_SERVER_BIN
(cd tests/browser && npm ci --no-fund --no-audit)
cd bench/lighthouse
npm ci --no-fund --no-audit
exec node run.js
