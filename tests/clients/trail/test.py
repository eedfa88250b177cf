"""A real server seals the demo's history; what it exports holds for a verifier that shares no code with it."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from socket import socket

from verify import read_checkpoint, verify, verify_filtered

PROGRAM = os.path.abspath(sys.argv[1])
EMAIL, PASSWORD = "root@example.org", "stones upon stones upon stones"


def get(url, token=None, body=None):
    request = urllib.request.Request(url, data=body and json.dumps(body).encode())
    if body:
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        return answer.read().decode()


def until(what, so):
    for _ in range(600):
        try:
            if so():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    raise SystemExit(f"{what}: not so after a minute")


def is_broken(export, *more):
    try:
        verify(export, *more)
    except Exception:
        return True
    return False


def check(url):
    token = json.loads(get(f"{url}/v1/auth/login", body={"email": EMAIL, "password": PASSWORD}))["access_token"]
    trail = f"{url}/v1/workspaces/coding/audit"
    vkey = json.loads(get(f"{url}/.well-known/cairn-trail-keys.json"))["keys"][0]["vkey"]
    read = lambda path: get(trail + path, token)
    until("the demo is sealed", lambda: json.loads(read("?limit=1"))["data"][0]["index"] is not None)
    earlier = read("/checkpoint")
    size = read_checkpoint(earlier, vkey)[1]
    assert size > 20, f"only {size} entries"
    get(f"{url}/v1/workspaces/coding/memories", token, {"content": "one more stone"})
    until("the new entry is sealed", lambda: read_checkpoint(read("/checkpoint"), vkey)[1] > size)

    export = read("/export")
    tree = verify(export, vkey, earlier)
    filtered = verify_filtered(read("/export?action=memory.remembered"), vkey, tree)
    assert filtered > 5
    lines = export.splitlines(keepends=True)
    assert is_broken(export.replace("memory.remembered", "memory.forgotten", 1), vkey)
    assert is_broken("".join(lines[1:]), vkey)
    assert is_broken(export, vkey.replace("+", "x+", 1))
    print(f"{tree.get_size()} entries, and {filtered} filtered ones, hold for pymerkle and cryptography.")


with tempfile.TemporaryDirectory() as home, socket() as free:
    os.chmod(home, 0o755)  # Postgres runs as somebody else where we are root.
    free.bind(("127.0.0.1", 0))
    address = "127.0.0.1:%d" % free.getsockname()[1]
    free.close()
    settings = {
        "CAIRN_DATA_DIR": home, "CAIRN_LISTEN": address, "CAIRN_ADMIN_EMAIL": EMAIL, "CAIRN_ADMIN_PASSWORD": PASSWORD,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
    with open(os.path.join(home, "server.log"), "w") as log:
        server = subprocess.Popen([PROGRAM, "serve", "--demo"], env=kept | settings, cwd=home, stdout=log, stderr=log)
        try:
            until("the demo is there", lambda: "sign in as" in open(log.name).read())
            check(f"http://{address}")
        except BaseException:
            print(open(log.name).read(), file=sys.stderr)
            raise
        finally:
            server.terminate()
            server.wait(60)
