"""Real history: does the scanner say of the right symbols, and only of those, that they need a look?

Memories are anchored to every symbol of a package's first release. After each later release, what the scanner's
fingerprints say is compared with what an oracle says that shares no code with it: Python's `ast`, Rust's `syn`, the
TypeScript compiler. Printed per language: precision and recall of "needs a look".

    python3 bench/freshness/history.py [--only LANGUAGE] [--package NAME] [--releases N] [--work FOLDER]
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import releases

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parent.parent
BAR = 0.98


def main():
    wish = argparse.ArgumentParser()
    wish.add_argument("--only", choices=["rust", "python", "typescript"])
    wish.add_argument("--package")
    wish.add_argument("--releases", type=int)
    wish.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "cairn-history")
    wish.add_argument("--cairn", type=pathlib.Path, default=REPOSITORY / "target/release/cairn")
    wish.add_argument("--syn", type=pathlib.Path, default=REPOSITORY / "target/release/examples/syn_oracle")
    wish.add_argument("--black", default="black")
    wish.add_argument("--fetch-only", action="store_true")
    wish.add_argument("--show", type=int, default=0, help="so many disagreements")
    wish = wish.parse_args()
    failed = False
    for language, packages in json.loads((HERE / "packages.json").read_text()).items():
        if wish.only not in (None, language):
            continue
        score = Score()
        for package, versions in packages.items():
            if wish.package not in (None, package):
                continue
            score.add(history(wish, language, package, versions.split()[: wish.releases]))
        if score.verdicts:
            print(f"{language}: {score}", flush=True)
            failed |= score.precision < BAR or score.recall < BAR
        # The last release of each, rewritten as a whole.
        trees = [f"{language}={releases.fetch(language, package, all.split()[-1], wish.work)}" for package, all in packages.items()]
        if not (wish.fetch_only or wish.package):
            command = [sys.executable, HERE / "formatters.py", "--cairn", wish.cairn, "--black", wish.black, *trees]
            failed |= subprocess.run(command).returncode != 0
    sys.exit(failed)


def history(wish, language, package, versions):
    folders = [releases.fetch(language, package, version, wish.work) for version in versions]
    score = Score()
    if wish.fetch_only:
        return score
    first = None
    for version, folder in zip(versions, folders):
        (seen, closed), true = scanned(wish.cairn, folder), oracle(wish, language, folder)
        score.closed += len(closed)
        # Where the oracle cannot read a file, there is nothing to compare with.
        seen = {place: digest for place, digest in seen.items() if place[0] not in true.unreadable}
        if first is None:
            places = [place for place in true.symbols if place in seen]
            score.symbols, score.unseen = len(places), len(true.symbols) - len(places)
            first = Followed(seen, places), Followed(true.symbols, places)
            continue
        score.releases += 1
        for place, says, holds in zip(places, list(first[0].after(seen, closed)), list(first[1].after(true.symbols, true.unreadable))):
            score.count(says, holds)
            if says != holds and score.shown < wish.show:
                score.shown += 1
                print(f"  {package} {version} {place[0]} {place[1]}: scanner says {says}, oracle {holds}")
    print(f"  {package}: {score}", flush=True)
    return score


class Followed:
    """Symbols as they were at first, and where they are by now: the rules of the server, in their shortest form."""

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
                yield self.said[place]
                continue
            if at not in tree and place in tree:
                at = place
            if at not in tree:
                at = self.moved(at, self.before.get(at, was), came, went) or at
            self.at[place] = at
            self.said[place] = tree.get(at) != was
            yield self.said[place]
        self.before = tree

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
        self.releases = self.symbols = self.unseen = self.shown = self.closed = 0
        self.right = self.wrong = self.missed = self.quiet = 0

    def count(self, says, holds):
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
