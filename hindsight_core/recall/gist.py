"""The one line of a memory: the sentences that matter for a question, and all of those that bind.

A query-biased extract (Tombros and Sanderson, "Advantages of query biased summaries in information
retrieval", SIGIR 1998). Nothing is rewritten: sentences are kept or left out as a whole, and one
that forbids, demands, limits or excepts is never left out. A very long one is cut between clauses
where another memory is nearer to the question.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from hindsight_core.han import simplified
from hindsight_core.recall.question import content_terms
from hindsight_core.recall.tokens import count_tokens
from hindsight_core.schema import Kind, Memory, Source
from hindsight_core.text import fold

__all__ = ["GAP", "LINE_TOKENS", "covered", "gist"]

GAP: Final = "…"
"""Stands where something of a text was left out."""
LINE_TOKENS: Final = 24
"""Tokens that a line aims at; the sentence that fits best and those that bind may exceed it."""
_LONG: Final = 1.5
"""Times the length of a line from which a sentence is cut between its clauses."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])(?![。！？；])|\n+|\s+(?=\[)")
_CLAUSE: Final = re.compile(r"(?<=[,;:])\s+|(?<=[，；：、])")
_PART: Final = re.compile(r"(?<=; )|(?<=；)")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    binding: re.Pattern[str]
    goes_on: re.Pattern[str]
    small_talk: re.Pattern[str]


def covered(text: str, question: str) -> int:
    """How many words of a question a text has."""
    return len(set(content_terms(question)).intersection(content_terms(text)))


def gist(
    memory: Memory,
    text: str,
    question: str,
    *,
    limit: int = LINE_TOKENS,
    leads: bool = True,
) -> str:
    """Return the line of a memory whose whole text is `text`, about `limit` tokens long.

    A text that `leads` is cut between its sentences alone: it is the likeliest to hold the answer.
    A rule of the user or the operator stays whole. What has an intent and a resolution is told by
    them. Of a lesson the list of calls that failed is cut to those that the question is about; what
    happened and what helps stay. `GAP` marks each place where something is missing, so a line
    without one is the whole text.
    """
    if count_tokens(text) <= limit or _is_rule(memory):
        return text
    asked = frozenset(content_terms(question))
    lesson, value = memory.lesson, memory.value
    if lesson is not None and lesson.mistake.action in text:
        return _with_fewer_calls(lesson.mistake.action, text, asked, limit)
    sentences = [part.strip() for part in _SENTENCE.split(text) if part.strip()]
    kept = _binding(sentences)
    if lesson is None and value.intent and value.resolution:
        led = [f"{value.intent} → {value.resolution}"]
        led += [sentences[n] for n in sorted(kept) if sentences[n] not in led[0]]
        line = " ".join((*led, GAP))
        return line if count_tokens(line) < count_tokens(text) else text
    kept |= {n for n, one in enumerate(sentences) if one in value.correction}
    room = limit - sum(count_tokens(sentences[n]) for n in kept)
    for n in _by_use(sentences, asked):
        size = count_tokens(sentences[n])
        if n not in kept and (not kept or size <= room):
            kept.add(n)
            room -= size
            if not leads and size > limit * _LONG:
                sentences[n] = _clauses(sentences[n], asked, limit)
    return _joined(sentences, kept)


def _clauses(sentence: str, asked: frozenset[str], limit: int) -> str:
    """A sentence in those of its clauses that fit into a line, what is asked about first."""
    clauses = [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]
    kept: set[int] = set()
    for n in _by_use(clauses, asked):
        size = count_tokens(clauses[n])
        if not kept or size <= limit:
            kept.add(n)
            limit -= size
    return _joined(clauses, kept)


def _is_rule(memory: Memory) -> bool:
    return memory.kind is Kind.PREFERENCE or memory.source is Source.OPERATOR


def _binding(sentences: Sequence[str]) -> set[int]:
    """The sentences that bind, and those before and after which belong to them."""
    words = _words()
    plain = [simplified(fold(sentence)) for sentence in sentences]
    goes_on = [words.goes_on.match(sentence) is not None for sentence in plain]
    kept: set[int] = set()
    for n, sentence in enumerate(plain):
        if not words.binding.search(sentence):
            continue
        kept.add(n)
        before, after = n, n + 1
        while before and goes_on[before]:
            before -= 1
            kept.add(before)
        while after < len(plain) and goes_on[after]:
            kept.add(after)
            after += 1
    return kept


def _by_use(sentences: Sequence[str], asked: frozenset[str]) -> list[int]:
    """The numbers of the sentences: first what has most of the question, then what tells most."""
    talk = _words().small_talk

    def use(n: int) -> tuple[int, int, int]:
        telling = content_terms(sentences[n])
        idle = talk.match(fold(sentences[n])) is not None or sentences[n].endswith(("?", "？"))
        return (-len(asked.intersection(telling)), int(idle), -len(telling))

    return sorted(range(len(sentences)), key=use)


def _joined(sentences: Sequence[str], kept: set[int]) -> str:
    pieces: list[str] = []
    for n, sentence in enumerate(sentences):
        if n in kept:
            pieces.append(sentence)
        elif not pieces or pieces[-1] != GAP:
            pieces.append(GAP)
    return " ".join(pieces)


def _with_fewer_calls(listed: str, text: str, asked: frozenset[str], limit: int) -> str:
    """A lesson with its list of failed calls cut; the newest, which come last, stay first."""
    parts = _PART.split(listed)
    if len(parts) == 1:
        return text
    newest_first = sorted(
        range(len(parts)),
        key=lambda n: (-len(asked.intersection(content_terms(parts[n]))), -n),
    )
    room = limit - count_tokens(text) + count_tokens(listed)
    kept: set[int] = set()
    for n in newest_first:
        size = count_tokens(parts[n])
        if kept and size > room:
            break
        kept.add(n)
        room -= size
    fewer = _joined([part.strip() for part in parts], kept)
    return text.replace(listed, fewer, 1)


@lru_cache(maxsize=1)
def _words() -> _Words:
    source = files("hindsight_core.recall").joinpath("gist_words.toml")
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    return _Words(
        binding=_any_of(pattern for language in table.values() for pattern in language["binding"]),
        goes_on=_any_of(pattern for language in table.values() for pattern in language["goes_on"]),
        small_talk=_any_of(
            pattern for language in table.values() for pattern in language["small_talk"]
        ),
    )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns))
