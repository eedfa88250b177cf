#!/bin/sh
# Speaks to the server with clients that others wrote, each in its pinned version, on a server of its own.
set -eu
cd "$(dirname "$0")/.."
cargo build --bin cairn-server --bin cairn
target=${CARGO_TARGET_DIR:-$PWD/target}
kept=$target/clients

# The suite and the inspector want a newer Node than some systems have.
node=22.23.3
if ! node -e 'const [major, minor] = process.versions.node.split("."); process.exit(+major > 22 || (+major === 22 && +minor >= 19) ? 0 : 1)'; then
    [ -x "$kept/node/node_modules/.bin/node" ] || npm install --no-fund --no-audit --no-save --prefix "$kept/node" "node@$node"
    PATH=$kept/node/node_modules/.bin:$PATH
fi

# Made anew when the list has changed.
wanted=tests/clients/requirements.txt
if ! cmp -s "$wanted" "$kept/venv/installed.txt"; then
    rm -rf "$kept/venv"
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$wanted"
    cp "$wanted" "$kept/venv/installed.txt"
fi

cd tests/clients
# Not `npm ci`: that insists on the inspector's bundler for platforms that a registry may not have.
cmp -s package-lock.json node_modules/.installed.json || {
    npm install --no-save --no-fund --no-audit
    cp package-lock.json node_modules/.installed.json
}
exec npm test
