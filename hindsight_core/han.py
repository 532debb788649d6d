"""Brings traditional Chinese to simplified signs, so that one word list serves both scripts."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final

__all__ = ["simplified"]

_TABLE: Final = "han.txt"


def simplified(text: str) -> str:
    """Replace each traditional sign by its simplified one; the length stays the same.

    Sign by sign, after OpenCC's TSCharacters: what is meant for matching, not for display.
    """
    return text if text.isascii() else text.translate(_table())


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    lines = files("hindsight_core").joinpath(_TABLE).read_text(encoding="utf-8").splitlines()
    pairs = (pair for line in lines if not line.startswith("#") for pair in line.split())
    return {ord(traditional): simple for traditional, simple in pairs}
