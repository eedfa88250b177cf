#!/bin/sh
# What memory is worth: fetches the releases that the recorded tasks work on, and replays the tasks on them.
# Usage: proof.sh [--seed N] [--only TASK] [--out FOLDER]
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
kept=$target/proof/packages

python3 bench/proof/fetch.py "$kept"
cargo build --release --bin cairn
exec cargo run --release -p cairn-bench -- proof --packages "$kept" --out "$target/proof" "$@"
