"""Scores how much a note reads like planted advice, whatever its words: a learnt linear model.

The rules name what is dangerous in itself. Most poison is written to meet no rule: it sounds like
experience, custom or policy. What gives it away is what it is about and which way it leans, and
that is learnt from notes of both kinds, in English and Chinese (`benchmarks/train_guard.py`).
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from hindsight_core.guard.reading import Reading
from hindsight_core.guard.rules import judge_text

__all__ = ["BUCKETS", "Note", "Suspicion", "note", "suspicion"]

BUCKETS: Final = 1 << 14
"""How many buckets words and pairs of words are hashed into."""
_STEM: Final = 5
_MAX_WORDS: Final = 600
_UNSAID: Final = frozenset({"tongue"})
"""What says nothing about a note: the language that it is in."""


@dataclass(frozen=True, slots=True)
class Note:
    """What the model looks at: names of concepts and rules, buckets of words, and their weight.

    `share` is what each bucket counts: a long note says more words, not more.
    """

    names: frozenset[str]
    buckets: frozenset[int]
    share: float


def note(reading: Reading) -> Note:
    """Read the features of a note; the end of a very long one is not looked at."""
    words = reading.tokens.words[:_MAX_WORDS]
    terms = set(words)
    terms |= {f"{word[:_STEM]}*" for word in words if len(word) > _STEM and word.isascii()}
    terms |= {f"{first} {second}" for first, second in pairwise(words)}
    said = {name for sentence in reading.sentences.values() for name in sentence} - _UNSAID
    names = {f"says {name}" for name in said}
    names |= {f"meets {finding.reason}" for finding in judge_text(reading)}
    return Note(
        frozenset(names),
        frozenset(zlib.crc32(term.encode("utf-8", "replace")) % BUCKETS for term in terms),
        2 / math.sqrt(max(1, len(words))),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspicion:
    """The model: a bias, the weights of names, and those of buckets in units of `unit`.

    A note above `harmful` is taken for poison, one above `doubtful` is not taken at its word.
    """

    bias: float
    names: Mapping[str, float]
    buckets: Sequence[int]
    unit: float
    harmful: float
    doubtful: float

    def score(self, reading: Reading) -> float:
        """The log-odds that a note is poison."""
        seen = note(reading)
        named = math.fsum(self.names.get(name, 0.0) for name in seen.names)
        worded = sum(map(self.buckets.__getitem__, seen.buckets))
        return self.bias + named + worded * self.unit * seen.share


@lru_cache(maxsize=1)
def suspicion() -> Suspicion:
    """The model with the shipped weights, read once."""
    file = files("hindsight_core.guard").joinpath("suspicion.json")
    shipped = json.loads(file.read_text(encoding="utf-8"))
    buckets = array("b", base64.b64decode(shipped.pop("buckets")))
    return Suspicion(buckets=buckets, **shipped)
