"""Loads the guard's word lists, one file a language, into one table of phrases."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Final

from hindsight_core.guard.phrases import PhraseTable

__all__ = ["LANGUAGES", "concepts", "lexicon"]

LANGUAGES: Final = ("en", "zh", "world")


def concepts(language: str) -> dict[str, tuple[str, ...]]:
    """The phrases of each concept in one language; see `phrases` for their notation."""
    file = files("hindsight_core.guard").joinpath(f"lexicon_{language}.toml")
    return {
        concept: tuple(phrase.strip() for phrase in phrases.split("|") if phrase.strip())
        for concept, phrases in tomllib.loads(file.read_text(encoding="utf-8")).items()
    }


@lru_cache(maxsize=1)
def lexicon() -> PhraseTable:
    """All languages in one table, since a text may mix them; built once, in milliseconds."""
    return PhraseTable(*map(concepts, LANGUAGES))
