#!/bin/sh
# Opens the dashboard in a real browser, once there are such tests.
set -eu
cd "$(dirname "$0")/../tests/browser" 2>/dev/null || exit 0
[ -f package.json ] || exit 0
npm ci --no-fund --no-audit
exec npm test
