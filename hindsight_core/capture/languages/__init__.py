"""The tables of each language: what its words say about wants, time, people and speech acts.

A language is one table `CODE.toml` and its weights `CODE.json`; to add one, add both and name it in
`CODES`. In a table, lists are separated by `|` or line ends; in a regular expression line ends are
dropped, `<<NAME>>` stands for the macro of that name, and every repetition must be bounded, so that
no text takes more than linear time.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, cast

__all__ = ["CODES", "EXCLUSIVE_SLOTS", "Language", "Weights", "load"]

CODES: Final = ("en", "zh")
EXCLUSIVE_SLOTS: Final = frozenset(
    [
        "answer language",
        "ci",
        "clock format",
        "coffee",
        "colour theme",
        "currency",
        "date format",
        "editor",
        "employer",
        "form of address",
        "front-end framework",
        "home",
        "http client",
        "indentation",
        "line length",
        "milk",
        "package manager",
        "room temperature",
        "seat",
        "shell",
        "spelling",
        "temperature unit",
        "test framework",
        "time zone",
        "units",
    ]
)
"""Slots of any language that hold one value at a time."""
_MACRO: Final = re.compile(r"<<([A-Z]{1,20})>>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The learnt additive model of one language.

    `classes` holds the weight of each class. `grams` holds, for each run of words or of word
    classes, its weight times its inverse document frequency, and the square of the latter.
    """

    bias: float
    classes: Mapping[str, float]
    grams: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language as data.

    `threshold` is the probability from which a sentence counts as a statement.

    `phrases` maps a class to fixed phrases; a leading `^` ties one to the start of the sentence,
    `~` to that of a clause. `patterns` are regular expressions, for what has gaps. `pairs` name
    classes that count together, `!` meaning absence; `context` those that count when they occur in
    another sentence of the text. `openers` are units after which a clause still begins. `variants`
    maps characters to the variant that the table is spelt in. `words` maps a word to its word
    class, a function word to itself.

    `topics` maps a slot to its cue words. `terms` are patterns with the groups `want`, `avoid`,
    `both` (two things that are to be avoided together), `except`, `where`, `if` and `topic`; `stop`
    are words that are no term; `lead` (`lead_first`: the longest first) and `trail` are cut off the
    two ends of a term, `verbs` being those of `lead` that name an act, `coverbs` those that put a
    thing before its act (给猫喂) and `whole` words that begin like one of `lead`. `negative`,
    `factual`, `wishing` and `correcting` are the classes that tell a statement's polarity and kind.
    `joins_back`, `joins_on`, `grounds`, `carries_on` and `breaks_off` tell which neighbouring
    sentences belong to a statement; after a sentence of a class in `disclaims` no sentence is the
    user's own will. What matches `days` names a day that comes again; what matches `onset` ("from
    next week on") is read as `onset_as` where classes are looked for, and what matches `contracted`
    ("dont") as `contracted_as` throughout. `clause_of_another` matches the clause before a person's
    own. What matches `scoping` begins the part that says for what a statement holds ("in Go"),
    `answering` are names of an answer, `refusal` matches the words that turn a phrase around, and
    after `restarts` a sentence says something new.
    """

    code: str
    spaced: bool
    threshold: float
    weights: Weights
    phrases: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, str]
    pairs: tuple[tuple[str, ...], ...]
    context: frozenset[str]
    speaks_for: frozenset[str]
    speaks_against: frozenset[str]
    openers: frozenset[str]
    variants: Mapping[int, str]
    words: Mapping[str, str]
    topics: Mapping[str, str]
    terms: tuple[str, ...]
    stop: frozenset[str]
    lead: frozenset[str]
    lead_first: tuple[str, ...]
    verbs: frozenset[str]
    coverbs: frozenset[str]
    trail: tuple[str, ...]
    whole: tuple[str, ...]
    negative: frozenset[str]
    factual: frozenset[str]
    wishing: frozenset[str]
    correcting: frozenset[str]
    grounds: frozenset[str]
    carries_on: frozenset[str]
    breaks_off: frozenset[str]
    disclaims: frozenset[str]
    joins_back: str
    joins_on: str
    days: str
    onset: str
    onset_as: str
    contracted: str
    contracted_as: str
    clause_of_another: str
    scoping: str
    answering: str
    restarts: str
    refusal: str


def _read(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in re.split(r"[|\n]", text) if part.strip())


def _variants(name: str) -> dict[int, str]:
    lines = _read(name).splitlines() if name else []
    pairs = (pair for line in lines if not line.startswith("#") for pair in line.split())
    return {ord(pair[0]): pair[1] for pair in pairs}


def _words(table: Mapping[str, Any]) -> dict[str, str]:
    words: dict[str, str] = {}
    for name, text in cast("Mapping[str, str]", table["words"]).items():
        for word in _listed(text):
            words.setdefault(word, f"<{name}>")
    for word in _listed(table["keep"]):
        words.setdefault(word, word)
    return words


def _weights(code: str) -> Weights:
    data: dict[str, Any] = json.loads(_read(f"{code}.json"))
    grams = {gram: (value[0], value[1]) for gram, value in data["grams"].items()}
    return Weights(bias=data["bias"], classes=data["classes"], grams=grams)


def load(code: str) -> Language:
    """Read a language's table and weights; raises `KeyError` for one that is not in `CODES`."""
    if code not in CODES:
        raise KeyError(code)
    table: dict[str, Any] = tomllib.loads(_read(f"{code}.toml"))
    macros = cast("Mapping[str, str]", table["macros"])

    def joined(parts: list[str]) -> str:
        text = "|".join(f"(?:{part})" for part in parts).replace("\n", "")
        return _MACRO.sub(lambda found: macros[found[1]].replace("\n", ""), text)

    def names(field: str) -> frozenset[str]:
        return frozenset(_listed(table[field]))

    words = _words(table)
    acts = {word for word, name in words.items() if name in ("<DO>", "<TASK>")}
    verbs = names("verbs") | acts
    lead = verbs | names("lead")
    return Language(
        code=code,
        spaced=table["spaced"],
        threshold=table["threshold"],
        weights=_weights(code),
        phrases={name: _listed(text) for name, text in table["phrases"].items()},
        patterns={name: joined(parts) for name, parts in table["patterns"].items()},
        pairs=tuple(tuple(pair.split("&")) for pair in _listed(table["pairs"])),
        context=names("context"),
        speaks_for=names("speaks_for"),
        speaks_against=names("speaks_against"),
        openers=names("openers"),
        variants=_variants(table["variants"]),
        words=words,
        topics={slot: "|".join(_listed(cues)) for slot, cues in table["topics"].items()},
        terms=tuple(joined([part]) for part in table["terms"]["patterns"]),
        stop=names("stop"),
        lead=lead,
        lead_first=tuple(sorted(lead, key=lambda word: (-len(word), word))),
        verbs=verbs,
        coverbs=names("coverbs"),
        trail=_listed(table["trail"]),
        whole=_listed(table["whole"]),
        negative=names("negative"),
        factual=names("factual"),
        wishing=names("wishing"),
        correcting=names("correcting"),
        grounds=frozenset(_listed(table["joining"]["grounds"])),
        carries_on=frozenset(_listed(table["joining"]["carries_on"])),
        breaks_off=frozenset(_listed(table["joining"]["breaks_off"])),
        disclaims=frozenset(_listed(table["joining"]["disclaims"])),
        joins_back=joined([table["joining"]["back"]]),
        joins_on=joined([table["joining"]["on"]]),
        days=joined([table["days"]]),
        onset=joined([table["onset"]]),
        onset_as=table["onset_as"],
        contracted=table["contracted"],
        contracted_as=table["contracted_as"],
        clause_of_another=joined([table["clause_of_another"]]),
        scoping=table["scoping"],
        answering=table["answering"],
        restarts=table["restarts"].replace("\n", ""),
        refusal=table["refusal"],
    )
