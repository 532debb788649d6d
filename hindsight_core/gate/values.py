"""Whether a value of a call is what a term of a rule names, word by word or by its code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hindsight_core.capture import codes_of
from hindsight_core.gate.arguments import Argument, name_words, plain
from hindsight_core.gate.calls import CallView, Term, acts, in_tool

__all__ = ["is_denied", "is_done", "is_value"]

_NEGATIONS: Final = ("un{}", "in{}", "non{}", "non-{}", "not {}", "no {}", "不{}", "无{}", "非{}")
_PART: Final = 4
_SPOKEN_HAN: Final = 3
"""So many signs of a term in Chinese are no chance, even in prose."""


def is_done(term: Term, want: Sequence[Term], call: CallView) -> bool:
    """Whether a value, or the tool itself, is what is to be avoided."""
    if in_tool(term, call):
        return True
    for one in call.arguments:
        held = any(term.text in w.text and w.text in one.text for w in want if w.text != term.text)
        if not held and is_value(term, one, call):
            return True
    return False


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
    if term.tokens:
        around = value.words | name_words(value.name) | call.tool_words
        return bool(term.tokens & value.words) and all(_is_among(t, around) for t in term.tokens)
    return _covered(term.text, value.text, f"{plain(value.name)} {call.tool_text}")


def _is_among(token: str, around: frozenset[str]) -> bool:
    """Whether a word is there, or one that it is made with: bathroom in `bath`."""
    return token in around or any(len(o) >= _PART and token.startswith(o) for o in around)


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


def is_denied(want: Sequence[Term], call: CallView) -> bool:
    """Whether what is wanted is switched off."""
    return any(
        term.tokens and value.format == "bool" and value.text == "false" and term.tokens <= names
        for value in call.arguments
        for names in (name_words(value.name),)
        for term in want
    )
