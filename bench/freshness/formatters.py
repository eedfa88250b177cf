"""Reformatting a whole tree, or editing only its comments, flags nothing.

Trees are copied, rewritten by `rustfmt`, `black` or `prettier` with settings that nobody uses, and scanned before and
after: every symbol must have the fingerprints it had.

    python3 bench/freshness/formatters.py [--cairn PROGRAM] [--black PROGRAM] [--prettier PROGRAM] [RUST|PYTHON|TYPESCRIPT=FOLDER …]

Without folders, it takes this repository's own code.
"""

import argparse
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parent.parent
OWN = {"rust": ["client/src", "secrets/src"], "python": ["bench/freshness", "tests/clients"], "typescript": ["tests/browser", "bench/freshness"]}
ENDINGS = {"rust": ["rs"], "python": ["py"], "typescript": ["js", "mjs", "ts", "tsx", "jsx"]}


def main():
    wish = argparse.ArgumentParser()
    wish.add_argument("--cairn", default=REPOSITORY / "target/debug/cairn")
    wish.add_argument("--black", default="black")
    wish.add_argument("--prettier", default=HERE / "node_modules/.bin/prettier")
    wish.add_argument("trees", nargs="*")
    wish = wish.parse_args()
    trees = [tree.split("=", 1) for tree in wish.trees] or [(language, REPOSITORY / one) for language, all in OWN.items() for one in all]
    wrong = 0
    for language, tree in trees:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "tree"
            copied(pathlib.Path(tree), copy, ENDINGS[language.lower()])
            wrong += unchanged(wish, language.lower(), copy, str(tree))
    sys.exit(wrong > 0)


def copied(tree, copy, endings):
    for file in tree.rglob("*"):
        if file.is_file() and file.suffix[1:] in endings and "node_modules" not in file.parts:
            to = copy / file.relative_to(tree)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)


def unchanged(wish, language, copy, name):
    before = scanned(wish.cairn, copy)
    if not before:
        sys.exit(f"there is no symbol in {name}")
    wrong = 0
    for what, rewrite in [("reformatted", reformat), ("commented", comment)]:
        changed = rewrite(wish, language, copy)
        after = scanned(wish.cairn, copy)
        flagged = sorted(place for place in before if before[place] != after.get(place))
        print(f"{language} {name}, {what}: {changed} files rewritten, {len(before)} symbols, {len(flagged)} flagged", flush=True)
        for place in flagged[:10]:
            print("  ", *place)
        wrong += len(flagged)
        if not changed:
            sys.exit("nothing was rewritten: that proves nothing")
        before = after
    return wrong


def reformat(wish, language, copy):
    files = [file for file in sorted(copy.rglob("*")) if file.is_file()]
    before = [file.read_bytes() for file in files]
    for some in range(0, len(files), 200):
        names = [str(file) for file in files[some : some + 200]]
        command = {
            "rust": ["rustfmt", "--edition", "2024", "--config", "max_width=60,hard_tabs=true", *names],
            "python": [wish.black, "--quiet", "--fast", "--line-length", "50", *names],
            "typescript": [wish.prettier, "--write", "--log-level=error", "--print-width=50", "--tab-width=3", "--quote-props=as-needed", *names],
        }[language]
        # What a formatter cannot read, it leaves as it is.
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sum(file.read_bytes() != was for file, was in zip(files, before))


def comment(_wish, language, copy):
    """A comment before everything that begins at the start of a line."""
    mark, begins = ("# ", r"def |class |import |from |if ") if language == "python" else ("// ", r"fn |pub |impl |struct |export |import |function |class |const ")
    changed = 0
    for file in copy.rglob("*"):
        if not file.is_file():
            continue
        text = file.read_text()
        within = in_strings(language, text)
        if within is None:
            continue
        said = lambda found: "" if text.count("\n", 0, found.start()) + 1 in within else f"{mark}said anew\n"
        now = re.sub(rf"^(?=({begins}))", said, text, flags=re.M)
        changed += now != text
        file.write_text(now)
    return changed


def in_strings(language, text):
    """The lines that begin within a string, where it would be no comment; nothing where that is not known."""
    if language == "python":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {line for token in tokens if token.type == tokenize.STRING for line in range(token.start[0] + 1, token.end[0] + 1)}
    if 'r#"' in text or "\\\n" in text:
        return None
    lines, quotes = set(), 0
    for number, line in enumerate(text.split("\n"), 1):
        if quotes % 2:
            lines.add(number)
        quotes += line.count("`") if language == "typescript" else 0
    return lines


def scanned(cairn, folder):
    done = subprocess.run([cairn, "scan", "--json", folder], capture_output=True, check=True)
    found = {}
    for file in json.loads(done.stdout)["files"]:
        for symbol in file.get("symbols", ()):
            found[file["path"], symbol["name"]] = symbol["signature_hash"], symbol["body_hash"]
    return found


main()
