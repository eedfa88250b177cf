#!/bin/sh
# The files that operators take from deploy/: manifests against Kubernetes's own schemas (they lie in the validator's package),
# alert rules and dashboard against Prometheus's grammar and the metrics that the server has.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
[ -x "$target/deploy-venv/bin/pip" ] || python3 -m venv --clear "$target/deploy-venv"
"$target/deploy-venv/bin/pip" install --quiet --disable-pip-version-check 'kubernetes-validate==1.37.0' 'promql-parser==0.11.0'
for version in 1.31 1.37; do
    "$target/deploy-venv/bin/kubernetes-validate" --strict --quiet --kubernetes-version "$version" deploy/kubernetes/*.yml
    echo "deploy: deploy/kubernetes follows the schemas of Kubernetes $version"
done
exec "$target/deploy-venv/bin/python" - <<'END'
import json, pathlib, re, sys
import promql_parser, yaml

source = "".join(file.read_text() for file in pathlib.Path("server/src").rglob("*.rs"))
known = set()
for kind, name in re.findall(r'metrics::(counter|gauge|histogram)!\(\s*"(\w+)"', source):
    known |= {f"{name}{end}" for end in ("_bucket", "_sum", "_count")} if kind == "histogram" else {name}

def expressions(node):
    """Every `expr` of a dashboard, however deep."""
    if isinstance(node, dict):
        yield from ([node["expr"]] if isinstance(node.get("expr"), str) else [])
        node = list(node.values())
    for one in node if isinstance(node, list) else []:
        yield from expressions(one)

wrong = []
for name, read in [("alerts.yml", yaml.safe_load), ("grafana.json", json.loads)]:
    place = pathlib.Path("deploy/observability") / name
    asked = list(expressions(read(place.read_text())))
    used = set()
    for expression in asked:
        # What Grafana fills in before it asks.
        filled = re.sub(r"\$\w*interval\w*|\$__range", "5m", expression)
        try:
            promql_parser.parse(filled)
        except Exception as why:
            wrong.append(f"{place}: {expression}: {why}")
        used |= set(re.findall(r"\bcairn_\w+", filled))
    wrong += [f"{place}: the server has no metric {metric}" for metric in sorted(used - known)]
    if not used:
        wrong.append(f"{place} asks for nothing of ours")
    print(f"deploy: {place}: {len(asked)} expressions, {len(used)} metrics")
sys.exit("\n".join(wrong) or 0)
END
