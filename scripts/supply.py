"""What we are made of, from `cargo metadata` and Cargo.lock.

supply.py check           every dependency has a licence, a source and a name that deny.toml allows
supply.py sbom            a bill of materials of the server and the client, as CycloneDX 1.5 in JSON"""

import json
import re
import subprocess
import sys
import tomllib
import uuid


def metadata():
    told = subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"], capture_output=True, check=True)
    return json.loads(told.stdout)


def checksums():
    with open("Cargo.lock", "rb") as file:
        return {(one["name"], one["version"]): one.get("checksum") for one in tomllib.load(file)["package"]}


def allows(expression, allowed):
    """An SPDX expression with AND, OR and brackets; a slash is the old way to write OR."""
    words = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))

    def either():
        holds = both()
        while words and words[0] == "OR":
            words.pop(0)
            holds = both() or holds
        return holds

    def both():
        holds = one()
        while words and words[0] == "AND":
            words.pop(0)
            holds = one() and holds
        return holds

    def one():
        word = words.pop(0)
        if word == "(":
            holds = either()
            words.pop(0)
            return holds
        if len(words) > 1 and words[0] == "WITH":
            words.pop(0)
            word = f"{word} WITH {words.pop(0)}"
        return word in allowed

    return either()


def check():
    with open("deny.toml", "rb") as file:
        rules = tomllib.load(file)
    allowed = set(rules["licenses"]["allow"])
    banned = {one["name"] for one in rules["bans"]["deny"]}
    # deny.toml lists no registry, which allows the one that Cargo itself knows.
    known = re.compile(r"registry\+\S+/crates\.io-index")
    told, sums, wrong = metadata(), checksums(), []
    ours = set(told["workspace_members"])
    others = [one for one in told["packages"] if one["id"] not in ours]
    for one in others:
        name = f"{one['name']} {one['version']}"
        if not one["license"] or not allows(one["license"], allowed):
            wrong.append(f"{name}: the licence {one['license'] or 'is not told, and'} is not allowed by deny.toml")
        if not known.fullmatch(one["source"] or ""):
            wrong.append(f"{name}: comes from {one['source']}")
        elif not sums.get((one["name"], one["version"])):
            wrong.append(f"{name}: has no checksum in Cargo.lock")
        if one["name"] in banned:
            wrong.append(f"{name}: is banned by deny.toml")
    for line in sorted(wrong):
        print(line)
    print(f"supply: {len(others)} dependencies, {len(wrong)} that deny.toml does not allow")
    return 1 if wrong else 0


def sbom():
    told, sums = metadata(), checksums()
    packages = {one["id"]: one for one in told["packages"]}
    nodes = {one["id"]: one for one in told["resolve"]["nodes"]}
    roots = [one["id"] for one in told["packages"] if one["name"] in ("cairn-server", "cairn-client")]

    def needs(id):
        # What is built and what runs, and not what only tests use.
        kinds = lambda one: any(kind["kind"] != "dev" for kind in one["dep_kinds"])
        return sorted({one["pkg"] for one in nodes[id]["deps"] if kinds(one)})

    reached, waiting = set(), list(roots)
    while waiting:
        id = waiting.pop()
        if id not in reached:
            reached.add(id)
            waiting += needs(id)
    ref = lambda id: f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"

    def component(id):
        one = packages[id]
        made = {"type": "application" if id in roots else "library", "bom-ref": ref(id), "name": one["name"], "version": one["version"],
                "purl": ref(id)}
        if one["license"]:
            made["licenses"] = [{"expression": one["license"].replace(" / ", " OR ").replace("/", " OR ")}]
        if sums.get((one["name"], one["version"])):
            made["hashes"] = [{"alg": "SHA-256", "content": sums[one["name"], one["version"]]}]
        return made

    version = packages[roots[0]]["version"]
    components = [component(id) for id in sorted(reached, key=ref)]
    # The same materials, the same bill: it can be compared, and made again.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))
    print(json.dumps({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "cairn", "name": "cairn", "version": version,
                                   "licenses": [{"expression": "Apache-2.0"}]}},
        "components": components,
        "dependencies": [{"ref": "cairn", "dependsOn": sorted(ref(id) for id in roots)}]
        + [{"ref": ref(id), "dependsOn": [ref(one) for one in needs(id)]} for id in sorted(reached, key=ref)],
    }, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit({"check": check, "sbom": sbom}[sys.argv[1]]())
