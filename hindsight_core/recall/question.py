"""What a question is: its text, and those of its words that can find something."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from hindsight_core.stem import stem
from hindsight_core.text import searched, terms

__all__ = ["Question", "any_of", "content_terms", "forget_terms", "question_words", "tells"]


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


@lru_cache(maxsize=2_048)
def content_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a text that tell one memory from another, in their order.

    Question words and particles are left out, unless nothing else is there. Chinese is cut at
    them, so that no bigram reaches across.
    """
    words = _words()
    plain = words.asking_zh.sub(" ", searched(text))
    telling = dict.fromkeys(term for term in terms(plain) if term not in words.asking)
    return tuple(telling or dict.fromkeys(terms(text)))


def tells(text: str) -> bool:
    """Whether a text has a term that tells one memory from another."""
    words = _words()
    plain = words.asking_zh.sub(" ", searched(text))
    return any(term not in words.asking for term in terms(plain))


def forget_terms() -> None:
    """Drop every text that was read: an erased one must not stay in memory."""
    content_terms.cache_clear()


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = question_words()
    english, chinese = table["en"]["asking"].split(), table["zh"]["asking"].split()
    longest_first = sorted(chinese, key=len, reverse=True)
    return _Words(
        asking=frozenset(english) | frozenset(stem(word) for word in english),
        asking_zh=re.compile("|".join(longest_first)),
    )


def question_words() -> dict[str, Any]:
    """The table of the words of questions, by language."""
    source = files("hindsight_core.recall").joinpath("question_words.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One pattern that matches where any of these does, in either case."""
    return re.compile("|".join(patterns), re.IGNORECASE)
