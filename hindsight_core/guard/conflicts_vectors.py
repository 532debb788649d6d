"""Likeness and rarity of single words, from a small table that is shipped.

The table is made by `benchmarks/conflicts_vectors.py`; to read it neither an embedder nor numpy is
needed.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from operator import mul
from typing import Final

__all__ = ["known", "likeness", "rarity"]

_NIBBLE_ZERO: Final = 8
# Endings, and what may have stood in their place.
_ENDINGS: Final = (
    ("ies", ("y",)),
    ("es", ("e",)),
    ("s", ()),
    ("ed", ("e",)),
    ("ing", ("e",)),
    ("ly", ()),
    ("er", ("e",)),
    ("est", ("e",)),
)


@dataclass(frozen=True, slots=True)
class _Table:
    at: dict[str, int]
    rarity: bytes
    vectors: bytes
    width: int


def known(word: str) -> bool:
    """Whether the table holds exactly this word."""
    return word in _table().at


def rarity(word: str) -> float:
    """How much a word says: 0.3 for the commonest, 1 for a rare or unknown one."""
    at = _place(word)
    return 1.0 if at is None else 0.3 + 0.7 * _table().rarity[at] / 255


@lru_cache(maxsize=16_384)
def likeness(a: str, b: str) -> float:
    """Cosine of two words, 0 to 1; two that are not both known are as alike as their signs."""
    if a == b:
        return 1.0
    first, second = _vector(a), _vector(b)
    if first is None or second is None:
        return 0.0 if a.isascii() or b.isascii() else _shared_signs(a, b)
    return max(0.0, sum(map(mul, first, second)))


def _shared_signs(a: str, b: str) -> float:
    return len(set(a) & set(b)) / max(len(set(a) | set(b)), 1)


@lru_cache(maxsize=4_096)
def _place(word: str) -> int | None:
    """Where the table has a word, or what is left of it without its ending."""
    places = _table().at
    if word in places or not word.isascii():
        return places.get(word)
    for ending, others in _ENDINGS:
        root = word.removesuffix(ending)
        if root == word or len(root) < 2:
            continue
        tries = [root[:-1]] if root[-1] == root[-2] else [root + other for other in others]
        for guess in (*tries, root):
            if guess in places:
                return places[guess]
    return None


@lru_cache(maxsize=4_096)
def _vector(word: str) -> tuple[float, ...] | None:
    at = _place(word)
    if at is None:
        return None
    table = _table()
    packed = table.vectors[at * table.width : (at + 1) * table.width]
    raw = [n - _NIBBLE_ZERO for byte in packed for n in (byte >> 4, byte & 15)]
    length = math.sqrt(sum(n * n for n in raw)) or 1.0
    return tuple(n / length for n in raw)


@cache
def _table() -> _Table:
    path = files("hindsight_core.guard").joinpath("conflicts_words.bin")
    text, _, data = zlib.decompress(path.read_bytes()).partition(b"\n\0")
    head, *words = text.decode().split("\n")
    shape = json.loads(head)
    count: int = shape["count"]
    return _Table(
        at={word: at for at, word in enumerate(words)},
        rarity=data[:count],
        vectors=data[count:],
        width=shape["dimension"] // 2,
    )
