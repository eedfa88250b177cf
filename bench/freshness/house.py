"""A server of its own, as anybody starts it, with a private Postgres in a folder that goes with it."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from socket import socket

EMAIL, PASSWORD = "root@example.org", "stones upon stones upon stones"


class House:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="cairn-history-")
        os.chmod(self.folder, 0o711)
        with socket() as some:
            some.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{some.getsockname()[1]}"
        self.url = f"http://{address}"
        settings = {"CAIRN_DATA_DIR": self.folder, "CAIRN_LISTEN": address, "CAIRN_ADMIN_EMAIL": EMAIL, "CAIRN_ADMIN_PASSWORD": PASSWORD,
                    "CAIRN_RATE_LIMIT": "off", "CAIRN_LOG": "warn"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CAIRN_")}
        self.log = open(os.path.join(self.folder, "server.log"), "w")
        self.server = subprocess.Popen([program, "serve"], env={**kept, **settings}, cwd=self.folder, stdout=self.log, stderr=self.log)

    def __enter__(self):
        for _ in range(900):
            try:
                self.ask("/readyz")
                return self
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.__exit__()
        raise SystemExit("the server is not ready after a minute and a half")

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait(timeout=60)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def workspace(self, slug):
        """A new one, and the key of an agent who writes in it."""
        token = self.ask("/v1/auth/login", {"email": EMAIL, "password": PASSWORD})["access_token"]
        self.ask("/v1/workspaces", {"slug": slug, "name": slug, "purpose": "to be judged"}, token)
        agent = self.ask(f"/v1/workspaces/{slug}/agents", {"name": "history", "role": "writer"}, token)
        return self.ask(f"/v1/workspaces/{slug}/agents/{agent['id']}/keys", {}, token)["key"]

    def ask(self, path, body=None, token=None):
        request = urllib.request.Request(self.url + path, data=None if body is None else json.dumps(body).encode())
        if body is not None:
            request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=300) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as refused:
            if refused.code == 503:
                raise
            raise SystemExit(f"{path}: {refused.code} {refused.read()[:2000]}") from None
