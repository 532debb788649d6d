"""What decides about a tier: where a memory was used, what it claims, whether its run is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from hindsight_core.capture import extract_preferences
from hindsight_core.engine.core import Core
from hindsight_core.events import Event, RunEnded, RunStarted
from hindsight_core.maintenance import WORKING_DAYS, Standing
from hindsight_core.ports import RunInfo, Store
from hindsight_core.recall import RecallReport
from hindsight_core.schema import Candidate, Memory, Scope, Source, Status, Tier

__all__ = ["Tiers", "end_working", "hold_working"]

_MOST_RUNS: Final = 10_000
_MOST_HELD: Final = 1_000


class Tiers:
    """Reads, once for one scope and only where a memory asks for it, what maintenance must know."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._reports: list[RecallReport] | None = None
        self._runs: list[RunInfo] | None = None
        self._sessions: dict[str, str] = {}

    def standing(self, memory: Memory) -> Standing:
        """What is known of a memory of a lower tier; nothing of one that is long-term."""
        if memory.status is not Status.ACTIVE or memory.tier is Tier.LONG:
            return Standing()
        if memory.tier is Tier.WORKING:
            if self._runs is None:
                self._runs = self._store.runs(pending_only=False, limit=_MOST_RUNS)
            return Standing(run_over=_is_over(memory.scope, memory.created_at, self._runs))
        own = memory.source in (Source.USER, Source.OPERATOR)
        return Standing(
            sessions=len(self._used_in(memory)) if memory.references else 0,
            lasting=own and bool(extract_preferences(memory.content)),
        )

    def _used_in(self, memory: Memory) -> set[str]:
        """The sessions in which it was put before a model, without those in which it was learnt."""
        if self._reports is None:
            loaded = self._store.load_recalls(self._scope)
            self._reports = [RecallReport.model_validate_json(report) for report in loaded]
        shown = {
            report.run_id
            for report in self._reports
            if report.run_id
            and report.at > memory.created_at
            and any(one.shown and one.memory_id == memory.id for one in report.candidates)
        }
        own = {self._session(one.run_id) for one in memory.evidence}
        return {self._session(run_id) for run_id in shown} - own

    def _session(self, run_id: str) -> str:
        """The session of a run; a run without one is a session of its own."""
        if run_id not in self._sessions:
            started = (e for e in self._store.events(run_id) if isinstance(e, RunStarted))
            self._sessions[run_id] = next((e.session or run_id for e in started), run_id)
        return self._sessions[run_id]


def hold_working(
    core: Core, candidate: Candidate, memory_id: str, now: datetime
) -> datetime | None:
    """When a candidate expires; working memory is held by this process until its run ends."""
    if candidate.tier is not Tier.WORKING:
        return candidate.expires_at
    held = core.working.setdefault(candidate.scope, [])
    held.append(memory_id)
    del held[:-_MOST_HELD]
    latest = now + timedelta(days=WORKING_DAYS)
    return min(latest, candidate.expires_at or latest)


def end_working(core: Core, events: Sequence[Event]) -> None:
    """Delete the working memory of a run that has ended, unless another run may still need it."""
    whose = (events[0].scope.tenant, events[0].scope.user)
    scopes = [one for one in list(core.working) if (one.tenant, one.user) == whose]
    if not scopes or not any(isinstance(event, RunEnded) for event in events):
        return
    runs = core.store.runs(pending_only=False, limit=_MOST_RUNS)
    for scope in scopes:
        found = core.store.get(scope, core.working.pop(scope, []))
        over = [memory.id for memory in found if _is_over(scope, memory.created_at, runs)]
        core.store.delete(scope, over, wipe=False)
        core.generation += bool(over)
        if left := [memory.id for memory in found if memory.id not in over]:
            core.working.setdefault(scope, []).extend(left)


def _is_over(scope: Scope, made_at: datetime, runs: Sequence[RunInfo]) -> bool:
    """Whether no run of this user goes on that began before the memory was made."""
    whose = (scope.tenant, scope.user)
    return not any(
        not run.ended and run.first_at <= made_at and (run.scope.tenant, run.scope.user) == whose
        for run in runs
    )
