"""Whether the situation of a memory in cold storage comes back: by the words of runs, no index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight_core.schema import Memory
from hindsight_core.text import terms

__all__ = ["SAME", "Query", "count_returns", "same_situation"]

SAME: Final = 0.6
"""From which share of words in common two situations are the same."""
_MAX_TEXT: Final = 4_000


@dataclass(frozen=True, slots=True)
class Query:
    """What one run asked its memory for, and when."""

    run_id: str
    at: datetime
    words: frozenset[str]

    @classmethod
    def of(cls, run_id: str, at: datetime, text: str) -> Query:
        """Read a text once, for any number of comparisons."""
        return cls(run_id, at, frozenset(terms(text[:_MAX_TEXT])))


def same_situation(asked: frozenset[str], memory: Memory) -> bool:
    """Whether a run that asked with these words is in the situation of a memory.

    Where the memory names a situation, both are compared whole (Dice, 2|A & B| / (|A| + |B|));
    where it only says something, that has to hold the words that were asked with.
    """
    if not asked:
        return False
    if memory.query:
        own = frozenset(terms(memory.query[:_MAX_TEXT]))
        return 2 * len(asked & own) >= SAME * (len(asked) + len(own))
    said = frozenset(terms(memory.content[:_MAX_TEXT]))
    return len(asked & said) >= SAME * len(asked)


def count_returns(memory: Memory, queries: Iterable[Query]) -> int:
    """Return in how many different runs the situation came back since the memory was of use."""
    since = max(memory.updated_at, memory.last_referenced_at or memory.updated_at)
    return len(
        {
            query.run_id
            for query in queries
            if query.run_id and query.at > since and same_situation(query.words, memory)
        }
    )
