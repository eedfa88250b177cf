"""Where the memory tool does not do as the SDK's own, each case that `docs/anthropic.md` lists: the oracle takes it, ours does not,
or the other way round.

Usage: memory_tool_differences.py URL WORKSPACE KEY
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/handlers"))

from anthropic.tools import BetaLocalFilesystemMemoryTool  # noqa: E402
from cairn_memory import CairnMemoryTool  # noqa: E402
from memory_tool_oracle import used  # noqa: E402


def create(path, text="x"):
    return {"command": "create", "path": path, "file_text": text}


STRICTER = {
    "a look-alike of /memories": create("/memoriesX/a.md"),
    "`..` that stays inside": create("/memories/a/../b.md"),
    "an encoded dot or slash": create("/memories/%2e%2e%2fb.md"),
    "a backslash": create("/memories/a\\b.md"),
    "a control character": create("/memories/a\nb.md"),
    "an invisible character": create("/memories/a\u202eb.md"),
    "a path that is not in the composed form": create("/memories/cafe\u0301.md"),
    "more than 20 names": create("/memories" + "/n" * 21),
    "a path of more than 1,024 bytes": create("/memories" + ("/" + "n" * 200) * 6),
    "a text of more than 102,400 bytes": create("/memories/long.md", "x" * 102_401),
    "NUL in a text": create("/memories/nul.md", "a\0b"),
}


def main(url, workspace, key):
    ours = CairnMemoryTool(url, key, workspace)
    with tempfile.TemporaryDirectory() as folder:
        oracle = BetaLocalFilesystemMemoryTool(folder)
        for what, command in STRICTER.items():
            (well, said), (fine, told) = used(ours, command), used(oracle, command)
            assert fine and not well, (what, said, told)
        for tool in (ours, oracle):
            assert used(tool, create("/memories/folder/only.md"))[0]
            assert used(tool, create("/memories/words.md", "one two three"))[0]
        # A left-out `new_str` deletes, as is documented; the oracle stumbles over it.
        cut = {"command": "str_replace", "path": "/memories/words.md", "old_str": " two"}
        assert used(ours, cut)[0] and not used(oracle, cut)[0]
        # A folder goes with the last thing in it.
        for tool in (ours, oracle):
            assert used(tool, {"command": "delete", "path": "/memories/folder/only.md"})[0]
        assert not used(ours, {"command": "view", "path": "/memories/folder"})[0] and used(oracle, {"command": "view", "path": "/memories/folder"})[0]
        assert used(ours, create("/memories/folder"))[0] and not used(oracle, create("/memories/folder"))[0]
        # Long texts are cut.
        for tool in (ours, oracle):
            assert used(tool, create("/memories/cut.md", "x" * 20_000))[0]
        shown = used(ours, {"command": "view", "path": "/memories/cut.md"})[1]
        assert "use view_range" in shown and len(shown) < 17_000 < len(used(oracle, {"command": "view", "path": "/memories/cut.md"})[1])
    print(f"{len(STRICTER) + 4} documented differences, each as documented")


main(*sys.argv[1:])
