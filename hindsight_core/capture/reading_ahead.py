"""Reads a turn before it is judged: what takes longest of it, at a moment when nobody waits."""

from __future__ import annotations

from hindsight_core.capture.preferences.reading import judged_sentences
from hindsight_core.capture.preferences.terms import topics_of
from hindsight_core.capture.taking_back import own_sentences

__all__ = ["forget_read", "read_ahead"]

_KEPT = (judged_sentences, own_sentences, topics_of)


def read_ahead(text: str) -> None:
    """Read a turn for what it states, takes back and speaks of, so that it is known when asked."""
    for read in _KEPT:
        read(text)


def forget_read() -> None:
    """Drop every text that was read: an erased one must not stay in memory."""
    for read in _KEPT:
        read.cache_clear()
