"""Whether a value of a call is what a term of a rule names, word by word or by its code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hindsight_core.capture import codes_of
from hindsight_core.gate._rule_words import ARTICLES, EMPTY
from hindsight_core.gate.arguments import Argument, name_words, plain
from hindsight_core.gate.calls import CallView, Term, acts, in_tool

__all__ = ["is_denied", "is_done", "is_value"]

_NEGATIONS: Final = ("un{}", "in{}", "non{}", "non-{}", "not {}", "no {}", "不{}", "无{}", "非{}")
_PARTS: Final = re.compile(r"[a-z]+")
_PART: Final = 4
_FEW: Final = 3
_SPOKEN_HAN: Final = 3
"""So many signs of a term in Chinese are no chance, even in prose."""


def is_done(term: Term, want: Sequence[Term], call: CallView) -> bool:
    """Whether a value, or the tool itself, is what is to be avoided."""
    if term.parts:
        return _is_joint(term, call)
    if in_tool(term, call):
        return True
    for one in call.arguments:
        held = any(term.text in w.text and w.text in one.text for w in want if w.text != term.text)
        if not held and is_value(term, one, call):
            return True
    return False


def _is_joint(term: Term, call: CallView) -> bool:
    """Whether one argument holds all the things that are not to come together."""
    held: dict[str, str] = {}
    for one in call.arguments:
        if acts(one):
            held[one.name] = f"{held.get(one.name, '')} {one.text}"
    return any(
        all(
            part.tokens <= name_words(text) if part.tokens else part.text in text
            for part in term.parts
        )
        for text in held.values()
    )


def is_value(term: Term, value: Argument, call: CallView) -> bool:
    """Whether a value, read with its name and the tool's, is what a term names."""
    if value.format == "bool":
        return _said_by_switch(term, value)
    if not acts(value):
        if term.tokens:
            return len(term.tokens) > 1 and term.text in value.text
        return len(term.text) >= _SPOKEN_HAN and term.text in value.text
    if value.text in codes_of(term.text):
        return True
    if _is_named(term, value):
        return True
    if term.tokens:
        around = value.words | name_words(value.name) | call.tool_words
        return bool(term.tokens & value.words) and all(_is_among(t, around) for t in term.tokens)
    return _covered(term.text, value.text, f"{plain(value.name)} {call.tool_text}")


def _is_named(term: Term, value: Argument) -> bool:
    """Whether a phrase has a value beside the name of its argument: "put a wine pairing on"."""
    words = value.text.split()
    if not term.tokens or not 1 <= len(words) <= _FEW or not value.text.isascii():
        return False
    name = " ".join(_PARTS.findall(plain(value.name.rpartition(".")[2])))
    before, found, _ = f" {term.text} ".partition(f" {value.text} {name} ")
    leading = [word for word in before.split() if word not in ARTICLES]
    return bool(name and found) and not (leading and leading[-1] in EMPTY)


def _is_among(token: str, around: frozenset[str]) -> bool:
    """Whether a word is there, or one that it is made with: bathroom in `bath`."""
    return token in around or any(len(o) >= _PART and token.startswith(o) for o in around)


def _covered(term: str, value: str, around: str) -> bool:
    """Whether a Chinese term is in a value, or is cut in two between it and the name of it."""
    if term in value and (len(term) > 1 or term == value):
        return True
    cuts = ((term[:at], term[at:]) for at in range(1, len(term) - 1))
    return any(
        (b in value and a in around) or (len(a) > 1 and a in value and b in around) for a, b in cuts
    )


def _said_by_switch(term: Term, value: Argument) -> bool:
    names = name_words(value.name)
    if value.text == "true":
        return bool(term.tokens) and term.tokens <= names
    said = {form.format(name) for name in names for form in _NEGATIONS}
    return term.text in said or bool(term.tokens and term.tokens & said)


def is_denied(want: Sequence[Term], call: CallView) -> bool:
    """Whether what is wanted is switched off."""
    return any(
        term.tokens and value.format == "bool" and value.text == "false" and term.tokens <= names
        for value in call.arguments
        for names in (name_words(value.name),)
        for term in want
    )
