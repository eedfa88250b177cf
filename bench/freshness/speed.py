"""How quick a scan is: a tree of a million lines, made of published packages, scanned for the first time; then a commit
that touches ten files, told to a server that answers at once. Peak memory is printed with both.

    python3 bench/freshness/speed.py [--work FOLDER] [--cairn PROGRAM] [--lines N]
"""

import argparse
import http.server
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import releases

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parent.parent
FIRST_SCAN, STEP = 20.0, 0.300


def main():
    wish = argparse.ArgumentParser()
    wish.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "cairn-history")
    wish.add_argument("--cairn", type=pathlib.Path, default=REPOSITORY / "target/release/cairn")
    wish.add_argument("--lines", type=int, default=1_000_000)
    wish.add_argument("--prepare", action="store_true", help="only make the tree")
    wish = wish.parse_args()
    tree = made(wish)
    if wish.prepare:
        return
    with tempfile.TemporaryDirectory() as home:
        server, heads = serve()
        environment = {"PATH": os.environ["PATH"], "HOME": home, "CAIRN_URL": server, "CAIRN_KEY": "cairn_k_s"}
        took, peak, said = measured([wish.cairn, "scan", "--json", "--fresh", tree], environment)
        found = json.loads(said)
        print(f"first scan: {found['lines']} lines, {len(found['files'])} files, {found['symbols']} symbols, "
              f"{len(found['skipped'])} passed over: {took:.2f} s (bar {FIRST_SCAN:.0f} s), peak memory {peak} MB", flush=True)
        measured([wish.cairn, "sync", "--json", "--complete"], environment, tree)
        steps = []
        for number in range(7):
            ten = sorted(tree.rglob("*.py"))[number * 10 : number * 10 + 10]
            for file in ten:
                file.write_text(file.read_text() + f"\n\ndef added_{number}():\n    return {number}\n")
            git(tree, "commit", "-qam", f"step {number}")
            step, memory, said = measured([wish.cairn, "sync", "--json"], environment, tree)
            assert json.loads(said)["parsed"] == 10, said
            steps.append(step)
        step = statistics.median(steps)
        print(f"sync after a commit of 10 files: {step * 1000:.0f} ms (bar {STEP * 1000:.0f} ms), median of {len(steps)}, "
              f"slowest {max(steps) * 1000:.0f} ms, peak memory {memory} MB")
    sys.exit(took > FIRST_SCAN or step > STEP)


def made(wish):
    """Every package's releases, one after the other, until there are enough lines; a repository with one commit."""
    tree = wish.work / f"tree-{wish.lines}"
    if (tree / ".git/whole").exists():
        git(tree, "reset", "-q", "--hard", "first")
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    lines, at = 0, 0
    packages = json.loads((HERE / "packages.json").read_text())
    while lines < wish.lines:
        for language, all in packages.items():
            for package, versions in all.items():
                versions = versions.split()
                if at >= len(versions) or lines >= wish.lines:
                    continue
                # The newest first; neighbours are much alike, and a tree is not.
                folder = releases.fetch(language, package, versions[-1 - at], wish.work)
                for file in folder.rglob("*"):
                    if file.is_file() and file.suffix in (".py", ".rs", ".ts", ".tsx", ".js", ".mjs"):
                        to = tree / package / str(at) / file.relative_to(folder)
                        to.parent.mkdir(parents=True, exist_ok=True)
                        text = file.read_bytes()
                        to.write_bytes(text)
                        lines += text.count(b"\n")
        at += 7
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "first")
    git(tree, "tag", "first")
    (tree / ".git/whole").touch()
    return tree


def git(tree, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "gc.auto=0", *arguments], cwd=tree, check=True)


def measured(command, environment, cwd=None):
    began = time.monotonic()
    child = subprocess.Popen(command, env=environment, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    took = time.monotonic() - began
    if status:
        sys.exit(f"{command} failed")
    return took, used.ru_maxrss // 1024, said


def serve():
    """Knows the newest commit of each branch, and nothing else."""
    heads = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, value):
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.answer({"workspaces": [{"slug": "w"}], "data": [{"repo": heads.get("repo"), "branch": branch, "commit": commit} for branch, commit in heads.items()]})

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert len(body) < 10 * 1024 * 1024
            sent = json.loads(body)
            heads["repo"], heads[sent["branch"]] = sent["repo"], sent["commit"]
            self.answer({})

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", heads


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
