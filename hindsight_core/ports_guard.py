"""What the guard keeps of its own beside the memories: decisions of persons, alerts, grants.

A part of `Store`; kept apart from `ports` because only the guard reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hindsight_core.schema import Scope, Status

__all__ = ["GuardRecord", "GuardStore"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardRecord:
    """One record of the guard: it belongs to a scope and is erased with it.

    `body` is JSON, `about` the id of the memory that it is about, empty where it is about none.
    """

    id: str
    scope: Scope
    kind: str
    at: datetime
    about: str = ""
    body: str = "{}"


class GuardStore(Protocol):
    """The guard's own records. Every call is one transaction."""

    def keep(self, records: Sequence[GuardRecord]) -> None:
        """Insert, or replace by id; a record of another user's id is never replaced."""
        ...

    def kept(
        self, *kinds: str, tenant: str | None, user: str | None = None, limit: int = 1_000
    ) -> list[GuardRecord]:
        """List the records of these kinds, newest first: of a user, of a tenant, or of all."""
        ...

    def drop(self, ids: Sequence[str], *, tenant: str) -> int:
        """Delete records by id; return how many there were."""
        ...

    def scopes_holding(self, status: Status, *, tenant: str | None = None) -> list[Scope]:
        """The scopes that hold a memory of a status, oldest scope first; None: of all tenants."""
        ...

    def key_audit(self, key: Callable[[], bytes]) -> None:
        """From now on write and check the audit log under this key; an empty one keys nothing."""
        ...

    def vouch_audit(self, *, at: datetime, by: str) -> int:
        """Take the audit entries that were written without the key for good; return how many.

        Raises `ConfigurationError` without a key, or where the log was tampered with.
        """
        ...

    def backups(self) -> list[str]:
        """URLs of the copies that the store made of itself and that are still there."""
        ...

    def derived(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        """The ids of the user's memories whose lineage leads to one of these, at any remove."""
        ...
