"""What a user's turn says of the work before it: a verdict, a correction, or a new request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight_core.capture.dialogue import cut, heard
from hindsight_core.han import simplified
from hindsight_core.text import count_cjk, fold

__all__ = ["asks_anew", "makes_it_the_way", "read_feedback"]

_CONSIDERED: Final = 240
"""Characters from the start; what comes later is mostly the next request."""
_SENTENCE: Final = re.compile(
    r"[^.!?。！？\n]*(?:[.!?。！？\n](?!\d)|$|(?<=\d)\.(?=\d)[^!?。！？\n]*)"
)
_QUOTED: Final = re.compile(
    r"\"[^\"]*\"|“[^”]*”|「[^」]*」|『[^』]*』|`[^`]*`|(?<![a-z0-9])'[^'\n]*'(?![a-z0-9])"
)
_FIRST: Final = 2
"""Sentences that are read: what comes later is mostly the next request."""
_ANSWER_WORDS: Final = 4
_ANSWER_SIGNS: Final = 10


def read_feedback(text: str) -> bool | None:
    """Return True for praise, False for complaint, None where the words tell neither.

    Complaint outweighs praise ("good code, wrong place"). Thanks inside a question or a new request
    are politeness, not a verdict; what is asked, supposed, quoted or told as a new request says
    nothing of what was done. Only the first sentences count.
    """
    good = False
    for sentence in _sentences(text):
        if heard("order_bad", sentence):
            return False
        supposed = heard("condition", sentence)
        if not supposed and heard("persists", sentence):
            return False
        rest = cut("negated", sentence)
        asked = heard("question", sentence) or heard("request", rest)
        if supposed or asked:
            good = good or (not supposed and _is_praise_beside(rest))
            break  # what follows belongs to it
        if heard("bad", rest):
            return False
        good = good or rest != sentence or heard("good", rest)
    return True if good or _sets_the_way(text) else None


def asks_anew(text: str) -> bool:
    """Whether a turn asks for something else, and does not correct, agree to or answer the last.

    What worked after it was for that, and is no fix of what failed before.
    """
    said = _own_words(text, _CONSIDERED * 2)
    if not said.strip() or (heard("correction", said) and not heard("moves_on", said)):
        return False
    if heard("persists", said) or heard("assent", said):
        return heard("moves_on", said)
    signs = count_cjk(said)
    return len(said.split()) > _ANSWER_WORDS or signs > _ANSWER_SIGNS or heard("moves_on", said)


def makes_it_the_way(text: str) -> bool:
    """Whether a turn makes what was just done the way for all later work of its kind."""
    return _sets_the_way(text) and read_feedback(text) is True


def _sets_the_way(text: str) -> bool:
    said = _own_words(text, _CONSIDERED)
    meant = heard("this_way", said) and heard("lasting", said)
    return meant and not heard("not_this_way", said)


def _sentences(text: str) -> Iterator[str]:
    said = _own_words(text, _CONSIDERED)
    found = (match[0].strip() for match in _SENTENCE.finditer(said))
    full = (one for one in found if one)
    for _, sentence in zip(range(_FIRST), full, strict=False):
        yield sentence


def _own_words(text: str, limit: int) -> str:
    """A text's beginning, folded, without quotes, apostrophes as the tables have them."""
    return _QUOTED.sub(" ", simplified(fold(text.strip()[:limit]))).replace("'", "’")


def _is_praise_beside(sentence: str) -> bool:
    """Whether a request or a question begins with praise that is more than politeness."""
    head = re.split(r"[,，;；:：]|\bnow\b|\bbut\b|但", cut("polite", sentence), maxsplit=1)[0]
    return heard("good", head) and not heard("request", head) and not sentence.endswith(("?", "？"))
