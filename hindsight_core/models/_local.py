"""What the embedders that run in this process share: input limits, unit vectors, one lock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.errors import MissingExtraError
from hindsight_core.text import clean, shorten

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = [
    "PASSAGE_BYTES",
    "QUERY_BYTES",
    "SLICE",
    "Turnstile",
    "cap",
    "in_slices",
    "require",
    "unit_rows",
]

PASSAGE_BYTES: Final = 1024
"""Longest passage that is encoded, in UTF-8 bytes: about 256 tokens in English and in Chinese."""
QUERY_BYTES: Final = 640
"""Longest question that is encoded; shorter, since a run waits for it."""
SLICE: Final = 8
"""Passages encoded before a waiting question gets its turn."""


def require(extra: str, *modules: str) -> None:
    """Raise `MissingExtraError` unless every module can be found; nothing is imported."""
    for module in modules:
        try:
            found = find_spec(module) is not None
        except (ImportError, ValueError):
            found = False
        if not found:
            raise MissingExtraError(extra, module)


def cap(text: str, limit: int) -> str:
    """Clean a text and cut its middle out where it is longer than `limit` UTF-8 bytes.

    The time to encode grows with the length, and a model sees no more than 512 tokens. An empty
    text becomes a full stop, as models have no vector for nothing.
    """
    text = clean(text).strip() or "."
    size = len(text.encode())
    if size <= limit:
        return text
    return shorten(text, max(1, len(text) * limit // size))


def unit_rows(matrix: Matrix) -> Matrix:
    """Scale each row to length 1 (a row of zeros stays), as contiguous float32."""
    import numpy as np

    rows = np.ascontiguousarray(matrix, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


class Turnstile:
    """A lock that lets questions go before passages, and that a forked child starts afresh.

    Models that run in this process are not safe to enter twice. Passages come in long batches from
    a worker, while a run waits for its question: between two slices the worker steps aside.
    """

    def __init__(self) -> None:
        self._restart()

    @contextmanager
    def question(self) -> Generator[None]:
        """Hold the lock for a question."""
        self._check_fork()
        with self._counting:
            self._waiting += 1
        self._lock.acquire()
        with self._counting:
            self._waiting -= 1
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def passages(self) -> Generator[None]:
        """Hold the lock for one slice of passages, after every question that waits."""
        self._check_fork()
        while self._waiting:
            time.sleep(0.0005)
        with self._lock:
            yield

    def _check_fork(self) -> None:
        if self._pid != os.getpid():
            self._restart()

    def _restart(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0


def in_slices(
    texts: Sequence[str],
    encode: Callable[[list[str]], Any],
    turnstile: Turnstile,
    *,
    dimension: int,
    size: int,
    limit: int,
) -> Matrix:
    """Encode passages `size` at a time, so that a waiting question gets its turn in between.

    Each is capped at `limit` bytes first. `encode` gives a row for each text of a slice; the result
    has the shape (len(texts), dimension).
    """
    import numpy as np

    rows = np.empty((len(texts), dimension), dtype=np.float32)
    for start in range(0, len(texts), size):
        part = [cap(text, limit) for text in texts[start : start + size]]
        with turnstile.passages():
            rows[start : start + len(part)] = encode(part)
    return rows
