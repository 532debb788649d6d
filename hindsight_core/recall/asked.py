"""Cuts a message into the questions that it asks, so that each is searched for itself.

A question that leans on the one before it ("Who is Bo? Where does he live?") stays with it, and so
does whatever is said around a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.recall.question import Question, any_of, content_terms, question_words, tells
from hindsight_core.recall.rewriting import needs_turns
from hindsight_core.text import fold, terms

__all__ = ["MAX_QUESTIONS", "forget_questions", "questions"]

MAX_QUESTIONS: Final = 3
"""Questions of one message that are searched apart; each costs one query embedding."""
_SHORTEST: Final = 2
"""Terms that a part needs to be searched for itself."""
_READ: Final = 4_000
"""Signs in which questions are told apart; longer messages are texts that were pasted."""
_JOINTS: Final = 16
"""Places of a sentence at which a second clause is looked for."""
_MARK: Final = re.compile(r"(?<=[?？])(?![?？!！])\s*")
_ITEM: Final = re.compile(
    r"(?:[(（]|^|(?<=[\s.,;:?!。，；：？！]))(?P<n>[0-9]{1,2})[.)、．）](?![0-9])\s*"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    also: re.Pattern[str]
    really: re.Pattern[str]
    many: re.Pattern[str]
    joins: re.Pattern[str]
    asks: re.Pattern[str]
    begins: re.Pattern[str]
    idle: re.Pattern[str]


@lru_cache(maxsize=256)
def questions(message: str) -> tuple[Question, ...]:
    """Cut a message into the questions that it asks, at most `MAX_QUESTIONS`.

    A message turns to a second question with words such as "also," and 另外, with a second question
    mark, the next number of a list, or a second clause that asks; it takes back what it said before
    with "what I really want to ask is" and 我真正想问的是.
    """
    parts = [part for part in _words().also.split(message) if len(terms(part)) >= _SHORTEST]
    asked = [_meant(part) for part in parts]
    apart = [one for part in asked for one in _apart(part)]
    if len(apart) > MAX_QUESTIONS and len(apart) > len(asked):
        apart = [*apart[: MAX_QUESTIONS - 1], " ".join(apart[MAX_QUESTIONS - 1 :])]
    found = [_question(part) for part in apart[:MAX_QUESTIONS]]
    return tuple(found) if found else (_question(_meant(message)),)


def forget_questions() -> None:
    """Drop every message that was read: an erased one must not stay in memory."""
    questions.cache_clear()


def _meant(part: str) -> str:
    meant = _words().really.split(part)[-1]
    return (meant if len(terms(meant)) >= _SHORTEST else part).strip()


def _question(part: str) -> Question:
    many = _words().many.search(simplified(fold(part))) is not None
    return Question(text=part, terms=content_terms(part), many=many)


def _apart(message: str) -> list[str]:
    """The questions of a part without a word such as "also": by list, by marks, by clauses."""
    if len(message) > _READ:
        return [message]
    items = _listed(message)
    if items:
        return items
    starts = [0, *(mark.end() for mark in _MARK.finditer(message))]
    ends = [*starts[1:], len(message)]
    spans = [
        span
        for start, end in zip(starts, ends, strict=True)
        for span in _clauses(message, start, end)
    ]
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        part = message[start:end]
        if kept and (_leans(part) or _says_little(message[slice(*kept[-1])])):
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return [part for start, end in kept if (part := message[start:end].strip())] or [message]


def _listed(message: str) -> list[str]:
    """The items of a list that is numbered from 1, each after what it needs of what is before."""
    marks = list(_ITEM.finditer(message))
    if len(marks) < _SHORTEST or [int(one["n"]) for one in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(message)]
    items = [message[one.end() : end].strip() for one, end in zip(marks, ends, strict=True)]
    if any(_says_little(item) for item in items):
        return []
    head = message[: marks[0].start()].strip()
    return [f"{head} {item}" if head and needs_turns(item) else item for item in items]


def _clauses(message: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence, cut where a second clause asks for something of its own."""
    asks = _words().asks
    cut: list[tuple[int, int]] = []
    for joint in islice(_words().joins.finditer(message, start, end), _JOINTS):
        before, after = message[start : joint.start()], message[joint.end() : end]
        both = all(asks.search(simplified(fold(part))) for part in (before, after))
        if both and len(content_terms(after)) >= _SHORTEST:  # "and how much?" is about the same
            cut.append((start, joint.start()))
            start = joint.end()
    return [*cut, (start, end)]


def _says_little(part: str) -> bool:
    """Whether nothing in a part can be searched for: it greets, or asks for help."""
    return not tells(_words().idle.sub(" ", simplified(fold(part))))


def _leans(part: str) -> bool:
    """Whether a part is no question, or none without the one before it."""
    words, plain = _words(), simplified(fold(part))
    asks = words.asks.search(plain) or plain.rstrip().endswith("?")
    if not asks or _says_little(part):
        return True
    begun = words.begins.match(plain)
    return needs_turns(part[begun.end() :] if begun else part)


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = question_words()

    def of(name: str) -> re.Pattern[str]:
        return any_of(pattern for language in table.values() for pattern in language[name])

    return _Words(
        also=of("also"),
        really=of("really"),
        many=of("many"),
        joins=of("joins"),
        asks=of("asks"),
        begins=of("begins"),
        idle=of("idle"),
    )
