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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from hindsight_core.guard.reading import Reading, Sentence
from hindsight_core.guard.rules import findings_of, judge_text

__all__ = ["BUCKETS", "Note", "Suspicion", "note", "passages", "suspicion"]

BUCKETS: Final = 1 << 16
"""How many buckets words and pairs of words are hashed into."""
_STEM: Final = 5
_MAX_WORDS: Final = 600
_PASSAGE: Final = 10
"""Fewer words than this make no passage of their own."""
_UNSAID: Final = frozenset({"tongue", "untried"})
"""What says nothing of what a note is about: its language, and that nobody tried it."""


@dataclass(frozen=True, slots=True)
class Note:
    """What the model looks at: names of concepts and rules, buckets of words, and their weight.

    `share` is what each bucket counts: a long note says more words, not more.
    """

    names: frozenset[str]
    buckets: frozenset[int]
    share: float


def note(reading: Reading) -> Note:
    """Read the features of a note; the end of a very long one is left to `passages`."""
    met = {f"meets {finding.reason}" for finding in judge_text(reading)}
    return _note(reading.tokens.words[:_MAX_WORDS], reading.sentences.values(), met)


def passages(reading: Reading) -> Iterator[Note]:
    """The features of each passage of a longer text: a sentence, or some that are very short.

    What is planted in a long honest text is diluted by it; in its own passage it is not.
    """
    words, numbers = reading.tokens.words, reading.tokens.sentence
    start = 0
    for end in range(1, len(words) + 1):
        whole = end == len(words)
        if not whole and (numbers[end] == numbers[end - 1] or end - start < _PASSAGE):
            continue
        if start == 0 and whole:
            return
        held = range(numbers[start], numbers[end - 1] + 1)
        said = [reading.sentences[number] for number in held if number in reading.sentences]
        met = {f"meets {found.reason}" for concepts in said for found in findings_of(concepts)}
        yield _note(words[start:end], said, met)
        start = end


def _note(words: Sequence[str], sentences: Iterable[Sentence], met: set[str]) -> Note:
    terms = set(words)
    terms |= {f"{word[:_STEM]}*" for word in words if len(word) > _STEM and word.isascii()}
    terms |= {f"{first} {second}" for first, second in pairwise(words)}
    said = {name for sentence in sentences for name in sentence} - _UNSAID
    return Note(
        frozenset({f"says {name}" for name in said} | met),
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
        return self._score(note(reading))

    def worst(self, reading: Reading) -> float:
        """The log-odds of the passage that looks most like poison; that of a short note is low."""
        return max(map(self._score, passages(reading)), default=-math.inf)

    def _score(self, seen: Note) -> float:
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
