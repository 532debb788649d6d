"""The signs of an attack that the content scorer weighs: few, each sharp, and named.

A cue is a meeting of concepts in one sentence, or a property of the whole text. None of them knows
a language or an attack's wording; words are in the lexicons. Because a cue says what an attack does
(lift the rules, speak to the machine, ask for what is not the asker's), what was learnt on one kind
of attack carries over to another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight_core.guard.reading import Reading
from hindsight_core.guard.rules import Gravity, Rule, judge_text, meets, role_markers

__all__ = ["BLUNT", "REPLY", "SHARP", "cues"]


def _cue(name: str, *needs: str, span: int = 12, ordered: bool = False) -> Rule:
    return Rule(reason=name, needs=needs, span=span, ordered=ordered)


SHARP: Final[tuple[Rule, ...]] = (
    _cue("lifts the instructions", "dismiss", "prior", span=7, ordered=True),
    _cue("may not refuse", "unrefusing"),
    _cue("another self without law", "persona", "lawless", span=40),
    _cue("asks for a secret", "request", "their_secret", span=9),
    _cue("asks for the prompt", "request", "prompt_leak", span=9),
    _cue("claims a rank to get a secret", "rank", "their_secret", span=40),
    _cue("claims a rank to get data", "rank", "their_data", span=40),
    _cue("speaks to machines of their reply", "address_ai", "output", span=30),
    _cue("speaks to machines to act", "address_ai", "act", span=14, ordered=True),
    _cue("has it settled", "concluded"),
    _cue("orders words and lifts", "dismiss", "speak", span=16),
    _cue("asks to decode and obey", "decode"),
    _cue("splits or encodes", "splitting"),
    _cue("waits for a trigger", "dormant", "trigger", span=30),
)
"""What an honest text hardly ever does: one of these is enough to look twice."""
BLUNT: Final[tuple[Rule, ...]] = (
    _cue("lifts instructions of some kind", "dismiss", "instructions", span=8),
    _cue("knows no law", "lawless"),
    _cue("gives another self", "persona"),
    _cue("orders words", "speak"),
    _cue("asks for a person's data", "request", "their_data", span=9),
    _cue("claims a rank", "rank"),
    _cue("speaks to machines", "address_ai"),
    _cue("hastens", "urgent", "act", span=6, ordered=True),
    _cue("sends what is private out", "send", "personal", "outside", span=16),
    _cue("acts covertly", "covert"),
    _cue("drops a check", "drop", "check", span=6),
)
"""What adds up: honest texts do some of it, attacks a lot of it."""
REPLY: Final[tuple[Rule, ...]] = (
    _cue("changes the reply", "alter", "output", span=40),
    _cue("changes the letters", "alter", "spelling", span=10, ordered=True),
)
"""What a user may ask of the reply, and nobody else."""
_BEGINNINGS: Final = ("make", "act", "ask")
_OF_A_PERSON: Final = frozenset({"i", "courtesy", "trade", "mail"})
_ADDRESSES: Final = frozenset({"<mail>", "<url>", "<host>", "<wallet>"})
_LEAD_IN_WORDS: Final = "please 请 just also then now and todo to do instead after"
_LEAD_IN: Final = frozenset(_LEAD_IN_WORDS.split())
_COMMENT: Final = re.compile(
    r"<!--\s*(?:[^\s>]+\s+){5}|\balt=[\"'](?:[^\s\"'>]+\s+){5}"
    r"|[:;{})>]\s*\n\s*(?:#|//)\s*(?:\S+ +){4}"
)
_MARKED: Final = re.compile(
    r"\W{0,6}(?:system|important|admin|todo|notice|attention|override|重要|系统|紧急)",
    re.IGNORECASE,
)
_ALL: Final = (*SHARP, *BLUNT, *REPLY)
_OPENING: Final = 200
_COUNTED: Final = (2, 4, 8)


def cues(reading: Reading, channel: str) -> set[str]:
    """The cues of a text that came over a channel ("tool", "user" …).

    How a text is put means one thing of a user and another of a tool, so manners are named with
    their channel; what it does is the same everywhere.
    """
    manners = {f"{channel}: {manner}" for manner in _manners(reading)}
    return {channel, *_deeds(reading), *_disguise(reading), *manners}


def _deeds(reading: Reading) -> Iterator[str]:
    sharp = blunt = directives = 0
    for sentence in reading.sentences.values():
        met = [rule.reason for rule in SHARP if meets(rule, sentence)]
        hints = [rule.reason for rule in BLUNT if meets(rule, sentence)]
        yield from met
        yield from hints
        sharp += bool(met)
        blunt += bool(hints)
        directives += "directive" in sentence
    for name, count in (("sharp", sharp), ("blunt", blunt), ("directive", directives)):
        for least in _COUNTED:
            if count >= least:
                yield f"{name} sentences {least}"
    if _MARKED.match(reading.plain):
        yield "marked as an announcement"
    if role_markers(reading.plain):
        yield "role markers"
    if _COMMENT.search(reading.plain):
        yield "comment"
    # Long texts repeat words by nature; only the beginning is compared.
    words = reading.tokens.words[:_OPENING]
    if len(words) > 30 and len(set(words)) * 15 < len(words):
        yield "repeats itself"


def _manners(reading: Reading) -> Iterator[str]:
    concepts = {name for sentence in reading.sentences.values() for name in sentence}
    if not concepts & _OF_A_PERSON:
        opening = _opening(reading)
        for name in opening:
            yield f"begins impersonally with {name}"
        if "act" in opening and not _ADDRESSES.isdisjoint(reading.tokens.words):
            yield "acts on an address"
    for rule in REPLY:
        if any(meets(rule, sentence) for sentence in reading.sentences.values()):
            yield rule.reason


def _disguise(reading: Reading) -> Iterator[str]:
    for trick in reading.tricks:
        yield f"trick {trick}"
    for hidden in reading.hidden:
        grave = [finding.gravity for finding in judge_text(hidden)]
        met = any(meets(rule, s) for s in hidden.sentences.values() for rule in _ALL)
        if Gravity.REFUSE in grave or met:
            yield "hides an order"


def _opening(reading: Reading) -> list[str]:
    """The kinds of request that the text's first telling word can be."""
    words, numbers = reading.tokens.words, reading.tokens.sentence
    for index, word in enumerate(words):
        if word[0].isalnum() and word not in _LEAD_IN:
            sentence = reading.sentences.get(numbers[index], {})
            return [
                name
                for name in _BEGINNINGS
                if any(hit.start == index for hit in sentence.get(name, ()))
            ]
    return []
