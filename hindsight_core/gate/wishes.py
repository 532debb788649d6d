"""Whether a call plainly breaks a rule of the user: compared word by word, no model is asked.

A rule has what is to be avoided, or acts that are ruled out, or bounds, and may say where it holds,
what it is about and what is excepted. All of it must fit the call; a word in prose (a message, a
title) is talked of and not acted upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
from hindsight_core.gate._rule_words import ANY_ACT, ANY_THING, SAME_ACTS
from hindsight_core.gate.arguments import Argument, name_words, plain
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
from hindsight_core.text import is_cjk, keywords

__all__ = ["CallView", "Wish", "breaks", "view_of"]

_NEGATIONS: Final = ("un{}", "in{}", "non{}", "non-{}", "not {}", "no {}", "不{}", "无{}", "非{}")
_ONLY: Final = re.compile(
    r"\b(?:only|always|nowhere else|nothing else|no other|exclusively|every time|must)\b"
    r"|只|一律|都|必须|统一|总是|全部|仅"
)
_POINTING: Final = re.compile(r"\b(?:it|them) (?:to|in|into|on|via|by|with|under)\b|把(?:它|这)")
_NO_DAYS: Final = frozenset[int]()
_SPOKEN_HAN: Final = 3
"""So many signs of a term in Chinese are no chance, even in prose."""


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

    @classmethod
    def read(
        cls,
        memory_id: str,
        finding: PreferenceFinding,
        *,
        tools: Iterable[str] = (),
        arguments: Iterable[str] = (),
    ) -> Wish | None:
        """Take what a call may break from a statement; None where there is nothing of the kind."""
        limits = limits_of(finding.content)
        if not (finding.avoid or finding.actions or finding.want or limits):
            return None
        places = Places.read(finding)
        avoid, done = _things_and_acts(places.without(finding.avoid))
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
            slot=terms_of_rule([finding.slot] if finding.slot else ()),
            actions=terms_of_rule(_same_acts([*finding.actions, *done])),
            condition=terms_of_rule(_own_condition(finding)),
            only=_ONLY.search(plain(finding.content)) is not None,
            pointing=_POINTING.search(plain(finding.content)) is not None,
            tools=frozenset(tools),
            arguments=frozenset(arguments),
        )


def _spoken_of(statement: str) -> tuple[str, ...]:
    """What a bound is about: the words of the rule but for the units."""
    return tuple(word for word in keywords(statement) if unit_of(word) is None)


def _things_and_acts(avoided: Iterable[str]) -> tuple[list[str], list[str]]:
    """Part what is to be avoided from what is not to be done: 重启 is an act."""
    acts_known = frozenset[str]().union(*SAME_ACTS)
    things: list[str] = []
    done: list[str] = []
    for one in avoided:
        if one in acts_known:
            done.append(one)
        elif plain(one) not in ANY_THING:
            things.append(one)
    return things, done


def _same_acts(named: Iterable[str]) -> list[str]:
    done = [act for act in named if act not in ANY_ACT]
    others = [other for act in done for group in SAME_ACTS if act in group for other in group]
    return [*done, *others]


def _own_condition(finding: PreferenceFinding) -> list[str]:
    """The rule's condition; one that is said after the exception belongs to that."""
    excepted = [finding.content.lower().find(term) for term in finding.except_]
    at = finding.content.lower().find(finding.condition)
    foreign = not finding.condition or any(0 <= place < at for place in excepted)
    return [] if foreign else [finding.condition]


def breaks(wish: Wish, call: CallView) -> bool:
    """Whether a call does what a rule of the user rules out."""
    if wish.condition and not anywhere(wish.condition, call):
        return False
    if anywhere(wish.excepted, call):
        return False
    if wish.places.names and not wish.places.are_met(call):
        return False
    if wish.weekdays and not wish.weekdays & weekdays_in(call.text):
        return False
    if wish.limits:  # "no meetings before 10:00" is nothing against meetings
        return is_beyond(wish.limits, call) and _is_about_the_subject(wish, call)
    if wish.places.are_touched(call):
        return True
    done = any(in_tool(term, call) or _commands(term, call) for term in wish.actions)
    free = not (wish.actions or wish.topic)
    if any(_done(term, wish.want, call) for term in wish.avoid):
        if wish.pointing and not wish.places.names:
            return _is_about_the_subject(wish, call)
        return done or free or bool(wish.places.names) or _concerns(wish, call)
    if done and (wish.places.names or not wish.avoid):
        return bool(wish.places.names) or not wish.topic or _concerns(wish, call)
    return _denied(wish.want, call) or _replaced(wish, call)


def _concerns(wish: Wish, call: CallView) -> bool:
    return call.tool in wish.tools or anywhere((*wish.topic, *wish.slot), call)


def _is_about_the_subject(wish: Wish, call: CallView) -> bool:
    spoken = topics_of(without_amounts(call.text))
    named = anywhere((*wish.topic, *wish.slot), call) or wish.subject in spoken
    return named or (bool(wish.limits) and (call.tool in wish.tools or _is_named(wish, call)))


def _is_named(wish: Wish, call: CallView) -> bool:
    words = any(one in (call.text if is_cjk(one) else call.words) for one in wish.keywords)
    return words or anywhere((*wish.avoid, *wish.want), call)


def _commands(term: Term, call: CallView) -> bool:
    return any(term.tokens and term.tokens <= one.words for one in call.arguments if acts(one))


def _done(term: Term, want: Sequence[Term], call: CallView) -> bool:
    """Whether a value, or the tool itself, is what is to be avoided."""
    if in_tool(term, call):
        return True
    for one in call.arguments:
        held = any(term.text in w.text and w.text in one.text for w in want if w.text != term.text)
        if not held and _is(term, one, call):
            return True
    return False


def _is(term: Term, value: Argument, call: CallView) -> bool:
    if value.format == "bool":
        return _said_by_switch(term, value)
    if not acts(value):
        if term.tokens:
            return len(term.tokens) > 1 and term.text in value.text
        return len(term.text) >= _SPOKEN_HAN and term.text in value.text
    if term.tokens:
        around = value.words | name_words(value.name) | call.tool_words
        return term.tokens <= around and bool(term.tokens & value.words)
    return _covered(term.text, value.text, f"{plain(value.name)} {call.tool_text}")


def _covered(term: str, value: str, around: str) -> bool:
    """Whether a Chinese term is in a value, or is cut in two between it and the name of it."""
    if term in value and (len(term) > 1 or term == value):
        return True
    cuts = ((term[:at], term[at:]) for at in range(2, len(term) - 1))
    return any((a in value and b in around) or (b in value and a in around) for a, b in cuts)


def _said_by_switch(term: Term, value: Argument) -> bool:
    names = name_words(value.name)
    if value.text == "true":
        return bool(term.tokens) and term.tokens <= names
    said = {form.format(name) for name in names for form in _NEGATIONS}
    return term.text in said or bool(term.tokens and term.tokens & said)


def _denied(want: Sequence[Term], call: CallView) -> bool:
    """Whether what is wanted is switched off."""
    return any(
        term.tokens and value.format == "bool" and value.text == "false" and term.tokens <= names
        for value in call.arguments
        for names in (name_words(value.name),)
        for term in want
    )


def _replaced(wish: Wish, call: CallView) -> bool:
    """Whether an argument that was to be one thing only is another."""
    if not (wish.only and wish.want and wish.arguments):
        return False
    if not anywhere((*wish.topic, *wish.slot), call):
        return False
    return any(
        f"{call.tool}/{value.name}" in wish.arguments
        and bool(value.text)
        and acts(value)
        and not any(_is(term, value, call) for term in wish.want)
        for value in call.arguments
    )
