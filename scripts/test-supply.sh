#!/bin/sh
# Holds all dependencies against deny.toml, and the bill of materials against the schema that it says it follows.
# cargo-deny where it is installed (it takes minutes to build); else a script that reads the same rules.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
if cargo deny --version >/dev/null 2>&1; then
    cargo deny --locked check licenses bans sources
    # Its database is a git repository, which not every machine can reach.
    if cargo deny --locked fetch db >/dev/null 2>&1; then
        cargo deny --locked check --disable-fetch advisories
    else
        echo "The database of advisories cannot be reached from here: advisories are not checked."
    fi
else
    echo "cargo-deny is not installed: licences, sources and names are checked by scripts/supply.py, advisories are not."
    python3 scripts/supply.py check
fi
mkdir -p "$target"
python3 scripts/supply.py sbom >"$target/sbom.cdx.json"
[ -x "$target/supply-venv/bin/pip" ] || python3 -m venv --clear "$target/supply-venv"
"$target/supply-venv/bin/pip" install --quiet --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.12.0'
exec "$target/supply-venv/bin/python" - "$target/sbom.cdx.json" <<'END'
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
text = open(sys.argv[1]).read()
wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
if wrong:
    sys.exit(f"{sys.argv[1]}: {wrong}")
print(f"supply: {sys.argv[1]} names {len(json.loads(text)['components'])} components, and follows CycloneDX 1.5")
END
