"""Makes a message self-contained: "and for Berlin?" is a question only after the turn before it.

By rules: a message that shows no sign of needing earlier turns is left as it is, so that what was a
good query stays one. A name takes the place of the last one of its kind, where there is one; else
the question that is gone on with is put before the message.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from hindsight_core.han import simplified
from hindsight_core.recall.question import content_terms
from hindsight_core.text import fold, is_cjk, shorten

__all__ = ["Turn", "needs_turns", "self_contained"]

_LITTLE: Final = 3.0
"""Words of its own from which a message can do without earlier turns; a bigram is half a word."""
_MUCH: Final = 9.0
"""From so many on, not even a plain reference to earlier turns makes it need them."""
_MOST_TURNS: Final = 2
_MOST_SIGNS: Final = 300
_ANSWER_SIGNS: Final = 160
_NAME: Final = r"((?!I\b)[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What was said in a conversation, by the user or by the agent."""

    text: str
    by_user: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    refers: re.Pattern[str]
    points: re.Pattern[str]
    goes_on: re.Pattern[str]
    bare: re.Pattern[str]
    times: re.Pattern[str]
    slot: re.Pattern[str]


def needs_turns(message: str) -> bool:
    """Whether a message seems not to be understood without the turns before it."""
    words, plain = _words(), simplified(fold(message)).strip()
    if words.bare.match(plain):
        return True
    own = _weight(message)
    if own <= _LITTLE and (words.points.search(plain) or words.goes_on.search(plain)):
        return True
    return own <= _MUCH and words.refers.search(plain) is not None


def self_contained(message: str, turns: Sequence[Turn]) -> str:
    """Return the message as a query of its own; `turns` came before it, oldest first."""
    if not turns or not needs_turns(message):
        return message
    gone_on = _taken_up([turn.text for turn in turns if turn.by_user])
    answer = turns[-1].text if not turns[-1].by_user else ""
    plain = simplified(fold(message)).strip()
    refers = _words().refers.search(plain) is not None
    if not refers:
        gone_on = gone_on[-1:]
        goes_on = _words().goes_on.match(plain) is not None
        if gone_on and goes_on and (exchanged := _exchanged(message, gone_on[0])):
            return exchanged
    told = [shorten(text.strip(), _MOST_SIGNS) for text in gone_on]
    if answer and (refers or not told):
        told.append(shorten(answer.strip(), _ANSWER_SIGNS))
    return "\n".join((*told, message.strip()))


def _taken_up(said: Sequence[str]) -> list[str]:
    """The user's last turns that say something, each already made self-contained by the former."""
    found: list[str] = []
    for text in said:
        if _words().bare.match(simplified(fold(text)).strip()):
            continue
        if found and needs_turns(text):
            text = _exchanged(text, found[-1]) or f"{found.pop()} {text}"
        found.append(text)
    return found[-_MOST_TURNS:]


def _exchanged(message: str, question: str) -> str:
    """The question with the message's name in the place of its last one of that kind, else ""."""
    slot, times = _words().slot, _words().times
    body = message.strip().partition(" ")[2]
    names = [match[2] for match in slot.finditer(body)] or re.findall(_NAME, body)
    if len(names) != 1:
        return ""
    new = names[0]
    word = next((match[1].lower() for match in slot.finditer(body)), "")
    is_time = times.fullmatch(fold(new)) is not None
    old = [
        match
        for match in slot.finditer(question)
        if (times.fullmatch(fold(match[2])) is not None) == is_time
    ]
    if not old or _weight(message) > _LITTLE:
        return ""
    chosen = next((match for match in old if match[1].lower() == word), old[-1])
    return question[: chosen.start(2)] + new + question[chosen.end(2) :]


def _weight(text: str) -> float:
    words = _words()
    left = words.goes_on.sub(" ", words.points.sub(" ", simplified(fold(text))))
    if not left.strip(" ?？!！.。,，"):
        return 0.0
    return sum(0.5 if is_cjk(term[0]) else 1.0 for term in content_terms(left))


@lru_cache(maxsize=1)
def _words() -> _Words:
    source = files("hindsight_core.recall").joinpath("rewriting_words.toml")
    table: Mapping[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))

    def any_of(name: str) -> re.Pattern[str]:
        return re.compile("|".join(one for language in table.values() for one in language[name]))

    before = "|".join(language["places_of"] for language in table.values())
    return _Words(
        refers=any_of("refers"),
        points=any_of("points"),
        goes_on=any_of("goes_on"),
        bare=any_of("bare"),
        times=re.compile("|".join(language["times"] for language in table.values())),
        slot=re.compile(rf"\b((?i:{before}))\s+{_NAME}"),
    )
