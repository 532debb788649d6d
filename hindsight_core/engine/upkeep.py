"""Maintenance over a whole store: what is due in each scope is planned, then done step by step.

Each step is a change under the record's revision, so a run that uses a memory meanwhile wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.items import ITEMS
from hindsight_core.engine.tiers import Tiers
from hindsight_core.errors import NotFoundError, StaleError
from hindsight_core.ledger import read_accounts
from hindsight_core.maintenance import Action, Query, Step, carry_out, count_returns, plan, restored
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.recall import RecallReport
from hindsight_core.schema import Memory, Scope, Status
from hindsight_core.settings import Policy

__all__ = ["LEASE", "MaintenanceReport", "Upkeep"]

LEASE: Final = "upkeep"
_LEASE_TIME: Final = timedelta(minutes=30)
_PAGE: Final = 2_500
_LOOKED_AT: Final = (Status.ACTIVE, Status.ARCHIVED, Status.COLD)
_POLICY: Final = Policy()
_ACTOR: Final = "maintenance"


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceReport:
    """What maintenance found due, and what became of it.

    `steps` are the steps that were done, in a dry run those that would be; `passed_over` counts
    memories that were used or changed meanwhile; `runs_pruned` events of runs older than
    `Settings.keep_runs_days`, `proposed` what was newly proposed (see `Proposals`). `ran` is False
    where another process was at it.
    """

    at: datetime
    dry_run: bool
    steps: tuple[Step, ...] = ()
    looked_at: int = 0
    passed_over: int = 0
    runs_pruned: int = 0
    proposed: int = 0
    ran: bool = True

    @property
    def counts(self) -> dict[str, int]:
        """How many steps there were of each action."""
        return dict(sorted(Counter(step.action.value for step in self.steps).items()))

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return {
            "at": self.at.isoformat(),
            "dry_run": self.dry_run,
            "ran": self.ran,
            "looked_at": self.looked_at,
            "passed_over": self.passed_over,
            "runs_pruned": self.runs_pruned,
            "proposed": self.proposed,
            "counts": self.counts,
            "steps": [step.as_dict() for step in self.steps],
        }


class Upkeep:
    """Maintains the store of one open `Hindsight`."""

    def __init__(self, core: Core, encoder: Encoder, propose: Callable[[], Sized]) -> None:
        self._core = core
        self._encoder = encoder
        self._propose = propose

    def maintain(
        self, *, dry_run: bool = False, every: timedelta | None = None
    ) -> MaintenanceReport:
        """Do what is due in all scopes; one process at a time, and with `every` not more often.

        A dry run changes nothing and needs no lease.
        """
        store, now, owner = self._core.store, self._core.clock(), self._core.owner
        if dry_run:
            steps, looked_at = self._plan(now)
            return MaintenanceReport(at=now, dry_run=True, steps=tuple(steps), looked_at=looked_at)
        since = now - every if every is not None else now
        if not store.lease(LEASE, owner, now=now, until=now + _LEASE_TIME, since=since):
            return MaintenanceReport(at=now, dry_run=False, ran=False)
        steps, looked_at = self._plan(now)
        done = [step for step in steps if self._do(step, now)]
        proposed = 0
        with self._core.failsafe.guard("propose"):
            proposed = len(self._propose())
        pruned = store.prune_events(before=now - timedelta(days=self._core.settings.keep_runs_days))
        store.release(LEASE, owner, done_at=self._core.clock())
        if any(step.action is Action.RESTORE for step in done):
            self._encoder.wake()
        return MaintenanceReport(
            at=now,
            dry_run=False,
            steps=tuple(done),
            looked_at=looked_at,
            passed_over=len(steps) - len(done),
            runs_pruned=pruned,
            proposed=proposed,
        )

    def restore(self, scope: Scope, memory_id: str) -> Memory:
        """Bring back a memory that was archived or is cold; raises `NotFoundError`."""
        found = self._core.store.get(scope, [memory_id])
        if not found or found[0].status not in (Status.ARCHIVED, Status.COLD):
            raise NotFoundError(
                f"{memory_id!r}: no memory of that id is archived or in cold storage here. "
                "'hindsight-core list --status cold' and '--status archived' show them"
            )
        now = self._core.clock()
        memory = restored(found[0], now)
        self._core.store.put([memory])
        self._audit(now, "user", "restore", memory_id, "")
        self._encoder.wake([memory])
        return memory

    def _plan(self, now: datetime) -> tuple[list[Step], int]:
        store = self._core.store
        steps: list[Step] = []
        looked_at = 0
        policies = self._core.settings.policies
        accounts = read_accounts(store.count_uses())
        scopes = {s: None for status in _LOOKED_AT for s in store.scopes_holding(status)}
        for scope in scopes:
            if scope.agent == ITEMS:
                continue  # data of a program's own, which forgets them by its own terms
            queries: Sequence[Query] | None = None
            tiers = Tiers(store, scope)
            for memory in self._memories(scope):
                looked_at += 1
                returns = 0
                if memory.status is Status.COLD:
                    queries = self._queries(scope) if queries is None else queries
                    returns = count_returns(memory, queries)
                account = accounts.get(memory.id)
                step = plan(
                    memory,
                    now,
                    uplift=account.uplift if account else None,
                    returns=returns,
                    policy=policies.get(memory.kind, _POLICY),
                    standing=tiers.standing(memory),
                )
                if step is not None:
                    steps.append(step)
        return steps, looked_at

    def _memories(self, scope: Scope) -> Iterator[Memory]:
        """Every memory of exactly this scope that maintenance may touch."""
        where = Where(statuses=_LOOKED_AT, include_superseded=True)
        for offset in range(0, 1 << 40, _PAGE):
            page = self._core.store.select(scope, where, limit=_PAGE, offset=offset)
            yield from (memory for memory in page if memory.scope == scope)
            if len(page) < _PAGE:
                return

    def _queries(self, scope: Scope) -> list[Query]:
        """What the runs of a scope asked for, as far as their reports are kept."""
        reports = map(RecallReport.model_validate_json, self._core.store.load_recalls(scope))
        return [Query.of(report.run_id, report.at, report.query) for report in reports]

    def _do(self, step: Step, now: datetime) -> bool:
        """Do one step; False when the memory is no longer as it was planned for."""
        if step.action is Action.KEEP:
            return True
        store, memory = self._core.store, step.memory
        if store.get(memory.scope, [memory.id]) != [memory]:
            return False
        changed = carry_out(step, now)
        if changed is None:
            store.delete(memory.scope, [memory.id], wipe=False)
        else:
            try:
                store.put([changed])
            except StaleError:
                return False
        self._audit(now, _ACTOR, step.action.value, memory.id, step.reason)
        return True

    def _audit(self, at: datetime, actor: str, action: str, subject: str, detail: str) -> None:
        self._core.store.audit(
            AuditEntry(at=at, actor=actor, action=action, subject=subject, detail=detail)
        )
