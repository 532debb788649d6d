"""Whether the middleware watches what runs now, so that no callback records it a second time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_watched", "watched"]

_watched: ContextVar[bool] = ContextVar("hindsight_watched", default=False)


def is_watched() -> bool:
    """Whether what runs now runs inside a hook of the middleware."""
    return _watched.get()


@contextmanager
def watched() -> Generator[None, None, None]:
    """Mark what runs inside as watched; the framework's callbacks run in the same context."""
    token = _watched.set(True)
    try:
        yield
    finally:
        _watched.reset(token)
