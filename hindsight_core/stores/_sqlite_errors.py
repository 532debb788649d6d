"""Turns SQLite's errors into the typed errors of this package, each with its way out."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hindsight_core.errors import (
    HindsightError,
    InvalidMemoryError,
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)

__all__ = ["mapped", "translate", "was_busy"]

_UNAVAILABLE: Final = {
    sqlite3.SQLITE_BUSY: "another process kept it locked for longer than the busy timeout; "
    "try again, or stop the process that holds it",
    sqlite3.SQLITE_LOCKED: "another call holds a table of it; try again",
    sqlite3.SQLITE_READONLY: "it may not be written; give this user write access to the file and "
    "its folder, or open another path",
    sqlite3.SQLITE_FULL: "the disk (or its quota) is full; free some space, nothing was stored",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write; check the disk and the mount",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that the folder exists and that this user "
    "may write there",
    sqlite3.SQLITE_PERM: "access is denied; give this user write access to the file and its folder",
    sqlite3.SQLITE_AUTH: "access is denied; give this user write access to the file and its folder",
    sqlite3.SQLITE_NOMEM: "the memory is exhausted; close other programs",
    sqlite3.SQLITE_PROTOCOL: "its lock protocol failed; is it on a network drive? Use a local one",
}
_CORRUPT: Final = {
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_NOTADB: "is not a store",
}


def translate(error: sqlite3.Error | UnicodeEncodeError, path: Path) -> HindsightError:
    """Return the typed error for one of SQLite's; the caller raises it `from` the original."""
    if isinstance(error, UnicodeEncodeError):
        return InvalidMemoryError(
            "text", "holds a lone surrogate, which no store can keep", "Pass it through text.clean"
        )
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in _CORRUPT:
        return StoreCorruptError(
            f"{path} {_CORRUPT[primary]} ({error}). Move it away and restore a backup, recover "
            "what is left with 'sqlite3 FILE .recover', or open another path"
        )
    if primary in _UNAVAILABLE:
        return StoreUnavailableError(f"{path}: {_UNAVAILABLE[primary]} ({error})")
    if "no such module: fts5" in str(error):
        return StoreUnavailableError(
            f"{path}: this Python's SQLite has no FTS5; use a Python from python.org, your "
            "distribution or uv, all of which have it"
        )
    return StoreError(f"{path}: SQLite refused ({type(error).__name__}: {error})")


@contextmanager
def mapped(path: Path) -> Generator[None]:
    """Raise whatever SQLite raises inside as a typed error."""
    try:
        yield
    except (sqlite3.Error, UnicodeEncodeError) as error:
        raise translate(error, path) from error


def was_busy(error: StoreUnavailableError) -> bool:
    """Whether a call was in vain only because others wrote for too long."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF == sqlite3.SQLITE_BUSY
