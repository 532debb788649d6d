"""The languages that outcomes are judged in: one TOML table each, put together for lookup.

Adding a language is adding a table to `LANGUAGES`. Patterns match normalised text. None nests a
repetition in another, so a search is linear in the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from hindsight_core.han import simplified
from hindsight_core.schema import ErrorClass
from hindsight_core.text import fold, shorten

__all__ = [
    "LANGUAGES",
    "MAX_JUDGED",
    "Rule",
    "cut",
    "first_rule",
    "is_trouble",
    "key_roles",
    "normalise",
    "opens",
    "says",
    "wished",
    "without_harmless",
    "words",
]

LANGUAGES: Final = ("en", "zh")
MAX_JUDGED: Final = 4_000
"""Characters of a text that are looked at: its head and its tail."""

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_CONTRACTED: Final = re.compile(r"\b(?:ca|wo)n['’]t\b|n['’]t\b|(?<=\w)['’](?:m|re|ve)\b")
_WRITTEN_OUT: Final = {"cant": "cannot", "wont": "will not", "nt": " not", "m": " am", "re": " are"}
_GAPS: Final = re.compile(r"[ \t_]+")
_MACRO: Final = re.compile(r"%([A-Z]+)%")
_SIGNS: Final = re.compile(r"[\W_]+")
_DECORATION: Final = " \t\r\n#>*-—✖✗❌⚠️!【[(\"'“`"


_NOT_YET: Final = r"(?<!already )(?<!not )(?<!\bbe )"


class Rule(NamedTuple):
    """What a message that matches means; `transient` None leaves it to the class."""

    error_class: ErrorClass
    pattern: re.Pattern[str]
    transient: bool | None
    own_code: bool
    """Whether it holds only of code that the agent itself passed."""


@cache
def _table(language: str) -> dict[str, Any]:
    path = files("hindsight_core.capture.outcomes").joinpath(f"{language}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _joined(language: str, patterns: list[str]) -> str:
    """Join alternatives; those of a language with spaces that begin with a letter begin a word."""
    table = _table(language)
    macros: dict[str, str] = table.get("macros", {})
    at_word: list[str] = []
    anywhere: list[str] = []
    for pattern in patterns:
        begins = table["spaced"] and (pattern[:1].isalpha() or pattern.startswith("%"))
        text = _MACRO.sub(lambda match: macros[match[1]], pattern)
        (at_word if begins else anywhere).append(text)
    if at_word:
        anywhere.append(rf"\b(?:{'|'.join(at_word)})")
    return "|".join(anywhere)


@cache
def _patterns(name: str) -> tuple[tuple[bool, re.Pattern[str]], ...]:
    """Each language's pattern of a name, and whether it can match plain ASCII."""
    flags = re.MULTILINE if name in _BY_LINE else 0
    flags |= re.IGNORECASE if name in _AS_WRITTEN else 0
    return tuple(
        (_table(language)["spaced"], re.compile(_joined(language, alternatives), flags))
        for language in LANGUAGES
        if (alternatives := _table(language)["patterns"].get(name))
    )


_BY_LINE: Final = frozenset({"harmless", "report", "paths"})
_AS_WRITTEN: Final = frozenset({"paths", "named"})
"""Patterns for a text as it came: a name is no more to be seen in a normalised one."""


def _fitting(name: str, text: str) -> Iterator[re.Pattern[str]]:
    plain = text.isascii()
    return (pattern for ascii_too, pattern in _patterns(name) if ascii_too or not plain)


@cache
def _rules(rank: str) -> tuple[tuple[bool, Rule], ...]:
    return tuple(
        (
            _table(language)["spaced"],
            Rule(
                error_class=ErrorClass(row["class"]),
                pattern=re.compile(_joined(language, row["any"])),
                transient=row.get("transient"),
                own_code=row.get("only") == "own_code",
            ),
        )
        for language in LANGUAGES
        for row in _table(language).get(rank, [])
    )


def first_rule(rank: str, text: str, *, own_code: bool) -> Rule | None:
    """Return the first rule of a rank (`specific`, `plain`, `vague`) that a normalised text meets.

    Rules that hold only of code that the agent itself passed are asked only if `own_code`.
    """
    plain = text.isascii()
    for ascii_too, rule in _rules(rank):
        if plain and not ascii_too:
            continue
        if (own_code or not rule.own_code) and rule.pattern.search(text):
            return rule
    return None


_VERDICTS: Final = (ErrorClass.VALIDATION, ErrorClass.CONFLICT)


def is_trouble(text: str) -> bool:
    """Whether a normalised text is about getting at something, not a verdict on what was got."""
    rule = first_rule("specific", text, own_code=False) or first_rule("plain", text, own_code=False)
    return rule is not None and rule.error_class not in _VERDICTS


def says(text: str, name: str) -> bool:
    """Whether a normalised text holds a pattern of that name in any language."""
    return any(pattern.search(text) for pattern in _fitting(name, text))


def opens(text: str) -> bool:
    """Whether a normalised text begins as a report of failure."""
    head = text.lstrip(_DECORATION)[:400]
    return any(pattern.match(head) for pattern in _fitting("opening", head))


def without_harmless(text: str) -> str:
    """Cut out of a normalised text what speaks of failure without being one."""
    return cut("harmless", text).strip()


def cut(name: str, text: str) -> str:
    """Cut out of a text all that a pattern of that name matches in any language."""
    for pattern in _fitting(name, text):
        text = pattern.sub(" ", text)
    return text


@lru_cache(maxsize=2_048)
def wished(tool: str) -> re.Pattern[str] | None:
    """The words of a result that an action of this name was called for: "locked" of `lock_door`."""
    name = normalise(tool)
    spoken = set(re.findall(r"[a-z]+", name))
    found: list[str] = []
    for language in LANGUAGES:
        spaced = _table(language)["spaced"]
        for verb, results in _table(language).get("wished", {}).items():
            if verb in spoken if spaced else verb in name:
                found += [rf"{_NOT_YET}\b(?:{w})\b" if spaced else w for w in results]
    return re.compile("|".join(found)) if found else None


@cache
def _keys() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for role, names in _table(language)["keys"].items():
            for name in names:
                table.setdefault(name, set()).add(role)
    return {name: frozenset(roles) for name, roles in table.items()}


def key_roles(key: str) -> frozenset[str]:
    """What a result's key may stand for: error, flag, code, message … ; empty for data."""
    name = _SIGNS.sub("", key.casefold())
    roles = _keys().get(name)
    if roles is None:
        ends = name.endswith(_ERROR_ENDS) and not name.startswith(_OF_THE_PAST)
        return _ERROR if ends else frozenset()
    return roles


_ERROR: Final = frozenset({"error"})
_ERROR_ENDS: Final = ("error", "errors", "errormessage", "exception")
_OF_THE_PAST: Final = ("last", "previous", "prev", "past")


@cache
def words(role: str) -> frozenset[str]:
    """The words of tools' names that speak for a role, of every language."""
    return frozenset(w for language in LANGUAGES for w in _table(language)["words"].get(role, ()))


@cache
def _regional() -> tuple[re.Pattern[str], dict[str, str]]:
    table = {k: v for name in LANGUAGES for k, v in _table(name).get("regional", {}).items()}
    longest = sorted(table, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest)) or "(?!)"), table


def normalise(text: str) -> str:
    """Return a text in the form that the patterns are written for, shortened to `MAX_JUDGED`.

    Compatibility form, lower case, simplified signs, one word for regional ones, identifiers cut
    into words (`NoSuchKey`, `no_such_key` -> `no such key`), contractions written out.
    """
    cut = _CAMEL.sub(" ", shorten(text, MAX_JUDGED, mark="\n"))
    folded = fold(cut)
    if not folded.isascii():
        pattern, table = _regional()
        folded = pattern.sub(lambda match: table[match[0]], simplified(folded))
    if "'" in folded or "’" in folded:
        folded = _CONTRACTED.sub(_written_out, folded)
    return _GAPS.sub(" ", folded)


def _written_out(match: re.Match[str]) -> str:
    letters = re.sub(r"\W", "", match[0])
    return _WRITTEN_OUT.get(letters, " have")
