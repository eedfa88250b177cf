#!/usr/bin/env python3
"""Turns a model2vec folder (model.safetensors, tokenizer.json) into the two files that the server carries.

    scripts/quantise-model.py <model folder> server/assets/<name>

Plain Python, no packages. The same input gives the same bytes.
"""

import array
import hashlib
import json
import pathlib
import struct
import sys


def token_vectors(file):
    """The one float32 matrix of a safetensors file: rows, dimensions, values."""
    content = file.read_bytes()
    (header_length,) = struct.unpack_from("<Q", content)
    matrix = json.loads(content[8 : 8 + header_length])["embeddings"]
    if matrix["dtype"] != "F32":
        sys.exit(f"{file}: expected float32 vectors, found {matrix['dtype']}")
    values = array.array("f")
    begin, end = matrix["data_offsets"]
    values.frombytes(content[8 + header_length + begin : 8 + header_length + end])
    if sys.byteorder == "big":
        values.byteswap()
    return *matrix["shape"], values


def vocabulary(file):
    """The tokens in the order of their numbers, of a lower-casing BERT WordPiece tokenizer and no other."""
    tokenizer = json.loads(file.read_text(encoding="utf-8"))
    model, normalizer = tokenizer["model"], tokenizer["normalizer"]
    expected = [
        model["type"] == "WordPiece",
        model["unk_token"] == "[UNK]",
        model["continuing_subword_prefix"] == "##",
        model["max_input_chars_per_word"] == 100,
        normalizer
        == {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        tokenizer["pre_tokenizer"] == {"type": "BertPreTokenizer"},
    ]
    if not all(expected):
        sys.exit(f"{file}: the server reads lower-casing BERT WordPiece only")
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    if [model["vocab"][token] for token in tokens] != list(range(len(tokens))):
        sys.exit(f"{file}: the token numbers have gaps")
    return tokens


def main(source, target):
    rows, dimensions, values = token_vectors(source / "model.safetensors")
    tokens = vocabulary(source / "tokenizer.json")
    if len(tokens) != rows:
        sys.exit(f"{len(tokens)} tokens but {rows} vectors")

    scales, codes = array.array("f"), array.array("b")
    for begin in range(0, len(values), dimensions):
        row = values[begin : begin + dimensions]
        # A scale for each token: frequent ones have short vectors, which one scale for all would round to little.
        scale = max(map(abs, row)) / 127
        scales.append(scale)
        codes.extend(round(value / scale) if scale else 0 for value in row)
    if sys.byteorder == "big":
        scales.byteswap()

    header = f"int8 rows={rows} dimensions={dimensions}\n"
    target.mkdir(parents=True, exist_ok=True)
    (target / "vectors.int8").write_bytes(header.encode() + scales.tobytes() + codes.tobytes())
    (target / "vocabulary.txt").write_text("".join(token + "\n" for token in tokens), encoding="utf-8", newline="\n")
    for name in ["vectors.int8", "vocabulary.txt"]:
        print(hashlib.sha256((target / name).read_bytes()).hexdigest(), name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*map(pathlib.Path, sys.argv[1:]))
