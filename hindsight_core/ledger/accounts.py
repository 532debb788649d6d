"""The account of each memory: how often it was shown and taken, and how those runs ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hindsight_core.ledger.holdout import Uplift, estimate_uplift
from hindsight_core.ledger.posterior import Posterior
from hindsight_core.ports_ledger import UseCount, Verdict

__all__ = ["Account", "read_accounts"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """The sums of one memory's lines in the ledger, each in runs.

    `taken` is the sum of `taken_good`, `taken_bad` and those whose end nobody can tell. `uplift` is
    None unless it was withheld from some runs.
    """

    memory_id: str
    shown: int = 0
    taken: int = 0
    taken_good: int = 0
    taken_bad: int = 0
    repeated: int = 0
    neither: int = 0
    withheld: int = 0
    uplift: Uplift | None = None

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        if self.uplift is not None:
            plain["uplift"] = {
                "mean": self.uplift.mean,
                "low": self.uplift.low,
                "high": self.uplift.high,
                "harms": self.uplift.harms,
            }
        return plain


_PLAIN = (
    "memory_id",
    "shown",
    "taken",
    "taken_good",
    "taken_bad",
    "repeated",
    "neither",
    "withheld",
)


def read_accounts(counts: Iterable[UseCount]) -> dict[str, Account]:
    """Return the account of each memory that the counts name, by its id."""
    lines: dict[str, list[UseCount]] = {}
    for count in counts:
        lines.setdefault(count.memory_id, []).append(count)
    return {memory_id: _account(memory_id, found) for memory_id, found in lines.items()}


def _account(memory_id: str, lines: list[UseCount]) -> Account:
    shown = [line for line in lines if not line.withheld]
    withheld = [line for line in lines if line.withheld]
    taken = [line for line in shown if line.verdict is Verdict.TAKEN]
    return Account(
        memory_id=memory_id,
        shown=_runs(shown),
        taken=_runs(taken),
        taken_good=_runs(line for line in taken if line.good is True),
        taken_bad=_runs(line for line in taken if line.good is False),
        repeated=_runs(line for line in shown if line.verdict is Verdict.REPEATED),
        neither=_runs(line for line in shown if line.verdict is Verdict.NEITHER),
        withheld=_runs(withheld),
        uplift=estimate_uplift(_ended(shown), _ended(withheld)),
    )


def _runs(lines: Iterable[UseCount]) -> int:
    return sum(line.runs for line in lines)


def _ended(lines: Iterable[UseCount]) -> Posterior:
    known = [line for line in lines if line.good is not None]
    return Posterior(
        hits=_runs(line for line in known if line.good),
        misses=_runs(line for line in known if not line.good),
    )
