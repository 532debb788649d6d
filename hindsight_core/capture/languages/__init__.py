"""The tables of each language: what its words say about wants, time, people and speech acts.

A language is one file `CODE.toml` and one entry in `weights.json`; to add one, add both and name it
in `CODES`. In the tables a list is separated by `|` or line ends; in a regular expression line ends
are dropped, `<<NAME>>` stands for the macro of that name, and every repetition must be bounded, so
that no text takes more than linear time.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Final, cast

__all__ = ["CODES", "Language", "load"]

CODES: Final = ("en", "zh")
_MACRO: Final = re.compile(r"<<([A-Z]{1,20})>>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language as data.

    `phrases` maps a class to fixed phrases; a leading `^` ties one to the start of the sentence,
    `~` to that of a clause. `patterns` are regular expressions, for what has gaps. `pairs` name
    classes that count together, `!` meaning absence. `openers` are units after which a clause still
    begins. `variants` maps characters to the variant that the table is spelt in. `topics` maps a
    slot to its cue words. `terms` are patterns with the groups `want`, `avoid`, `except`, `where`,
    `if` and `topic`; `stop` are words that are no term; `lead` and `trail` are cut off the two ends
    of a term, `verbs` being those of `lead` that name an act. `negative`, `factual` and
    `correcting` are the classes that tell a statement's polarity and kind.
    """

    code: str
    spaced: bool
    phrases: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, str]
    weights: Mapping[str, float]
    pairs: tuple[tuple[str, ...], ...] = ()
    openers: frozenset[str] = frozenset()
    variants: Mapping[int, str] = field(default_factory=dict[int, str])
    topics: Mapping[str, str] = field(default_factory=dict[str, str])
    terms: tuple[str, ...] = ()
    stop: frozenset[str] = frozenset()
    lead: tuple[str, ...] = ()
    verbs: frozenset[str] = frozenset()
    trail: tuple[str, ...] = ()
    negative: frozenset[str] = frozenset()
    factual: frozenset[str] = frozenset()
    correcting: frozenset[str] = frozenset()


def _read(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in re.split(r"[|\n]", text) if part.strip())


def _variants(name: str) -> dict[int, str]:
    lines = _read(name).splitlines() if name else []
    pairs = (pair for line in lines if not line.startswith("#") for pair in line.split())
    return {ord(pair[0]): pair[1] for pair in pairs}


def load(code: str) -> Language:
    """Read a language's table and weights; raises `KeyError` for one that is not in `CODES`."""
    if code not in CODES:
        raise KeyError(code)
    table: dict[str, Any] = tomllib.loads(_read(f"{code}.toml"))
    weights = cast("Mapping[str, Mapping[str, float]]", json.loads(_read("weights.json")))
    macros = cast("Mapping[str, str]", table["macros"])

    def joined(parts: list[str]) -> str:
        text = "|".join(f"(?:{part})" for part in parts).replace("\n", "")
        return _MACRO.sub(lambda found: macros[found[1]].replace("\n", ""), text)

    verbs = _listed(table["verbs"])
    lead = {*verbs, *_listed(table["lead"])}
    return Language(
        code=code,
        spaced=table["spaced"],
        phrases={name: _listed(text) for name, text in table["phrases"].items()},
        patterns={name: joined(parts) for name, parts in table["patterns"].items()},
        weights=weights.get(code, {}),
        pairs=tuple(tuple(pair.split("&")) for pair in _listed(table["pairs"])),
        openers=frozenset(_listed(table["openers"])),
        variants=_variants(table["variants"]),
        topics={slot: "|".join(_listed(cues)) for slot, cues in table["topics"].items()},
        terms=tuple(joined([part]) for part in table["terms"]["patterns"]),
        stop=frozenset(_listed(table["stop"])),
        lead=tuple(sorted(lead, key=lambda word: (-len(word), word))),
        verbs=frozenset(verbs),
        trail=_listed(table["trail"]),
        negative=frozenset(_listed(table["negative"])),
        factual=frozenset(_listed(table["factual"])),
        correcting=frozenset(_listed(table["correcting"])),
    )
