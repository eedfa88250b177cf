#!/bin/sh
# Installs what this machine lacks, and touches nothing that is there.
# Usage: install.sh run|test
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

need_compiler() {
    command -v cc >/dev/null && return
    say "A C compiler is missing."
    install_packages compiler
    command -v cc >/dev/null || stop "there is still no \`cc\`. Install a C compiler, then run make again."
}

need_cargo() {
    if ! command -v cargo >/dev/null; then
        say "Rust is missing; installing it for this user with rustup."
        command -v curl >/dev/null || install_packages curl
        # Into a file first: an empty pipe would look like success.
        rustup_script=$(mktemp)
        if ! curl --proto '=https' --tlsv1.2 -sSf -o "$rustup_script" https://sh.rustup.rs ||
            ! sh "$rustup_script" -y --no-modify-path --profile minimal -c clippy -c rustfmt; then
            rm -f "$rustup_script"
            stop "rustup failed; its own words are above. Install Rust from https://rustup.rs, then run make again."
        fi
        rm -f "$rustup_script"
    fi
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(cargo --version | sed 's/^cargo \([0-9]*\.[0-9]*\).*/\1/')
    newest=$(printf '%s\n%s\n' "$wanted" "$found" | sort -t . -k 1,1n -k 2,2n | tail -n 1)
    [ "$newest" = "$found" ] ||
        stop "Cairn needs Rust $wanted, and \`$(command -v cargo)\` is $found. Run \`rustup update stable\`, or remove the distribution's Rust and run make again."
}

need_cargo_tools() {
    for tool in clippy fmt; do
        cargo "$tool" --version >/dev/null 2>&1 && continue
        component=$tool
        [ "$tool" = fmt ] && component=rustfmt
        command -v rustup >/dev/null ||
            stop "\`cargo $tool\` is missing. Install your distribution's package for it, or Rust from https://rustup.rs."
        rustup component add "$component"
    done
}

need_postgres() {
    scripts/find-postgres.sh >/dev/null && return
    say "Postgres 15 or newer is missing."
    install_packages postgres
    scripts/find-postgres.sh >/dev/null ||
        stop "this system's packages have no Postgres 15 or newer. Get one from https://www.postgresql.org/download/, then run make again; or set CAIRN_DATABASE_URL and start \`cairn-server serve\` yourself."
}

need_browser() {
    [ -f tests/browser/package.json ] || return 0
    command -v npm >/dev/null || { say "Node is missing."; install_packages node; }
    command -v npm >/dev/null || stop "there is still no \`npm\`. Install Node 20 or newer, then run make again."
    find_chromium && return
    say "Chromium is missing."
    install_packages chromium
    find_chromium || stop "there is still no Chromium. Install Chromium or Chrome, then run make again."
}

need_python() {
    has_python && return
    say "Python 3 with venv and pip is missing."
    install_packages python
    has_python || stop "\`python3 -m venv\` still does not work. Install Python 3.10 or newer with venv and pip, then run make again."
}

has_python() {
    python3 -c 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
}

# Only one test needs it, which says so where it is not: no reason to stop.
need_faketime() {
    [ "$(uname)" = Linux ] || return 0
    find_faketime && return
    say "libfaketime is missing."
    # In a shell of its own: what cannot be installed stops only that.
    (install_packages faketime) || say "The test of jumping clocks will be left out."
}

find_faketime() {
    for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
        [ -e "$folder/faketime/libfaketimeMT.so.1" ] && return
    done
    return 1
}

find_chromium() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null && return
    done
    [ -d "/Applications/Chromium.app" ] || [ -d "/Applications/Google Chrome.app" ]
}

need_compiler
need_cargo
need_postgres
case ${1:-} in
run) ;;
test)
    need_cargo_tools
    need_browser
    need_python
    need_faketime
    ;;
*) stop "install.sh wants \`run\` or \`test\`." ;;
esac
