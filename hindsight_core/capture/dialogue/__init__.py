"""What users say about an agent's work, as data: one table a language."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["LANGUAGES", "TABLES", "cut", "heard"]

LANGUAGES: Final = ("en", "zh")
TABLES: Final = (
    "negated",
    "persists",
    "bad",
    "order_bad",
    "good",
    "polite",
    "request",
    "question",
    "condition",
    "correction",
    "assent",
    "moves_on",
    "this_way",
    "not_this_way",
    "lasting",
)
"""The tables that each language has."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    found: list[str] = []
    for language in LANGUAGES:
        path = files("hindsight_core.capture.dialogue").joinpath(f"{language}.toml")
        found += tomllib.loads(path.read_text(encoding="utf-8"))["patterns"][name]
    return re.compile("|".join(f"(?:{part})" for part in found))


def heard(name: str, text: str) -> bool:
    """Whether a folded text of simplified signs matches a table in any language."""
    return _pattern(name).search(text) is not None


def cut(name: str, text: str) -> str:
    """The text without what matches a table."""
    return _pattern(name).sub(" ", text)
