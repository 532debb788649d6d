"""Whether a call plainly breaks a rule of the user: compared word by word, no model is asked.

A rule has what is to be avoided, or acts that are ruled out, or bounds, and may say where it holds,
what it is about and what is excepted. All of it must fit the call; a word in prose (a message, a
title) is talked of and not acted upon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture import (
    Limit,
    PreferenceFinding,
    limits_of,
    topics_of,
    unit_of,
    weekdays_in,
    weekdays_of,
    without_amounts,
)
from hindsight_core.gate.arguments import name_words, plain
from hindsight_core.gate.bounds import is_beyond
from hindsight_core.gate.calls import (
    CallView,
    Term,
    acts,
    anywhere,
    in_tool,
    terms_of_rule,
    view_of,
)
from hindsight_core.gate.places import Places
from hindsight_core.gate.ruling import is_time, own_condition, same_acts, things_and_acts
from hindsight_core.gate.settled import Settled
from hindsight_core.gate.values import is_denied, is_done, is_value
from hindsight_core.schema import Preference
from hindsight_core.text import is_cjk, keywords

__all__ = ["CallView", "Wish", "breaks", "is_elsewhere", "view_of"]

_ONLY: Final = re.compile(
    r"\b(?:only|always|no(?:where|thing|body| one|ne) else|no other|exclusively|every time|must)\b"
    r"|只|一律|都|必须|统一|总是|全部|仅"
)
_POINTING: Final = re.compile(r"\b(?:it|them) (?:to|in|into|on|via|by|with|under)\b|把(?:它|这)")
_FORMS: Final = 2
"""Forms that one word has: as it is written, and its stem."""
_NO_DAYS: Final = frozenset[int]()


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """A rule of the user as the gate compares it.

    `only` says that nothing else than what is wanted will do, `pointing` that what the act is done
    to was named before ("don't send it to all"). `tools` and `arguments` are those
    that it was said about.
    """

    memory_id: str
    avoid: tuple[Term, ...]
    want: tuple[Term, ...]
    excepted: tuple[Term, ...]
    places: Places
    limits: tuple[Limit, ...]
    weekdays: frozenset[int]
    keywords: tuple[str, ...]
    topic: tuple[Term, ...]
    subject: str
    slot: tuple[Term, ...]
    actions: tuple[Term, ...]
    condition: tuple[Term, ...]
    only: bool
    pointing: bool
    tools: frozenset[str]
    arguments: frozenset[str]
    settled: Settled | None
    of_times: bool

    @classmethod
    def read(
        cls,
        memory_id: str,
        finding: PreferenceFinding,
        known: Preference | None = None,
    ) -> Wish | None:
        """Take what a call may break from a statement; None where there is nothing of the kind.

        `known` is what was stored with it.
        """
        known = known or Preference(slot="")
        limits, settled = limits_of(finding.content), Settled.read(finding, known)
        if not (finding.avoid or finding.actions or finding.want or limits or settled):
            return None
        places = Places.read(finding)
        avoid, done = things_and_acts(places.without(finding.avoid), finding.actions)
        return cls(
            memory_id=memory_id,
            avoid=terms_of_rule(avoid, spelt=True),
            want=terms_of_rule(finding.want, spelt=True),
            excepted=terms_of_rule(finding.except_, within=True),
            places=places,
            limits=limits,
            keywords=_spoken_of(finding.content) if limits else (),
            weekdays=weekdays_of(finding.content) if finding.avoid or finding.actions else _NO_DAYS,
            topic=terms_of_rule(finding.topic),
            subject=finding.slot,
            slot=terms_of_rule([finding.slot] if not is_time(finding.slot) else ()),
            actions=terms_of_rule(same_acts([*finding.actions, *done])),
            condition=terms_of_rule(own_condition(finding)),
            only=_ONLY.search(plain(finding.content)) is not None,
            pointing=_POINTING.search(plain(finding.content)) is not None,
            tools=frozenset(known.tools),
            arguments=frozenset(known.arguments),
            settled=settled,
            of_times=bool(avoid) and all(map(is_time, avoid)),
        )


def _spoken_of(statement: str) -> tuple[str, ...]:
    """What a bound is about: the words of the rule but for the units."""
    return tuple(word for word in keywords(statement) if unit_of(word) is None)


def is_elsewhere(wish: Wish, call: CallView) -> bool:
    """Whether a rule says nothing of a call: another condition, place, day, thing, or excepted."""
    if wish.condition and not anywhere(wish.condition, call):
        return True
    if anywhere(wish.excepted, call) or any(_is_in_two(one.text, call) for one in wish.excepted):
        return True
    if wish.places.names and not wish.places.are_met(call):
        return True
    if wish.settled and wish.settled.is_elsewhere(
        call.tool, {one.name: one.text for one in call.arguments}, call.text
    ):
        return True
    return bool(wish.weekdays) and not wish.weekdays & weekdays_in(call.text)


def _is_in_two(term: str, call: CallView) -> bool:
    """Whether a call has a Chinese phrase in two: 孩子 and 发烧 of 孩子发烧."""
    cuts = ((term[:at], term[at:]) for at in range(2, len(term) - 1))
    return not term.isascii() and any(a in call.text and b in call.text for a, b in cuts)


def breaks(wish: Wish, call: CallView, kept: frozenset[str] = frozenset()) -> bool:
    """Whether a call does what a rule of the user rules out.

    `kept` are arguments, as `tool/name`, that are as a newer rule wants them.
    """
    if is_elsewhere(wish, call):
        return False
    if wish.limits:  # "no meetings before 10:00" is nothing against meetings
        return is_beyond(wish.limits, call, wish.keywords) and _is_about_the_subject(wish, call)
    if wish.places.are_touched(call):
        return True
    done = any(in_tool(term, call) or _commands(term, call) for term in wish.actions)
    free = not (wish.actions or wish.topic or wish.of_times)
    if any(is_done(term, wish.want, call) or _is_known(term, wish, call) for term in wish.avoid):
        if wish.pointing and not wish.places.names:
            return _is_about_the_subject(wish, call)
        return done or free or bool(wish.places.names) or _concerns(wish, call)
    if done and any(_is_argument(term, call) for term in wish.avoid):
        return True
    if done and (wish.places.names or not wish.avoid):
        return bool(wish.places.names) or not wish.topic or _concerns(wish, call)
    return is_denied(wish.want, call) or _replaced(wish, call, kept)


def _is_argument(term: Term, call: CallView) -> bool:
    """Whether an argument by its whole name says which of the things: `customer` of customers."""
    given = (name_words(one.name) for one in call.arguments if one.text not in ("", "false"))
    thing = term.tokens or {term.text}
    return not term.parts and any(thing <= words and len(words) <= _FORMS for words in given)


def _is_known(term: Term, wish: Wish, call: CallView) -> bool:
    """Whether an argument that the rule is about is most of what a phrase rules out: 配流行歌."""
    return any(
        f"{call.tool}/{one.name}" in wish.arguments
        and len(one.text) > 1
        and not one.text.isascii()
        and one.text in term.text
        and 2 * len(one.text) >= len(term.text)
        for one in call.arguments
    )


def _concerns(wish: Wish, call: CallView) -> bool:
    known = call.tool in wish.tools and not (wish.settled and wish.settled.narrows(call.tool))
    return known or anywhere((*wish.topic, *wish.slot), call)


def _is_about_the_subject(wish: Wish, call: CallView) -> bool:
    spoken = topics_of(without_amounts(call.text))
    named = anywhere((*wish.topic, *wish.slot), call) or wish.subject in spoken
    return named or (bool(wish.limits) and (call.tool in wish.tools or _is_named(wish, call)))


def _is_named(wish: Wish, call: CallView) -> bool:
    words = any(one in (call.text if is_cjk(one) else call.words) for one in wish.keywords)
    return words or anywhere((*wish.avoid, *wish.want), call)


def _commands(term: Term, call: CallView) -> bool:
    """Whether a value is the act, or what it is done with: 电话 of 打电话."""
    return any(
        term.tokens <= one.words if term.tokens else len(one.text) > 1 and one.text == term.text[1:]
        for one in call.arguments
        if acts(one)
    )


def _replaced(wish: Wish, call: CallView, kept: frozenset[str]) -> bool:
    """Whether an argument that was to be one thing only is another."""
    if not (wish.only and wish.want and wish.arguments):
        return False
    if not anywhere((*wish.topic, *wish.slot), call):
        return False
    return any(
        f"{call.tool}/{value.name}" in wish.arguments - kept
        and bool(value.text)
        and acts(value)
        and not any(is_value(term, value, call) for term in wish.want)
        for value in call.arguments
    )
