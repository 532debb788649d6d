"""What a text is about without its words: hashed index terms, by which texts are compared.

The guard keeps these of texts that a person decided on. They are enough to know a text again and
hold none of it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from hindsight_core.text import terms

__all__ = ["Marks", "alike", "marks_of"]

_READ: Final = 8_000
"""Characters of a text that are read."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The hashed terms of a text, those with a digit apart: another number is another fact."""

    words: frozenset[str]
    numbers: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Both together."""
        return self.words | self.numbers


@lru_cache(maxsize=1_024)
def marks_of(text: str) -> Marks:
    """Return the marks of a text; case, width and script variants make no difference."""
    found = terms(text[:_READ])
    numbers = {_hash(term) for term in found if any(sign.isdigit() for sign in term)}
    words = {_hash(term) for term in found} - numbers
    return Marks(frozenset(words), frozenset(numbers))


def alike(one: Set[str], other: Set[str]) -> float:
    """The Jaccard index of two sets of marks, 0 to 1; two empty ones are not alike."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def _hash(term: str) -> str:
    return blake2b(term.encode(errors="replace"), digest_size=6).hexdigest()
