"""Server-sent events as bytes: seen one by one, and changed where one message is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mcp_hindsight._splitting import MAX_WATCHED

__all__ = ["EventSplitter", "data_of", "kind_of", "with_data"]

_END: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE: Final = re.compile(rb"\r\n|\n|\r")


class EventSplitter:
    """Cuts a stream into pieces whose sum is what came in: whole events, or parts of one too long.

    An event's end counts as part of it.
    """

    def __init__(self) -> None:
        self._held = b""

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield each piece that is complete, and whether it is one whole event."""
        self._held += chunk
        while found := _END.search(self._held):
            yield self._held[: found.end()], True
            self._held = self._held[found.end() :]
        if len(self._held) > MAX_WATCHED:
            yield self._held, False
            self._held = b""

    def rest(self) -> bytes:
        """What came after the last event's end."""
        held, self._held = self._held, b""
        return held


def data_of(event: bytes) -> bytes:
    """The data of an event, its lines joined."""
    return b"\n".join(_fields(event, b"data"))


def kind_of(event: bytes) -> bytes:
    """The type of an event, b"message" by default."""
    return next(_fields(event, b"event"), b"message")


def with_data(event: bytes, data: bytes) -> bytes:
    """The event with other data of one line."""
    lines = [line for line in _LINE.split(event) if line and not line.startswith(b"data")]
    return b"\r\n".join((*lines, b"data: " + data.strip(), b"", b""))


def _fields(event: bytes, name: bytes) -> Iterator[bytes]:
    for line in _LINE.split(event):
        field, _, value = line.partition(b":")
        if field == name:
            yield value.removeprefix(b" ")
