"""Chinese as it is compared: simplified signs for both scripts, and numerals as numbers."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final

__all__ = ["numeral", "simplified"]

_TABLE: Final = "han.txt"
_DIGITS: Final = {d: n for n, d in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "俩": 2}
_TENS: Final = {"十": 10, "百": 100, "千": 1_000}


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


def numeral(piece: str) -> float | None:
    """Read a Chinese numeral; None for what is no number by itself."""
    if piece == "半":
        return 0.5
    half = 0.5 if piece.endswith("半") else 0.0
    piece = piece.rstrip("半")
    if len(piece) > 12 or not piece:
        return None
    if all(sign in _DIGITS for sign in piece):
        return float("".join(str(_DIGITS[sign]) for sign in piece)) + half
    total, section, digit = 0, 0, 0
    for sign in piece:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _TENS:
            section += (digit or 1) * _TENS[sign]
            digit = 0
        else:
            total += max(section + digit, 1) * 10_000
            section = digit = 0
    return total + section + digit + half
