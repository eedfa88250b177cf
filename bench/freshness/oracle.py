"""What Python's own parser says of a tree of Python files: a line of JSON for each symbol.

It shares nothing with the scanner. Two symbols are the same if their `ast` is, without positions, comments and docstrings.
"""

import ast
import hashlib
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20_000)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def undocumented(tree):
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                node.body = node.body[1:]
        # An f-string with nothing to fill in is a string.
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.JoinedStr) and all(isinstance(part, ast.Constant) for part in value.values):
                setattr(node, name, ast.Constant("".join(part.value for part in value.values)))


def symbols(body, prefix, in_function):
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            name, node.name = node.name, ""
            dumped = ast.dump(node).replace(f"'{name}'", "'\0'")
            node.name = name
            yield prefix + name, dumped
            yield from symbols(node.body, f"{prefix}{name}.", isinstance(node, FUNCTIONS))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not in_function:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                rest = node.targets[1:] if isinstance(node, ast.Assign) else [node.annotation]
                value = ast.dump(node.value) if node.value else ""
                yield prefix + target.id, " ".join([*map(ast.dump, rest), value]).replace(f"'{target.id}'", "'\0'")
        else:
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                inner = getattr(node, part, None)
                if isinstance(inner, list):
                    yield from symbols(inner, prefix, in_function)


def main(root):
    root = pathlib.Path(root)
    for file in sorted(root.rglob("*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            print(json.dumps({"file": str(file.relative_to(root)), "unreadable": True}))
            continue
        undocumented(tree)
        for name, dumped in symbols(tree.body, "", False):
            digest = hashlib.sha256(dumped.encode("utf-8", "surrogatepass")).hexdigest()[:24]
            print(json.dumps({"file": str(file.relative_to(root)), "name": name, "digest": digest}))


main(sys.argv[1])
