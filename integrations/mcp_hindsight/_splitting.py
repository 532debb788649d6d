"""Lines of a byte stream, as a bystander sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["MAX_WATCHED", "Splitter"]

MAX_WATCHED: Final = 16 * 1024 * 1024
"""Bytes of the longest line that is looked at; a longer one passes unseen."""


class Splitter:
    """Cuts chunks into pieces whose sum is what came in: whole lines, or parts of one too long."""

    def __init__(self, limit: int = MAX_WATCHED) -> None:
        self._limit = limit
        self._held = bytearray()
        self._passing = False

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield each piece that is complete, and whether it is one whole line."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            piece = bytes(self._held) + chunk[start : end + 1]
            self._held.clear()
            yield piece, not self._passing
            self._passing = False
            start = end + 1
        self._held += chunk[start:]
        if self._passing or len(self._held) > self._limit:
            self._passing = True
            if self._held:
                yield bytes(self._held), False
                self._held.clear()

    def rest(self) -> bytes:
        """What came after the last line's end."""
        held = bytes(self._held)
        self._held.clear()
        return held
