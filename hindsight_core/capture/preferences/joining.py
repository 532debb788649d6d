"""Which neighbouring sentences belong to a statement, so that it is understood by itself.

"Never push to main. Except for hotfixes." is one statement, and so is "You keep giving me curl
examples. HTTPie is what I have." Only sentences of one line are joined: each item of a list is a
statement of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from hindsight_core.capture.preferences.features import compiled, language_of
from hindsight_core.capture.preferences.score import Judged

__all__ = ["MAX_STATEMENT", "clauses_of", "statements"]

MAX_STATEMENT: Final = 600
"""Longest statement in characters; sentences that would make it longer are left out."""
_SHORT_WORDS: Final = 3
_SHORT_CHARACTERS: Final = 6


@lru_cache(maxsize=16)
def _joints(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    language = compiled(code).language
    return re.compile(language.joins_back), re.compile(language.joins_on)


def _needs_the_one_before(one: Judged, previous: Judged) -> bool:
    language = compiled(one.code).language
    grounded = previous.classes & language.grounds and not previous.classes & language.breaks_off
    return bool(grounded or _joints(one.code)[0].search(one.folded))


def _carries_on(one: Judged) -> bool:
    language = compiled(one.code).language
    if one.classes & language.breaks_off:
        return False
    short = (
        len(one.folded.split()) <= _SHORT_WORDS
        if language.spaced
        else len(one.folded) <= _SHORT_CHARACTERS
    )
    return bool(
        short or one.classes & language.carries_on or _joints(one.code)[1].search(one.folded)
    )


def statements(judged: Sequence[Judged]) -> list[list[Judged]]:
    """Return the statements of a text, each as its sentences in their order.

    A statement begins with a sentence whose probability reaches its threshold, or with the sentence
    before it where that is needed to understand it.
    """
    groups: list[list[Judged]] = []
    used = -1
    for at, one in enumerate(judged):
        if at <= used or one.probability < one.threshold:
            continue
        group = [one]
        size = len(one.sentence.raw)
        if at - 1 > used and judged[at - 1].sentence.line == one.sentence.line:
            previous = judged[at - 1]
            longer = size + len(previous.sentence.raw)
            if longer <= MAX_STATEMENT and _needs_the_one_before(one, previous):
                group.insert(0, previous)
                size = longer
        used = at
        for following in judged[at + 1 :]:
            size += len(following.sentence.raw)
            if (
                following.sentence.line != one.sentence.line
                or size > MAX_STATEMENT
                or not _carries_on(following)
            ):
                break
            group.append(following)
            used += 1
        groups.append(group)
    return groups


@lru_cache(maxsize=4)
def _restarts(code: str) -> re.Pattern[str]:
    return re.compile(compiled(code).language.restarts, re.IGNORECASE)


def clauses_of(content: str) -> list[str]:
    """Cut a statement where it begins anew: "my name is Ana | I live in Lisbon"."""
    code = language_of(content)
    if not code:
        return [content]
    cuts = list(_restarts(code).finditer(content))
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(content)]
    return [content[a:b].strip() for a, b in zip(starts, ends, strict=True)]
