"""What the server says: each release becomes a commit, `cairn sync` tells it, and the anchors of memories that were written
after the first one are read through the API."""

import os
import random
import subprocess

AT_ONCE = 100
NEEDS_A_LOOK = {"fresh": False, "suspect": True, "stale": True}


class Judged:
    def __init__(self, house, cairn, package, work):
        self.house, self.cairn, self.package, self.slug = house, cairn, package, package.replace("_", "-")
        self.key = house.workspace(self.slug)
        self.root = work / "repository"
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.at, self.reasons = {}, {}

    def sync(self, folder, version):
        """The release as a commit, told as anybody tells one."""
        self.git("--work-tree", str(folder), "add", "-A", "-f", cwd=folder)
        self.git("--work-tree", str(folder), "commit", "-q", "--allow-empty", "-m", version, cwd=folder)
        own = {"PATH": os.environ["PATH"], "HOME": str(self.root.parent), "CAIRN_URL": self.house.url, "CAIRN_KEY": self.key}
        command = [self.cairn, "sync", "--json", "--repo", self.package]
        done = subprocess.run(command, cwd=self.root, env=own, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{self.package} {version}: the sync failed: {done.stderr[-2000:]}")

    def anchor(self, places):
        """A memory on each of these symbols; how many that are."""
        for some in range(0, len(places), AT_ONCE):
            part = places[some : some + AT_ONCE]
            items = [
                {"content": words(f"{path} {symbol}"), "anchors": [{"repo": self.package, "path": path, "symbol": symbol}]}
                for path, symbol in part
            ]
            told = self.house.ask(f"/v1/workspaces/{self.slug}/memories/batch", {"items": items}, self.key)["data"]
            self.at.update((one["memory"]["id"], place) for one, place in zip(told, part))
        flagged = [place for place, needs in self.verdicts().items() if needs]
        assert len(self.at) == len(places) and not flagged, f"of {len(places)} memories {len(self.at)} are there, and at once doubted: {flagged}"
        return len(places)

    def verdicts(self):
        """Of each symbol that a memory hangs on, whether the server wants it looked at."""
        said, cursor = {}, ""
        while cursor is not None:
            page = self.house.ask(f"/v1/workspaces/{self.slug}/memories?limit=200{cursor}", token=self.key)
            for memory in page["data"]:
                [anchor] = memory["anchors"]
                place = self.at[memory["id"]]
                said[place], self.reasons[place] = NEEDS_A_LOOK[anchor["state"]], anchor.get("reason")
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        assert len(said) == len(self.at), f"{len(self.at)} memories were written, and {len(said)} are listed"
        return said

    def git(self, *arguments, cwd=None):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "gc.auto=0", "-c", "core.safecrlf=false"]
        subprocess.run(["git", "--git-dir", str(self.root / ".git"), *who, *arguments], cwd=cwd or self.root, check=True)


def words(seed):
    """A text like no other: what memories say to each other is measured elsewhere."""
    dice = random.Random(seed)
    return " ".join("".join(dice.choice("bdfgklmnprst") + dice.choice("aeiou") for _ in range(4)) for _ in range(9))
