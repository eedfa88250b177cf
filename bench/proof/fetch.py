"""Fetches the releases that the tasks beside this file work on, by name and version, once: fetch.py FOLDER"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "freshness"))
import releases

kept = pathlib.Path(sys.argv[1])
for file in sorted(HERE.glob("packages/?-*.json")):
    task = json.loads(file.read_text())
    source = task["repository"]
    for version in sorted({run["release"] for run in task["runs"]}):
        releases.fetch(source["language"], source["package"], version, kept)
        print(f"{source['package']} {version}", file=sys.stderr)
