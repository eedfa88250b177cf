"""Verifies an exported trail with none of our code: the tree by pymerkle, the signature by cryptography.

Written after docs/audit.md, and nothing else.
Usage: verify.py EXPORT VKEY [EARLIER-CHECKPOINT]
"""

import base64
import hashlib
import json
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pymerkle import InmemoryTree


def open_note(note, vkey):
    """The text of a C2SP signed note, if this key signed it."""
    name, key_hash, key = vkey.split("+", 2)
    key = base64.b64decode(key, validate=True)
    assert hashlib.sha256(name.encode() + b"\n" + key).digest()[:4].hex() == key_hash and key[0] == 1, "not an Ed25519 key"
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    for line in signatures.splitlines():
        dash, signer, signature = line.split(" ")
        signature = base64.b64decode(signature, validate=True)
        if dash == "\u2014" and signer == name and signature[:4].hex() == key_hash:
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature[4:], text.encode())
            return text
    raise ValueError("not signed with this key")


def read_checkpoint(note, vkey):
    """Origin, size and root."""
    origin, size, root, end = open_note(note, vkey).split("\n")
    assert end == ""
    return origin, int(size), base64.b64decode(root, validate=True)


def leaf_of(line):
    """The bytes that were hashed, the hash beside them, and the proof if there is one."""
    said = json.loads(line)
    leaf = line[len('{"entry":') : line.rindex(',"leaf_hash":"')]
    return said["entry"]["index"], leaf.encode(), said["leaf_hash"], said.get("proof")


def verify(export, vkey, earlier=None):
    """The tree of a complete export that holds; raises where it does not."""
    *lines, last = export.split("\n")[:-1]
    last = json.loads(last)
    assert last["complete"], "a filtered export has no tree of its own"
    origin, size, root = read_checkpoint(last["checkpoint"], vkey)
    tree = InmemoryTree(algorithm="sha256")
    for place, line in enumerate(lines):
        index, leaf, leaf_hash, _ = leaf_of(line)
        assert index == place, f"entry {index} stands in the place of {place}"
        tree.append_entry(leaf)
        assert base64.b64encode(tree.get_leaf(place + 1)).decode() == leaf_hash, f"entry {index} was changed"
    assert tree.get_size() == size and tree.get_root() == root, "the entries are not those that were signed"
    if earlier:
        then_origin, then_size, then_root = read_checkpoint(earlier, vkey)
        assert then_origin == origin and then_size <= size, "another trail, or its end was cut off"
        assert tree.get_root(then_size) == then_root, "something before the earlier checkpoint was changed"
    return tree


def verify_filtered(export, vkey, tree):
    """Every entry's proof is the one that pymerkle makes of the complete tree. How many there are."""
    *lines, last = export.split("\n")[:-1]
    last = json.loads(last)
    _, size, root = read_checkpoint(last["checkpoint"], vkey)
    assert not last["complete"] and tree.get_root(size) == root
    for line in lines:
        index, leaf, leaf_hash, path = leaf_of(line)
        proof = tree.prove_inclusion(index + 1, size)
        pair = [base64.b64encode(digest).decode() for digest in proof.path]
        # Its path begins with the leaf; on a right-hand leaf the first two are the other way round.
        assert sorted(pair[:2]) == sorted([leaf_hash, path[0]]) and pair[2:] == path[1:], f"the proof of entry {index} is another"
        assert hashlib.sha256(b"\0" + leaf).digest() == base64.b64decode(leaf_hash), f"entry {index} was changed"
        proof.verify(base64.b64decode(leaf_hash), root)
    return len(lines)


if __name__ == "__main__":
    texts = [open(path, encoding="utf-8", newline="").read() for path in (sys.argv[1], *sys.argv[3:4])]
    print(verify(texts[0], sys.argv[2], *texts[1:]).get_size(), "entries hold")
