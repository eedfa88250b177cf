"""The memory tool against the SDK's own implementation on the local file system: the same commands on both.

Usage: memory_tool_oracle.py URL WORKSPACE KEY SEED COUNT

The documented handler is what speaks to the server. At every step both succeed or both fail; at the end both have the same files
with the same texts. Where the words differ, they differ as `docs/anthropic.md` says and not otherwise.
"""

import os
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/handlers"))

from anthropic import Anthropic  # noqa: E402
from anthropic.lib.tools import ToolError  # noqa: E402
from anthropic.tools import BetaLocalFilesystemMemoryTool  # noqa: E402
from cairn_memory import CairnMemoryTool  # noqa: E402

FOLDERS = ["a", "b", "notes", "ünïcode", "with space", ".hidden", "deep"]
FILES = ["x.md", "y.txt", "ß.md", "100%.md", "readme", ".env", "a"]
WORDS = ["stone", "stone", "cairn", "path", "näive", "→", "x", "", "  indented", "tab\there", "line\r", "🪨"]
HOSTILE = [
    "", "/", ".", "..", "/etc/passwd", "etc/passwd", "memories/x.md", "/Memories/x.md", " /memories/x.md", "/mem", "/tmp/memories/x",
    "/memories/../x.md", "/memories/../../etc/passwd", "/memories/a/../../x.md", "/memories/../memories2/x", "/memories/../../../../../../etc/shadow",
    "/memories/x\0y", "/memories/" + "n" * 300, "/memories/" + "d/" * 3000 + "x", "/memories/" + "é" * 200, "~/memories", "file:///memories/x",
    "/proc/self/environ", "//etc/passwd", "/memories/./../..", "C:\\memories\\x",
]


class Commands:
    """Random commands: valid, invalid and hostile ones, on few enough names that they meet."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.made = []

    def path(self, hostile=0.06, known=0.5):
        chance = self.chance
        if chance.random() < hostile:
            return chance.choice(HOSTILE)
        if chance.random() < 0.03:
            return chance.choice(["/memories", "/memories/", "/memories//", "/memories/."])
        if self.made and chance.random() < known:
            return chance.choice(self.made[-150:])
        names = [chance.choice(FOLDERS) for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))]
        path = "/memories/" + "/".join([*names, chance.choice(FILES + FOLDERS[:2])])
        if chance.random() < 0.05:
            path = path.replace("/", "//", 2) if chance.random() < 0.5 else path + chance.choice(["/", "/."])
            path = path if path.startswith("/memories/") else "/memories/" + path.lstrip("/").removeprefix("memories").lstrip("/")
        return path

    def text(self):
        lines = [" ".join(self.chance.choices(WORDS, k=self.chance.randint(0, 4))) for _ in range(self.chance.choice([0, 1, 1, 2, 3, 8, 40]))]
        return "\n".join(lines) + self.chance.choice(["", "\n", "\n\n"])

    def next(self):
        chance = self.chance
        kind = chance.choices(["create", "view", "str_replace", "insert", "delete", "rename", "nonsense"], [30, 20, 18, 14, 7, 9, 2])[0]
        match kind:
            case "create":
                path = self.path(known=0.1)
                self.made.append(path)
                return {"command": kind, "path": path, "file_text": self.text()}
            case "view":
                ranges = [[1, -1], [2, 3], [0, 0], [-4, 2], [3, 1], [5, 500], [1, -2], [2, -3], [7], [1, 2, 3], []]
                more = {"view_range": chance.choice(ranges)} if chance.random() < 0.3 else {}
                return {"command": kind, "path": self.path(), **more}
            case "str_replace":
                old = chance.choice(["stone", "cairn", "x", "\n", "stone\n", "missing", "", "näive", "→", "🪨", "tab\there", " ", "\n\n", "stone stone"])
                return {"command": kind, "path": self.path(), "old_str": old, "new_str": chance.choice(["", "stone", "new\nline", "cairn →", "\n", old])}
            case "insert":
                line = chance.choice([0, 0, 1, 2, 3, 5, 9, -1, 41, 10**9, "1", None])
                return {"command": kind, "path": self.path(), "insert_line": line, "insert_text": self.text()}
            case "delete":
                return {"command": kind, "path": self.path()}
            case "rename":
                return {"command": kind, "old_path": self.path(), "new_path": self.path()}
            case _:
                return chance.choice([
                    {"command": "view"}, {"command": "delete"}, {"command": "rename", "old_path": "/memories/a"}, {"command": "format", "path": "/memories"},
                    {"command": "insert", "path": "/memories/readme", "insert_line": 0}, {"command": "str_replace", "path": "/memories/readme", "new_str": "x"},
                ])


def used(tool, command):
    """What came of it. Whatever the oracle raises is a failure: it leaves what it did not foresee to its caller."""
    try:
        return True, tool.call(command)
    except ToolError as error:
        return False, str(error)
    except Exception as error:  # noqa: BLE001
        return False, f"{type(error).__name__}: {error}"


def prune(root):
    """A folder is there as long as something lies in it: the one thing in which the two are different by nature."""
    for folder, _, _ in os.walk(root, topdown=False):
        if folder != str(root) and not os.listdir(folder):
            os.rmdir(folder)


def wording(command, ours, theirs):
    """How two successes differ in their words, by the name the documentation gives it; None when they do not."""
    if ours == theirs:
        return None
    if theirs.startswith("Here're the files"):
        head = ours.split("\n")[0]
        assert head == theirs.split("\n")[0].removesuffix(":") + " and node_modules:", (command, ours, theirs)
        paths = lambda text: [re.sub("/+", "/", line.split("\t")[1]) for line in text.split("\n")[2:]]
        shown, expected = paths(ours), paths(theirs)
        # A folder in which everything is hidden is not shown; the oracle shows it empty.
        hidden = [path for path in expected if path not in shown]
        assert all(path.endswith("/") for path in hidden) and [path for path in expected if path not in hidden] == shown, (command, ours, theirs)
        return "listing"
    # What is doubted is never shown without its mark.
    bare = re.sub(r"\n+\[Cairn: this memory is [^\n]*\]\s*$", "", ours)
    if bare != ours and bare.rstrip("\n") == theirs.rstrip("\n"):
        return "mark"
    raise AssertionError(f"other words for a success: {command}\n{ours}\n{theirs}")


# Failures in other words, by what `docs/anthropic.md` says of them: ours, and the oracle's.
ACCIDENT = r"(ValidationError|TypeError|ValueError|KeyError|AttributeError|IndexError|NotImplementedError|OSError|FileNotFoundError|FileExistsError|NotADirectoryError|IsADirectoryError)\b.*"
FAILURES = {
    "an `insert_line` out of range": (
        r"Error: Invalid `insert_line` parameter: \S+\. It should be within the range of lines of the file: \[0, \d+\]",
        r"Invalid `insert_line` parameter: \S+\. It should be within the range \[0, \d+\]\.",
    ),
    "a folder given to an edit": (r"Error: The path .* does not exist(\. Please provide a valid path\.)?", r"The path .* is not a file\."),
    "a path that is not there": (r"Error: The path .* does not exist", r"The path .* does not exist\. Please provide a valid path\."),
    "a path that is refused": (
        r"Error: The path .* is not allowed: .+",
        rf"Path must start with /memories, got: .*|Path .* would escape /memories directory|The path .* does not exist.*|{ACCIDENT}",
    ),
    "a path below a file": (
        r"Error: Cannot create .*: a part of its path is a file|Error: The destination .* already exists|(Error: )?The path .* does not exist.*",
        r"(NotADirectoryError|FileExistsError)\b.*",
    ),
    "a folder moved into itself": (r"Error: The destination .* already exists", r"OSError\b.*Invalid argument.*"),
    # The oracle looks at the file first, and may not come to what is missing.
    "an argument that is missing or of the wrong kind": (r"Error: .*(`\w+`|command).*", rf"{ACCIDENT}|The path .* (does not exist|is not a file)\..*|Path must start with .*|Path .* would escape .*"),
}


def failure(ours, theirs):
    """How two failures differ in their words, by the name of it above where it has one; None when they do not."""
    if re.sub("^Error: ", "", ours) == theirs:
        return None
    for name, (here, there) in FAILURES.items():
        if re.fullmatch(here, ours, re.DOTALL) and re.fullmatch(there, theirs, re.DOTALL):
            return name
    return "failure in other words"


def main(url, workspace, key, seed, count):
    commands, ours = Commands(seed), CairnMemoryTool(url, key, workspace)
    tally, words = Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        oracle = BetaLocalFilesystemMemoryTool(folder)
        for step in range(count):
            command = commands.next()
            (well, said), (fine, expected) = used(ours, command), used(oracle, command)
            assert well == fine, f"seed {seed}, step {step}: {command}\nours: {said}\nthe oracle: {expected}"
            prune(oracle.memory_root)
            tally[command.get("command"), fine] += 1
            if fine:
                words[wording(command, said, expected) or "same"] += 1
            else:
                words[failure(said, expected) or "same failure"] += 1
        tree = {f"/{path.relative_to(oracle.memory_root)}": path.read_bytes().decode() for path in oracle.memory_root.rglob("*") if path.is_file()}
    client = Anthropic(base_url=url, api_key=key)
    main_store = next(store for store in client.beta.memory_stores.list() if store.name == "main")
    found = {memory.path: memory.content for memory in client.beta.memory_stores.memories.list(main_store.id, view="full")}
    assert found == tree, {path: (found.get(path), tree.get(path)) for path in {*found, *tree} if found.get(path) != tree.get(path)}
    done = sum(n for (_, fine), n in tally.items() if fine)
    assert all(tally[command, True] and tally[command, False] for command in ["create", "view", "str_replace", "insert", "delete", "rename"]), tally
    print(f"seed {seed}: {count} commands, {done} done and {count - done} refused on both, {len(tree)} files alike; words: {dict(words)}")


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5]))
