"""A real server, asked by schemathesis whatever its API document lets one ask, by agents in every role, by people and by nobody,
call by call and from answer to request: no answer contradicts the document, and none is a server error. Bounded: a fixed seed,
and DOCUMENT_SECONDS in all."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from socket import socket

PROGRAM, SCHEMATHESIS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SECONDS = int(os.environ.get("DOCUMENT_SECONDS", "150"))
SEED = os.environ.get("DOCUMENT_SEED", "1")
EMAIL, PASSWORD = "root@example.org", "stones upon stones upon stones"
# Those who may take away most come last.
AGENTS = ["reader", "auditor", "writer", "reviewer", "admin"]
PEOPLE = ["reviewer", "admin"]
SINGLE, LINKED = "examples,coverage,fuzzing", "stateful"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"
HERE = os.path.dirname(os.path.abspath(__file__))


def ask(url, body=None, token=None, method=None):
    request = urllib.request.Request(url, data=None if body is None else json.dumps(body).encode(), method=method)
    if body is not None:
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        return json.loads(answer.read() or "null")


def ready(url):
    for _ in range(900):
        try:
            return ask(f"{url}/readyz")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise SystemExit("the server is not ready after a minute and a half")


def sign_in(url, email):
    """Whoever guesses passwords slows down all who come from the same address, and the tool does: then one waits."""
    for _ in range(900):
        try:
            return ask(f"{url}/v1/auth/login", {"email": email, "password": PASSWORD})
        except urllib.error.HTTPError as refused:
            if refused.code != 429:
                raise
            time.sleep(1)
    raise SystemExit(f"{email} is still slowed down after a quarter of an hour")


def person(url, email):
    """Signed in before anybody guesses; renewed when the turn comes, for tokens live minutes."""
    held = {"tokens": sign_in(url, email)}

    def header():
        try:
            held["tokens"] = ask(f"{url}/v1/auth/refresh", {"refresh_token": held["tokens"]["refresh_token"]})
        except urllib.error.HTTPError:
            # The tool found the way out.
            held["tokens"] = sign_in(url, email)
        return f"Authorization: Bearer {held['tokens']['access_token']}"

    return header


def key_of(url, token, role):
    made = ask(f"{url}/v1/workspaces/coding/agents", {"name": f"every {role}", "role": role}, token)
    return ask(f"{url}/v1/workspaces/coding/agents/{made['id']}/keys", {}, token)["key"]


def account_of(url, token, role):
    email = f"{role}@example.org"
    ask(f"{url}/v1/users", {"email": email, "name": f"a {role}", "password": PASSWORD}, token)
    ask(f"{url}/v1/workspaces/coding/members", {"email": email, "role": role}, token)
    return email


def everybody(url):
    """Who asks, and what shows who it is."""
    root = sign_in(url, EMAIL)["access_token"]
    keys = {role: key_of(url, root, role) for role in AGENTS}
    emails = {role: account_of(url, root, role) for role in PEOPLE}
    agents = [(f"an agent, {role}", lambda key=key: f"X-Api-Key: {key}") for role, key in keys.items()]
    people = [(f"a person, {role}", person(url, email)) for role, email in emails.items()]
    return [("nobody", lambda: None), *agents[:-1], people[0], people[1], agents[-1]]


def asked(url, name, header, phases, seconds, folder):
    """How it went, and what was found."""
    report = os.path.join(folder, f"{name}.json")
    # One worker: with more, Python 3.11's parser gives up now and then, and with it the tool.
    command = [SCHEMATHESIS, "run", f"{url}/openapi.json", "--checks", CHECKS, "--seed", SEED, "--max-time", str(seconds),
               "--phases", phases, "--workers", "1", "--request-timeout", "30", "--continue-on-failure", "--suppress-health-check", "all",
               "--report", "json", "--report-json-path", report, "--warnings", "off", "--no-color"]
    if header:
        command += ["-H", header]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, env={**os.environ, "NO_PROXY": "*"})
    told = json.load(open(report)) if os.path.exists(report) else {}
    return done, told


def main():
    folder = tempfile.mkdtemp(prefix="cairn-document-")
    os.chmod(folder, 0o711)
    with socket() as some:
        some.bind(("127.0.0.1", 0))
        port = some.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    settings = {"CAIRN_DATA_DIR": folder, "CAIRN_LISTEN": f"127.0.0.1:{port}", "CAIRN_ADMIN_EMAIL": EMAIL, "CAIRN_ADMIN_PASSWORD": PASSWORD,
                "CAIRN_RATE_LIMIT": "off", "CAIRN_LOG": "warn"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    log = open(os.path.join(folder, "server.log"), "w")
    server = subprocess.Popen([PROGRAM, "serve", "--demo"], env={**kept, **settings}, cwd=folder, stdout=log, stderr=log)
    failed = 0
    try:
        ready(url)
        time.sleep(3)
        # From answer to request comes last: it also takes away what it has made, and whatever else one may.
        actors = everybody(url)
        runs = [(*actor, SINGLE) for actor in actors] + [(*actor, LINKED) for actor in actors[1:]]
        total = 0
        for number, (who, header, phases) in enumerate(runs):
            done, told = asked(url, str(number), header(), phases, max(5, SECONDS // len(runs)), folder)
            calls, bad, given_up = summary(told)
            total += calls
            how = ", from answer to request" if phases == LINKED else ""
            print(f"document: as {who}{how}: {calls} calls, {bad} contradictions{given_up}", flush=True)
            if bad or not calls:
                failed += 1
                print(done.stdout[-20000:], done.stderr[-2000:])
        ready(url)
        print(f"document: {total} calls in all, seed {SEED}")
    finally:
        server.terminate()
        server.wait(timeout=60)
        subprocess.run(["rm", "-rf", folder], check=False)
    sys.exit(1 if failed else 0)


def summary(told):
    """What the tool itself stumbled over is told, and no contradiction; an answer that did not come is one."""
    cases, errors = told.get("test_cases", {}), told.get("errors", [])
    missing = [one for one in errors if "network" in json.dumps(one).lower() or "timeout" in json.dumps(one).lower()]
    others = len(errors) - len(missing)
    given_up = f" (the tool gave up on {others} operations)" if others else ""
    return cases.get("generated", 0), cases.get("unique_failures", 0) + len(missing), given_up


if __name__ == "__main__":
    main()
