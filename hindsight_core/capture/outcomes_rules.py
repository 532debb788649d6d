"""The form of the outcome tables, and the one normalisation that their patterns are written for.

A language is one module with a `Phrases`; adding a language is adding a module and naming it in
`outcomes_tables`. Patterns match normalised text and hold no nested repetition, so that a search
is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hindsight_core.han import simplified
from hindsight_core.schema import ErrorClass
from hindsight_core.text import fold, shorten

__all__ = ["MAX_JUDGED", "Phrases", "Rule", "any_of", "normalise"]

MAX_JUDGED: Final = 6_000
"""Characters of a text that are looked at: its head and its tail."""

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_CONTRACTED: Final = re.compile(r"n['’]t\b")
_GAPS: Final = re.compile(r"[ \t_]+")


def normalise(text: str) -> str:
    """Return a text in the form that the patterns are written for, shortened to `MAX_JUDGED`.

    Compatibility form, lower case, simplified characters, identifiers cut into words
    (`NoSuchKey`, `no_such_key` -> `no such key`), contractions written out (`can't` -> `cannot`).
    """
    cut = _CAMEL.sub(" ", shorten(text, MAX_JUDGED, mark="\n"))
    folded = _CONTRACTED.sub(" not", simplified(fold(cut)))
    return _GAPS.sub(" ", folded).replace("ca not", "cannot").replace("wo not", "will not")


class Rule(NamedTuple):
    """One row: what a message that matches means; `transient` None leaves it to the class."""

    error_class: ErrorClass
    pattern: re.Pattern[str]
    transient: bool | None = None


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Compile alternatives into one pattern."""
    return re.compile("|".join(f"(?:{one})" for one in alternatives))


NEVER: Final = re.compile(r"(?!)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrases:
    """What one language says of failures.

    `specific`, `plain` and `vague` are asked in this order, each top down: specific ones outrank a
    status code, vague ones yield to an exception's name. `opening` marks a text that is a report of
    failure by how it begins, `statement` one that says so anywhere, `unmet` a wish that was not
    carried out although nothing broke, `no_effect` a tool that says no more than that nothing came
    of it. `harmless` is cut out before anything is matched. `empty` says that a search found
    nothing, which is an answer. `about_tool` marks a short text as the tool's own word,
    `transform_failed` that of a translator or reader, which repeats what others wrote.
    `again_later`, `unknown_result`, `not_yet`, `for_good`, `cut_off`, `crash` and `server_side`
    tell whether the cause passes. `keys` are the names under which results carry these things,
    `words` what a tool's name says of it.
    """

    specific: tuple[Rule, ...]
    plain: tuple[Rule, ...]
    vague: tuple[Rule, ...]
    opening: re.Pattern[str]
    statement: re.Pattern[str]
    unmet: re.Pattern[str]
    harmless: re.Pattern[str]
    empty: re.Pattern[str]
    about_tool: re.Pattern[str]
    transform_failed: re.Pattern[str]
    again_later: re.Pattern[str] = NEVER
    unknown_result: re.Pattern[str] = NEVER
    not_yet: re.Pattern[str] = NEVER
    for_good: re.Pattern[str] = NEVER
    cut_off: re.Pattern[str] = NEVER
    crash: re.Pattern[str] = NEVER
    no_effect: re.Pattern[str] = NEVER
    server_side: re.Pattern[str] = NEVER
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
