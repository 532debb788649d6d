"""What became of a memory that a run was shown; what the ledger and upkeep ask of a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from hindsight_core.schema import Scope

__all__ = ["LeaseStore", "LedgerStore", "MemoryUse", "UseCount", "Verdict"]


class Verdict(StrEnum):
    """What a run did with a memory: the mistake again, the correction, or neither of them."""

    REPEATED = "repeated"
    TAKEN = "taken"
    NEITHER = "neither"


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryUse:
    """One line of the ledger: what one run did with one memory, and how the run ended.

    `scope` is that of the run. `good` is None where nobody can tell how it ended. `withheld` marks
    a memory that would have been shown and was held back to see what difference it makes. `events`
    is how many events of the run the verdict rests on, `repeats` how often the mistake was made.
    """

    scope: Scope
    run_id: str
    memory_id: str
    verdict: Verdict
    good: bool | None
    at: datetime
    events: int
    repeats: int = 0
    withheld: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class UseCount:
    """How many runs did the same with a memory and ended alike."""

    memory_id: str
    verdict: Verdict
    good: bool | None
    withheld: bool
    runs: int


class LedgerStore(Protocol):
    """The ledger as a store keeps it; its lines are written by `EventStore.settle`.

    The ledger belongs to the user: a line is seen from every scope of his, and goes with the scope
    of its run when that is erased, or with its memory.
    """

    def uses(self, scope: Scope, *, run_id: str = "", memory_id: str = "") -> Sequence[MemoryUse]:
        """The lines of one run or of one memory, oldest first."""
        ...

    def count_uses(self, scope: Scope | None = None) -> Sequence[UseCount]:
        """The lines of a user (None: of the whole store), counted by what they say."""
        ...


class LeaseStore(Protocol):
    """Leases, by which one of many processes does what is to be done once."""

    def lease(
        self, name: str, owner: str, *, now: datetime, until: datetime, since: datetime
    ) -> bool:
        """Take a lease until a time, in one transaction.

        False while another owner holds it, or when the work was finished after `since`. The lease
        of an owner that was killed ends by itself.
        """
        ...

    def release(self, name: str, owner: str, *, done_at: datetime) -> None:
        """Give a lease back and note when the work was finished; nothing if it is another's."""
        ...
