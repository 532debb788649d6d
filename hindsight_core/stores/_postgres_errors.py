"""Turns PostgreSQL's errors into the typed errors of this package, each with its way out."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout, TooManyRequests

from hindsight_core.errors import (
    HindsightError,
    InvalidMemoryError,
    StoreError,
    StoreUnavailableError,
)

__all__ = ["mapped", "translate"]


def translate(error: Exception, place: str) -> HindsightError:
    """Return the typed error for one of PostgreSQL's; the caller raises it `from` the original."""
    if isinstance(error, UnicodeEncodeError):
        return InvalidMemoryError(
            "text", "holds a lone surrogate, which no store can keep", "Pass it through text.clean"
        )
    said = str(error).strip().partition("\n")[0]
    if isinstance(error, errors.LockNotAvailable | errors.QueryCanceled):
        return StoreUnavailableError(
            f"{place}: another process kept it locked for longer than the busy timeout; try again "
            f"({said})"
        )
    if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
        return StoreUnavailableError(
            f"{place}: this user may not do that; grant it the rights on the schema, or connect to "
            f"the primary server ({said})"
        )
    # What is asked of a connection that was cut off meanwhile is an InterfaceError.
    lost = psycopg.OperationalError | psycopg.InterfaceError | PoolTimeout | TooManyRequests
    if isinstance(error, lost):
        return StoreUnavailableError(
            f"{place} does not answer; check that the server runs, the address and the password. "
            f"It is tried again at the next call ({said})"
        )
    if isinstance(error, psycopg.DataError):
        return InvalidMemoryError(
            "text", f"cannot be stored ({error.sqlstate})", "Pass it through text.clean"
        )
    # Any other message may quote the values of a row.
    told = said if isinstance(error, errors.RaiseException) else getattr(error, "sqlstate", "")
    return StoreError(f"{place}: PostgreSQL refused ({type(error).__name__}: {told})")


@contextmanager
def mapped(place: str) -> Generator[None]:
    """Raise whatever PostgreSQL or its pool raises inside as a typed error."""
    try:
        yield
    except (psycopg.Error, PoolTimeout, TooManyRequests, UnicodeEncodeError) as error:
        raise translate(error, place) from error
