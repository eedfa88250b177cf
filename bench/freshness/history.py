"""Real history: is it said of the right symbols, and only of those, that they need a look?

Of a package's first release, memories are anchored to symbols on a real server; each release is a commit that `cairn sync`
tells it. After each later one, what the API says of every anchor is compared with what an oracle says that shares no code
with us: Python's `ast`, Rust's `syn`, the TypeScript compiler. The fingerprints alone are compared too, of all symbols
and without a server. Printed per language: precision and recall of "needs a look".

    python3 bench/freshness/history.py [--only LANGUAGE] [--package NAME] [--releases N] [--anchors N] [--work FOLDER]
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import house
import judged
import releases

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parent.parent
BAR = 0.98
FINGERPRINTS, SERVER = "by the fingerprints", "by the server"


def main():
    wish = argparse.ArgumentParser()
    wish.add_argument("--only", choices=["rust", "python", "typescript"])
    wish.add_argument("--package")
    wish.add_argument("--releases", type=int)
    wish.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "cairn-history")
    wish.add_argument("--anchors", type=int, default=2000, help="memories on the server, for each package; 0: without a server")
    wish.add_argument("--server", type=pathlib.Path, default=REPOSITORY / "target/release/cairn-server")
    wish.add_argument("--cairn", type=pathlib.Path, default=REPOSITORY / "target/release/cairn")
    wish.add_argument("--syn", type=pathlib.Path, default=REPOSITORY / "target/release/examples/syn_oracle")
    wish.add_argument("--black", default="black")
    wish.add_argument("--fetch-only", action="store_true")
    wish.add_argument("--show", type=int, default=0, help="so many disagreements of each release")
    wish = wish.parse_args()
    failed = False
    for language, packages in json.loads((HERE / "packages.json").read_text()).items():
        if wish.only not in (None, language):
            continue
        scores = {}
        for package, versions in packages.items():
            if wish.package not in (None, package):
                continue
            for how, score in history(wish, language, package, versions.split()[: wish.releases]).items():
                scores.setdefault(how, Score()).add(score)
        for how, score in scores.items():
            print(f"{language}, {how}: {score}", flush=True)
            failed |= score.precision < BAR or score.recall < BAR
        # The last release of each, rewritten as a whole.
        trees = [f"{language}={releases.fetch(language, package, all.split()[-1], wish.work)}" for package, all in packages.items()]
        if not (wish.fetch_only or wish.package):
            command = [sys.executable, HERE / "formatters.py", "--cairn", wish.cairn, "--black", wish.black, *trees]
            failed |= subprocess.run(command).returncode != 0
    sys.exit(failed)


def history(wish, language, package, versions):
    """One package's releases, judged by the fingerprints alone and by a server."""
    folders = [releases.fetch(language, package, version, wish.work) for version in versions]
    if wish.fetch_only:
        return {}
    scores = {FINGERPRINTS: Score()}
    with contextlib.ExitStack() as stack:
        server, holds = None, None
        if wish.anchors:
            scores[SERVER] = Score()
            work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = judged.Judged(stack.enter_context(house.House(wish.server)), wish.cairn, package, work)
        for version, folder in zip(versions, folders):
            (seen, closed), true = scanned(wish.cairn, folder), oracle(wish, language, folder)
            # Where the oracle cannot read a file, there is nothing to compare with.
            seen = {place: digest for place, digest in seen.items() if place[0] not in true.unreadable}
            if server:
                server.sync(folder, version)
            if holds is None:
                places = [place for place in true.symbols if place in seen]
                says, holds = Followed(seen, places), Followed(true.symbols, places)
                scores[FINGERPRINTS].begin(len(places), len(true.symbols) - len(places))
                if server:
                    scores[SERVER].begin(server.anchor(places[:: -(-len(places) // wish.anchors)]), 0)
                continue
            truth = holds.after(true.symbols, true.unreadable)
            told = {FINGERPRINTS: says.after(seen, closed)}
            if server:
                told[SERVER] = server.verdicts()
            for how, said in told.items():
                scores[how].after(said, truth, len(closed))
                for place in [place for place in said if said[place] != truth[place]][: wish.show]:
                    why = server.reasons.get(place) if how == SERVER else None
                    print(f"  {package} {version} {place[0]} {place[1]}: {how} {said[place]}, by the oracle {truth[place]} {why or ''}")
    for how, score in scores.items():
        print(f"  {package}, {how}: {score}", flush=True)
    return scores


class Followed:
    """Symbols as they were at first, and where they are by now: what following means, in its shortest form."""

    def __init__(self, tree, places):
        self.was = {place: tree[place] for place in places}
        self.at = {place: place for place in places}
        self.before = tree
        self.said = dict.fromkeys(places, False)

    def after(self, tree, closed):
        came = collections.defaultdict(list)
        for place, digest in tree.items():
            if place not in self.before:
                came[digest].append(place)
        went = collections.Counter(digest for place, digest in self.before.items() if place not in tree)
        for place, was in self.was.items():
            at = self.at[place]
            # Nobody could look into the file: what was said of it stands.
            if at not in tree and at[0] in closed:
                continue
            if at not in tree and place in tree:
                at = place
            if at not in tree:
                at = self.moved(at, self.before.get(at, was), came, went) or at
            self.at[place] = at
            self.said[place] = tree.get(at) != was
        self.before = tree
        return self.said

    def moved(self, at, digest, came, went):
        leaf = at[1].rsplit(".")[-1]
        same_leaf = [place for place in came[digest] if place[1].rsplit(".")[-1] == leaf]
        if len(same_leaf) == 1:
            return same_leaf[0]
        if not same_leaf and len(came[digest]) == 1 and went[digest] == 1:
            return came[digest][0]
        return None


def scanned(cairn, folder):
    # What another build of the scanner kept says nothing of this one.
    own = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / f".seen-by-{cairn.stat().st_mtime_ns}")}
    done = subprocess.run([cairn, "scan", "--json", folder], capture_output=True, check=True, env=own)
    said, found = json.loads(done.stdout), {}
    for file in said["files"]:
        for symbol in file.get("symbols", ()):
            found[file["path"], symbol["name"]] = symbol["signature_hash"] + symbol["body_hash"]
    return found, {one["path"] for one in said["skipped"]}


class True_:
    def __init__(self):
        self.symbols, self.unreadable = {}, set()


def oracle(wish, language, folder):
    command = {
        "rust": [wish.syn, folder],
        "python": [sys.executable, HERE / "oracle.py", folder],
        "typescript": ["node", HERE / "oracle.mjs", folder],
    }[language]
    kept = folder.with_suffix(f"{folder.suffix}.oracle")
    if not kept.exists() or os.environ.get("ORACLE_ANEW"):
        kept.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    true, several = True_(), collections.defaultdict(set)
    for line in kept.read_text().splitlines():
        one = json.loads(line)
        if one.get("unreadable"):
            true.unreadable.add(one["file"])
        else:
            several[one["file"], one["name"]].add(one["digest"])
    # Several by one name are one symbol.
    true.symbols = {place: " ".join(sorted(digests)) for place, digests in several.items() if place[0] not in true.unreadable}
    return true


class Score:
    def __init__(self):
        self.releases = self.symbols = self.unseen = self.closed = 0
        self.right = self.wrong = self.missed = self.quiet = 0

    def begin(self, symbols, unseen):
        self.symbols, self.unseen = symbols, unseen

    def after(self, said, truth, closed):
        """One more release."""
        self.releases += 1
        self.closed += closed
        for place, says in said.items():
            holds = truth[place]
            self.right += says and holds
            self.wrong += says and not holds
            self.missed += holds and not says
            self.quiet += not says and not holds

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def verdicts(self):
        return self.right + self.wrong + self.missed + self.quiet

    @property
    def precision(self):
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self):
        return self.right / max(1, self.right + self.missed)

    def __str__(self):
        return (
            f"{self.symbols} symbols anchored ({self.unseen} the scanner has no name for), {self.releases} releases after, "
            f"{self.closed} files not parsed, {self.verdicts} verdicts, {self.right + self.missed} need a look; "
            f"precision {self.precision:.4f}, recall {self.recall:.4f}"
        )


main()
