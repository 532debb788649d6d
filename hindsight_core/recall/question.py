"""What a message asks: its separate questions, and the words of each that can find something."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.stem import stem
from hindsight_core.text import fold, terms

__all__ = ["MAX_QUESTIONS", "Question", "content_terms", "forget_questions", "questions"]

MAX_QUESTIONS: Final = 3
"""Questions of one message that are searched apart; each costs one query embedding."""
_SHORTEST: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One thing that is asked: its text for the embedder, its terms for the text index.

    `many` says that it asks for all that are alike, to count or to list them.
    """

    text: str
    terms: tuple[str, ...]
    many: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    asking: frozenset[str]
    asking_zh: re.Pattern[str]
    also: re.Pattern[str]
    really: re.Pattern[str]
    many: re.Pattern[str]


@lru_cache(maxsize=256)
def questions(message: str) -> tuple[Question, ...]:
    """Cut a message into the questions that it asks, at most `MAX_QUESTIONS`.

    A message turns to a second question with words such as "also," and 另外, and takes back what
    it said before with "what I really want to ask is" and 我真正想问的是.
    """
    parts = [part for part in _words().also.split(message) if len(terms(part)) >= _SHORTEST]
    found = [_asked(part) for part in parts[:MAX_QUESTIONS]]
    return tuple(found) if found else (_asked(message),)


@lru_cache(maxsize=2_048)
def content_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a text that tell one memory from another, in their order.

    Question words and particles are left out, unless nothing else is there. Chinese is cut at
    them, so that no bigram reaches across.
    """
    words = _words()
    plain = words.asking_zh.sub(" ", simplified(fold(text)))
    telling = dict.fromkeys(term for term in terms(plain) if term not in words.asking)
    return tuple(telling or dict.fromkeys(terms(text)))


def forget_questions() -> None:
    """Drop every text that was read: an erased one must not stay in memory."""
    questions.cache_clear()
    content_terms.cache_clear()


def _asked(part: str) -> Question:
    meant = _words().really.split(part)[-1]
    part = (meant if len(terms(meant)) >= _SHORTEST else part).strip()
    many = _words().many.search(simplified(fold(part))) is not None
    return Question(text=part, terms=content_terms(part), many=many)


@lru_cache(maxsize=1)
def _words() -> _Words:
    source = files("hindsight_core.recall").joinpath("question_words.toml")
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    english, chinese = table["en"]["asking"].split(), table["zh"]["asking"].split()
    longest_first = sorted(chinese, key=len, reverse=True)
    return _Words(
        asking=frozenset(english) | frozenset(stem(word) for word in english),
        asking_zh=re.compile("|".join(longest_first)),
        also=_any_of(pattern for language in table.values() for pattern in language["also"]),
        really=_any_of(pattern for language in table.values() for pattern in language["really"]),
        many=_any_of(pattern for language in table.values() for pattern in language["many"]),
    )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)
