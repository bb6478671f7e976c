"""Damage of files: bytes that flip, vanish or double, and documents with one value changed."""

import copy

import numpy as np

PIECES = [
    b"\0", b'"', b"'", b",", b"\n", b"\r", b";", b"\t", b"1e400", b"-inf", b"9" * 400, b"\xff\xfe", b"\xed\xa0\x80",
    b"{", b"}", b"%", b"@data\n", b"nan", b"2020-13-45",
]  # fmt: skip
WORDS = [(255, 255, 255, 127), (0, 0, 0, 128), (255, 255, 255, 255), (0, 0, 0, 0)]
VALUES = [
    None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**63, -(2**63), 2**100, 10**400, 1e308, -1e308, 5e-324, 0.5, -0.0,
    "", "a", "é", "</script>", "\ud800", [], {}, [[]], [None], {"a": 1}, "x" * 10000, [0] * 5000,
]  # fmt: skip


def _place(rng, content):
    return int(rng.integers(len(content)))


def _flip(rng, content):
    for _ in range(int(rng.integers(1, 6))):
        content[_place(rng, content)] ^= 1 << int(rng.integers(8))


def _cut(rng, content):
    del content[_place(rng, content) :]


def _insert(rng, content):
    i = _place(rng, content)
    content[i:i] = rng.bytes(int(rng.integers(1, 20)))


def _delete(rng, content):
    first, last = sorted((_place(rng, content), _place(rng, content)))
    del content[first:last]


def _double(rng, content):
    first, last = sorted((_place(rng, content), _place(rng, content)))
    content[first:first] = content[first:last]


def _change_digit(rng, content):
    digits = [i for i, byte in enumerate(content) if 48 <= byte < 58]
    content[digits[int(rng.integers(len(digits)))] if digits else 0] = 48 + int(rng.integers(10))


def _change_end(rng, content):
    i = int(rng.integers(min(60, len(content))))
    content[i if rng.random() < 0.5 else -1 - i] = int(rng.integers(256))


def _insert_pieces(rng, content):
    for _ in range(int(rng.integers(1, 5))):
        i = _place(rng, content)
        content[i : i + int(rng.integers(2))] = PIECES[int(rng.integers(len(PIECES)))]


def _change_word(rng, content):
    i = _place(rng, content)
    content[i : i + 4] = bytes(WORDS[int(rng.integers(len(WORDS)))])


DAMAGES = [
    _flip, _cut, _insert, _delete, _double, _change_digit, _change_end, _insert_pieces, _change_word,
]  # fmt: skip


def damage(rng, content):
    """Return the bytes of a damaged file, and how it was damaged."""
    change = DAMAGES[int(rng.integers(len(DAMAGES)))]
    damaged = bytearray(content)
    change(rng, damaged)
    return bytes(damaged), change.__name__.strip("_")


def _places(document, path=()):
    yield path
    if isinstance(document, dict | list):
        keys = document if isinstance(document, dict) else range(len(document))
        for key in keys:
            yield from _places(document[key], (*path, key))


def edit(rng, document):
    """Return a document with one value changed, deleted or doubled, and how it was edited."""
    places = list(_places(document))
    path = places[int(rng.integers(len(places)))]
    value = VALUES[int(rng.integers(len(VALUES)))]
    if not path:
        return value, f"all: {value!r:.30}"
    edited = copy.deepcopy(document)
    parent = edited
    for key in path[:-1]:
        parent = parent[key]
    choice = int(rng.integers(4))
    if choice == 0:
        del parent[path[-1]]
        return edited, f"{path}: deleted"
    if choice == 1 and isinstance(parent, list):
        parent.insert(path[-1], copy.deepcopy(parent[path[-1]]))
        return edited, f"{path}: doubled"
    parent[path[-1]] = value
    return edited, f"{path}: {value!r:.30}"


def special_contents(content):
    """Return files that no writer of ours makes, by name."""
    return {
        "empty": b"",
        "deep lists": b"[" * 200_000,
        "deep objects": b'{"a":' * 200_000,
        "closed lists": b"[" * 100_000 + b"]" * 100_000,
        "long text": b'{"format":"' + b"x" * 5_000_000 + b'"}',
        "long number": b'{"format":"bayesieve model","version":' + b"9" * 1_000_000 + b"}",
        "NaN": b'{"version":NaN}',
        "Infinity": b"Infinity",
        "1e999": b'{"version":1e999}',
        "byte order mark": b"\xef\xbb\xbf" + content,
        "UTF-16": content.decode("utf-8", "replace").encode("utf-16"),
        "zeros": b"\0" * 1000,
        "pickle": b"\x80\x04\x95.",
        "many keys": b"{" + b",".join(b'"%d":0' % i for i in range(50_000)) + b"}",
    }


def rng_of(seed):
    """Return the random generator of a case."""
    return np.random.default_rng(seed)
