"""Makes labelled pairs of texts from the frames of `conflicts_templates.toml`, for training."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Pair", "make_pairs"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, how they relate, and the language and frame they are of."""

    a: str
    b: str
    label: str
    language: str
    frame: int


def make_pairs(seed: int, per_frame: int) -> list[Pair]:
    """Draw `per_frame` pairs of each label from each frame, the same for the same seed."""
    source = Path(__file__).with_name("conflicts_templates.toml").read_text("utf-8")
    chance = random.Random(seed)
    pairs: list[Pair] = []
    for language, frames in tomllib.loads(source).items():
        for number, frame in enumerate(frames):
            for _ in range(per_frame):
                for label, make in _MAKERS.items():
                    a, b = make(chance, frame)
                    pairs.append(Pair(_tidy(a), _tidy(b), label, language, number))
    return pairs


def _tidy(text: str) -> str:
    text = text.replace("There is A ", "There is a ").replace("There is An ", "There is an ")
    return text[:1].upper() + text[1:]


def _fill(chance: random.Random, template: str, subject: str, value: str = "") -> str:
    filled = template.replace("{s}", subject).replace("{v}", value)
    return filled.replace("{n}", str(chance.randint(2, 9)))


def _two(chance: random.Random, items: list[Any]) -> tuple[Any, Any]:
    first, second = chance.sample(items, 2)
    return first, second


def _duplicate(chance: random.Random, frame: dict[str, Any]) -> tuple[str, str]:
    subject, value = chance.choice(frame["subjects"]), chance.choice(frame["values"])
    first, second = _two(chance, frame["say"])
    if chance.random() < 0.3:
        first, second = _two(chance, frame["deny"])
    return (
        _fill(chance, first, subject, value[0]),
        _fill(chance, second, subject, value[-1]),
    )


def _contradiction(chance: random.Random, frame: dict[str, Any]) -> tuple[str, str]:
    subject = chance.choice(frame["subjects"])
    value, other = _two(chance, frame["values"])
    first, second = chance.choice(frame["say"]), chance.choice(frame["say"])
    if frame.get("actions") or chance.random() < 0.5:
        pair = [
            _fill(chance, first, subject, value[0]),
            _fill(chance, chance.choice(frame["deny"]), subject, value[-1]),
        ]
        chance.shuffle(pair)
        return pair[0], pair[1]
    return _fill(chance, first, subject, value[0]), _fill(chance, second, subject, other[0])


def _refinement(chance: random.Random, frame: dict[str, Any]) -> tuple[str, str]:
    subject, value = chance.choice(frame["subjects"]), chance.choice(frame["values"])
    first, second = chance.choice(frame["say"]), chance.choice(frame["say"])
    more = _fill(chance, chance.choice(frame["more"]), subject, value[0])
    longer = _fill(chance, second, subject, value[-1])
    if chance.random() < 0.5:
        joint = ", " if longer.isascii() else "，"
        longer = longer[:-1] + joint + more[:1].lower() + more[1:]
    else:
        longer = longer + (" " if longer.isascii() else "") + more
    return _fill(chance, first, subject, value[0]), longer


def _unrelated(chance: random.Random, frame: dict[str, Any]) -> tuple[str, str]:
    subject, other = _two(chance, frame["subjects"])
    value, second = _two(chance, frame["values"])
    kind = chance.random()
    templates = frame["say"] + frame["deny"]
    first, latter = chance.choice(templates), chance.choice(templates)
    if kind < 0.3:
        return _fill(chance, first, subject, value[0]), _fill(chance, latter, other, value[-1])
    if kind < 0.6:
        return _fill(chance, first, subject, value[0]), _fill(chance, latter, other, second[0])
    if frame.get("actions"):
        # One agent, two actions: neither says anything about the other, denied or not.
        return _fill(chance, first, subject, value[0]), _fill(chance, latter, subject, second[0])
    return (
        _fill(chance, first, subject, value[0]),
        _fill(chance, chance.choice(frame["others"]), subject),
    )


_MAKERS = {
    "duplicate": _duplicate,
    "contradiction": _contradiction,
    "refinement": _refinement,
    "unrelated_similar": _unrelated,
}
