"""Questions about a time: "what did I say yesterday", 上周三谁来过.

A soft filter: the memories of those days are looked up apart and rise, the others stay. "My order
of yesterday failed" asks for a rule that is a year old, so a hard filter would lose the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Final

from hindsight_core.dates import Span, spans, without_dates
from hindsight_core.ports import Where
from hindsight_core.recall.evidence import Entry
from hindsight_core.recall.found import RetrievalSettings
from hindsight_core.recall.question import Question, content_terms
from hindsight_core.schema import Memory

__all__ = ["add_time", "during", "without_days"]

_MOST: Final = 2
"""Spans of a question that are searched apart."""


def during(where: Where, asked: Sequence[Span]) -> list[Where]:
    """Return the filter narrowed to each span; a filter with bounds of its own stays alone."""
    if where.since is not None or where.until is not None:
        return []
    return [
        replace(
            where,
            since=datetime.combine(span.first, time.min, UTC),
            until=datetime.combine(span.last, time.max, UTC),
        )
        for span in asked[:_MOST]
    ]


def without_days(question: Question) -> Question:
    """Return the question without the words of its days: another "yesterday" is another day."""
    rest = content_terms(without_dates(question.text))
    return replace(question, terms=rest) if rest else question


def add_time(pool: Mapping[str, Entry], asked: Sequence[Span], settings: RetrievalSettings) -> None:
    """Let a memory rise that was said on a day that is asked about, or that speaks of it."""
    if not asked:
        return
    for entry in pool.values():
        days = _days_of(entry.memory)
        if any(one.meets(day) for one in asked for day in days):
            entry.parts["time"] = settings.time * sum(entry.parts.values())


def _days_of(memory: Memory) -> list[Span]:
    said_on = (memory.context.said_at or memory.key.time or memory.created_at).date()
    return [Span(said_on, said_on), *spans(memory.content, said_on)]
