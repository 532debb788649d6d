"""What reflection asks of a chat model and of a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from hindsight_core.port_types import PutResult, RunInfo
from hindsight_core.schema import Memory, Scope

__all__ = ["ChatModel", "ReflectionStore", "Spent"]


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers one question in text; never asked on an agent's path."""

    @property
    def name(self) -> str:
        """The model's name, for reports."""
        ...

    def answer(
        self, system: str, user: str, *, schema: Mapping[str, Any] | None, max_tokens: int
    ) -> str:
        """Return the answer's text, which should be JSON of that schema where one is given.

        A model that knows no schemas may ignore it. Raises `ModelError` when there is no answer.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Calls and tokens that were set aside for chat models since a time."""

    calls: int
    tokens: int


class ReflectionStore(Protocol):
    """The queue of runs that wait to be reflected on, and the budget that all processes share."""

    def unreflected(self, limit: int) -> Sequence[RunInfo]:
        """The runs that have ended, are judged, and were never reflected on, oldest first."""
        ...

    def reflect(
        self, run_ids: Sequence[str], memories: Sequence[Memory], *, at: datetime
    ) -> Sequence[PutResult]:
        """In one transaction: store what was learnt of runs, and take them off the queue.

        Raises `StaleError` when one of the runs was taken off already, and as `put` does; then
        nothing of it is stored.
        """
        ...

    def session_runs(self, scope: Scope, session: str) -> Sequence[RunInfo]:
        """The runs of a session (of that scope, or started in it) that a scope sees, oldest first.

        Those alone of which events are still kept.
        """
        ...

    def spend(self, *, at: datetime, since: datetime, tokens: int, most: Spent) -> bool:
        """Set one call and its tokens aside, or return False where that would exceed `most`.

        What was set aside since that time counts, by whichever process; one transaction.
        """
        ...

    def spent(self, since: datetime) -> Spent:
        """What was set aside since a time."""
        ...
