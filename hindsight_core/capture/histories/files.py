"""Read JSON values from a file one after the other, each with the line on which it starts.

Takes JSON lines, one JSON document, and a JSON array, whose items are given one by one; UTF-8 with
or without a byte order mark, as it is or compressed with gzip. Never holds more than one value.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from hindsight_core.errors import ConfigurationError

__all__ = ["MAX_VALUE_BYTES", "BadLineError", "Value", "read_values"]

MAX_VALUE_BYTES: Final = 256 * 1024 * 1024
"""Limit of one line, or of one item of an array, in bytes."""
_CHUNK: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_UTF8_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """A JSON value, the line on which it starts (from 1), and how much was read (0 to 1).

    `alone` says that it has a line of its own, and is not an item of an array.
    """

    value: Any
    line: int
    progress: float
    alone: bool


class BadLineError(ConfigurationError):
    """A line of a file, or an item of its array, cannot be read; the rest of it may be."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        self.path = path
        self.line = line
        self.problem = problem
        super().__init__(f"{path}, line {line}: {problem}")


def read_values(path: Path, on_bad: Callable[[int, str], None]) -> Iterator[Value]:
    """Yield the values of a file; a line that is none is handed to `on_bad`, which may raise.

    Raises `ConfigurationError` for a file that cannot be read at all, or of which no part can be
    skipped.
    """
    with ExitStack() as stack:
        try:
            size = max(1, path.stat().st_size)
            raw = stack.enter_context(path.open("rb", buffering=0))
            stream = _plain(raw, stack)
            head = stream.peek(_CHUNK)
            if head.startswith(_UTF8_BOM):
                stream.read(len(_UTF8_BOM))
                head = head[len(_UTF8_BOM) :]
            alone = _is_lines(head)
            for value, line in _lines(stream, on_bad) if alone else _document(stream):
                progress = min(1.0, raw.tell() / size)
                yield Value(value=value, line=line, progress=progress, alone=alone)
        except _BrokenError as error:
            raise BadLineError(path, error.line, error.problem) from error
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ConfigurationError(
                f"{path}: cannot be read ({reason}). Name a file of JSON lines or JSON"
            ) from error


class _BrokenError(Exception):
    """A document that cannot be read any further."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(problem)


def _plain(raw: io.FileIO, stack: ExitStack) -> io.BufferedReader:
    magic = raw.read(2)
    raw.seek(0)
    if magic == _GZIP:
        unpacked = stack.enter_context(gzip.GzipFile(fileobj=raw))
        return io.BufferedReader(unpacked, _CHUNK)  # pyright: ignore[reportArgumentType]
    return io.BufferedReader(raw, _CHUNK)


def _is_lines(head: bytes) -> bool:
    """Whether the first line is a whole value and not the beginning of one that spans lines."""
    first, _, rest = head.lstrip().partition(b"\n")
    first = first.strip()
    if first.startswith(b"["):
        return first.endswith(b"]") and bool(rest.strip())
    return not first.startswith(b"{") or first.endswith(b"}") or not rest


def _lines(stream: IO[bytes], on_bad: Callable[[int, str], None]) -> Iterator[tuple[Any, int]]:
    number = 0
    while line := stream.readline(MAX_VALUE_BYTES + 1):
        number += 1
        if len(line) > MAX_VALUE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(_CHUNK)
            on_bad(number, f"is longer than {MAX_VALUE_BYTES} bytes")
            continue
        try:
            text = line.decode("utf-8").strip()
            value: Any = json.loads(text) if text else None
        except UnicodeDecodeError as error:
            hint = ". Save the file as UTF-8" if number == 1 else ""
            on_bad(number, f"is not UTF-8 (byte {error.start}){hint}")
        except json.JSONDecodeError as error:
            on_bad(number, f"is not JSON ({error.msg}, column {error.colno})")
        except RecursionError:
            on_bad(number, "is nested too deeply")
        else:
            if text:
                yield value, number


_BLANK: Final = " \t\r\n"


def _document(stream: IO[bytes]) -> Iterator[tuple[Any, int]]:
    """Yield the items of an array, or one value after the other where there is no array."""
    window = _Window(stream)
    in_array = window.skip(_BLANK) == "["
    if in_array:
        window.advance(1)
    while sign := window.skip(_BLANK + ","):
        if in_array and sign == "]":
            window.advance(1)
            if window.skip(_BLANK):
                problem = "more follows the array: write one conversation a line, or one array"
                raise _BrokenError(window.line, problem)
            return
        line = window.line
        yield window.decode(), line
    if in_array:
        raise _BrokenError(window.line, "the array does not end: the file was cut off")


class _Window:
    """The part of a text that is being decoded; it grows while a value is not yet whole."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._text = codecs.getincrementaldecoder("utf-8")()
        self._buffer = ""
        self._at = 0
        self._decoder = json.JSONDecoder()
        self.line = 1

    def _grow(self, size: int = _CHUNK) -> bool:
        try:
            read = self._stream.read(size)
            more = self._text.decode(read, final=not read)
        except UnicodeDecodeError as error:
            raise _BrokenError(self.line, "what follows is not UTF-8") from error
        self._buffer = self._buffer[self._at :] + more
        self._at = 0
        return bool(read)

    def advance(self, count: int) -> None:
        self.line += self._buffer.count("\n", self._at, self._at + count)
        self._at += count

    def skip(self, signs: str) -> str:
        """Pass over signs and return the next one, empty at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in signs:
                    return self._buffer[self._at]
                self.advance(1)
            if not self._grow():
                return ""

    def decode(self) -> Any:
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except RecursionError as error:
                raise _BrokenError(self.line, "is nested too deeply") from error
            except json.JSONDecodeError as error:
                size = len(self._buffer) - self._at
                if size > MAX_VALUE_BYTES:
                    raise _BrokenError(self.line, f"is longer than {MAX_VALUE_BYTES}") from error
                # Doubling keeps the total work linear however large one value is.
                if not self._grow(max(_CHUNK, size)):
                    where = self.line + self._buffer.count("\n", 0, min(error.pos, size))
                    raise _BrokenError(where, f"is not JSON ({error.msg})") from error
            else:
                if end == len(self._buffer) and self._grow():
                    continue  # a number may go on
                self.advance(end - self._at)
                return value
