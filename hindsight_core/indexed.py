"""Which words of a memory are searched, for the text index and for the embedder alike.

Who said it, when, and what came before belong to the meaning of an utterance: they are indexed with
it and never shown. Dates are written as people write them, in the language of the memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from hindsight_core.dates import spans
from hindsight_core.schema import Memory
from hindsight_core.text import clean

__all__ = ["CONTEXT_WEIGHT", "SearchText", "date_words", "passage_text", "search_text"]

CONTEXT_WEIGHT: Final = 0.5
"""What one occurrence in the context counts, against one in the memory's own words."""

_HAN: Final = re.compile("[\u4e00-\u9fff]")
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_LONGEST_MONTH: Final = 31


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchText:
    """The two fields of the text index: `own` counts in full, `context` by `CONTEXT_WEIGHT`."""

    own: str
    context: str


def search_text(memory: Memory) -> SearchText:
    """Return what the text index holds of a memory."""
    value, key, context = memory.value, memory.key, memory.context
    own = (
        context.speaker,
        value.content,
        value.intent,
        value.resolution,
        value.correction,
        memory.query,
        key.subject,
        key.task_type or "",
        *key.entities,
        *key.tool_sequence,
    )
    when = context.said_at or key.time
    around = (
        context.before,
        date_words(when, value.content) if when else "",
        _meant_dates(value.content, when or memory.created_at),
    )
    return SearchText(own=_join(own), context=_join(around))


def passage_text(memory: Memory) -> str:
    """Return what the embedder reads of a memory: the situation, who spoke, and the words."""
    said = memory.value.content
    if memory.context.speaker:
        said = f"{memory.context.speaker}: {said}"
    return _join((memory.query if memory.query != memory.value.content else "", said))


def date_words(when: date, beside: str = "") -> str:
    """Write a date in words, in Chinese where the text beside it is Chinese.

    Without the day of the week: all that was said on a Monday would else answer to "Monday".
    """
    if _HAN.search(beside):
        return f"{when.year}年{when.month}月{when.day}日"
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


def _meant_dates(text: str, said_at: datetime) -> str:
    """The relative dates of a text ("last Tuesday", 昨天) as dates; of a week or more the month."""
    words: list[str] = []
    for span in spans(text, said_at.date()):
        days = (span.last - span.first).days
        if days == 0:
            words.append(date_words(span.first, text))
        elif days > _LONGEST_MONTH:
            words.append(str(span.first.year))
        else:
            words.extend(_month_words(day, text) for day in (span.first, span.last))
    return "\n".join(dict.fromkeys(words))


def _month_words(day: date, beside: str) -> str:
    if _HAN.search(beside):
        return f"{day.year}年{day.month}月"
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _join(parts: tuple[str, ...]) -> str:
    return clean("\n".join(part for part in parts if part))
