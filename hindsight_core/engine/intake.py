"""From the outbox to the store: judge a run's events, guard what they taught, store it.

Reading, merging and writing back is repeated when another process changed a record meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from math import inf
from time import monotonic
from typing import Final

from hindsight_core.capture import (
    Judgement,
    clear_lesson,
    is_of_one_state,
    judge_run,
    makes_it_the_way,
    merge_lesson,
    read_feedback,
    withdraw,
)
from hindsight_core.engine.admitting import HELD, may_join, verdict_on, waiting
from hindsight_core.engine.call_lessons import with_their_lessons
from hindsight_core.engine.contradicting import contradict
from hindsight_core.engine.core import Core, owner_is_gone
from hindsight_core.engine.crediting import credit_uses
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.judging import earned_trust
from hindsight_core.engine.observed import count_stored, observed
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.engine.relating import RELATABLE
from hindsight_core.engine.replacing import heir, superseded, tell_superseded
from hindsight_core.engine.revising import Reviser
from hindsight_core.engine.tiers import end_working, hold_working
from hindsight_core.engine.watching import Watch
from hindsight_core.events import FeedbackGiven, UserSaid
from hindsight_core.guard import Decision, Verdict
from hindsight_core.ports import AuditEntry, PutResult, RunInfo, Where
from hindsight_core.schema import Candidate, Kind, Memory, Scope, Status, check_text

__all__ = ["Intake"]

_BATCH: Final = 100
_IDLE: Final = timedelta(seconds=60)
"""After this long without an event a run that never ended counts as over."""


class Intake:
    """Judges runs and stores what they taught."""

    def __init__(self, core: Core, encoder: Encoder, watch: Watch) -> None:
        self._core = core
        self._encoder = encoder
        self._watch = watch
        self.maybe_over: set[str] = set()
        """Runs of this process that may have ended without a word: no event came since."""

    @observed("capture", count_stored)
    def drain(self, run_id: str) -> list[PutResult]:
        """Judge one run; doing it again, or in two processes at once, changes nothing more."""
        return repeat_while_stale(lambda: self._drain_once(run_id))

    def sweep(self, ended: str = "", *, seconds: float = inf) -> float:
        """Judge every run that is over: `ended`, or ended, last call raised, idle, or owner gone.

        Returns what is left of the seconds, 0 where they were too few.
        """
        until = monotonic() + seconds
        for run in self._core.store.runs(limit=_BATCH):
            if monotonic() > until:  # after an outage there may be many
                return 0.0
            if run.run_id == ended or self._is_over(run):
                self.drain(run.run_id)
        return max(0.0, until - monotonic())

    def hear(self, run_id: str, said: UserSaid) -> None:
        """Take the first words of the next turn as the user's verdict on a run, if they are one."""
        good = None if said.nested else read_feedback(said.text)
        if good is None or not self._core.store.events(run_id):
            return
        verdict = FeedbackGiven(
            run_id=run_id,
            scope=said.scope,
            key=f"{said.key}/verdict",
            at=said.at,
            good=good,
            text=said.text if makes_it_the_way(said.text) else "",
        )
        if self._core.store.append(verdict, owner=self._core.owner):
            self.drain(run_id)

    def drain_own(self) -> None:
        """Judge every run that this process recorded and has not judged yet."""
        waiting = self._core.store.runs(limit=1_000)
        for run in (run for run in waiting if run.owner == self._core.owner):
            self.drain(run.run_id)

    def admit(
        self, candidate: Candidate, *, actor: str, verdict: Verdict | None = None
    ) -> Memory | None:
        """Guard one candidate; None when it is refused, which the audit log tells."""
        check_text("content", candidate.value.content, limit=self._core.settings.max_memory_bytes)
        verdict = verdict or verdict_on(self._core, candidate)
        now = self._core.clock()
        if verdict.decision is Decision.REFUSED:
            self._core.store.audit(
                AuditEntry(
                    at=now,
                    actor=actor,
                    action="refused",
                    subject=candidate.kind,
                    detail="; ".join(verdict.reasons),
                )
            )
            return None
        held = verdict.decision is Decision.QUARANTINED
        if held and candidate.kind not in RELATABLE and not candidate.dedupe_key.endswith(HELD):
            candidate = waiting(candidate)
        memory_id = self._core.ids()
        memory = Memory(
            id=memory_id,
            scope=candidate.scope,
            kind=candidate.kind,
            tier=candidate.tier,
            status=Status.QUARANTINED if held else Status.ACTIVE,
            source=candidate.source,
            trust=verdict.trust,
            key=candidate.key,
            query=candidate.query,
            value=candidate.value,
            context=candidate.context,
            preference=candidate.preference,
            lesson=candidate.lesson,
            path=candidate.path,
            created_at=now,
            updated_at=now,
            expires_at=hold_working(self._core, candidate, memory_id, now),
            verified_runs=len({e.run_id for e in candidate.evidence}),
            lineage=candidate.lineage,
            evidence=candidate.evidence,
            dedupe_key=candidate.dedupe_key,
            reasons=verdict.reasons,
        )
        return self._watch.check(memory)

    def _drain_once(self, run_id: str) -> list[PutResult]:
        events = self._core.store.events(run_id)
        if not events:
            return []
        judgement = judge_run(events)
        memories = self._merge(judgement)
        for memory in self._taken_back(events[0].scope, run_id, judgement):
            memories.setdefault(memory.id, memory)
        contradict(self._core.store, events[0].scope, judgement, memories, self._revised)
        reviser = Reviser(self._core, memories, partial(self.admit, actor="capture")).read(events)
        uses = credit_uses(self._core.store, events, judgement, memories)
        results = self._core.store.settle(
            run_id,
            through=len(events),
            memories=list(memories.values()),
            calls=with_their_lessons(judgement, memories.values()),
            uses=uses,
        )
        tell_superseded(self._core, memories.values())
        reviser.tell()
        self._core.generation += bool(results)
        self.maybe_over.discard(run_id)
        end_working(self._core, events)
        made = {result.id for result in results if result.created}
        if results:
            self._encoder.wake([memory for memory in memories.values() if memory.id in made])
        return results

    def _merge(self, judgement: Judgement) -> dict[str, Memory]:
        """Join what the run taught with what is known; each id stands once in the result."""
        result: dict[str, Memory] = {}
        for candidate in judgement.candidates:
            known = self._core.store.find(candidate.scope, [candidate.dedupe_key])
            if known and not may_join(self._core, candidate):
                candidate = waiting(candidate)
                if self._core.store.find(candidate.scope, [candidate.dedupe_key]):
                    continue
            elif known:
                merged = merge_lesson(known[0], candidate, judgement.cleared)
                if merged != known[0]:
                    result |= self._said_again(known[0], self._revised(merged, known[0]))
                continue
            memory = self.admit(candidate, actor="capture")
            if memory is None:
                continue
            if memory.status is Status.ACTIVE and (replaced := superseded(self._core, memory)):
                memory = heir(memory, replaced)
                result.update((old.id, old) for old in replaced)
            result[memory.id] = memory
        return self._watch.held_back(result.values())

    def _said_again(self, old: Memory, merged: Memory) -> dict[str, Memory]:
        """A memory with what a run added; one that had been replaced takes its place again."""
        if old.superseded_by is None or merged.kind not in RELATABLE:
            return {merged.id: merged}
        back = merged.model_copy(update={"superseded_by": None})
        replaced = {m.id: m for m in superseded(self._core, back)}
        return replaced | {back.id: back.model_copy(update={"supersedes": tuple(replaced)})}

    def _taken_back(self, scope: Scope, run_id: str, judgement: Judgement) -> Iterator[Memory]:
        """Lessons that a success of this very call proves wrong, and the run's unverified path.

        What failed softly in another task, for what it came to there, may do so there again.
        """
        store = self._core.store
        for memory in store.find(scope, judgement.unverified):
            kept = withdraw(memory, run_id)
            if kept != memory:
                yield self._revised(kept, memory)
        tasks = {_task(call.situation) for call in judgement.calls}
        counted = (store.call_stats(scope, signature=one) for one in judgement.cleared)
        failed = [stats for found in counted for stats in found if stats.memory_id]
        here = {stats.memory_id for stats in failed if _task(stats.situation) in tasks}
        named = {m.id: m for m in store.get(scope, sorted({s.memory_id for s in failed}))}
        for tool in judgement.cleared_tools:  # a lesson that no count leads to any more
            where = Where(kinds=(Kind.LESSON,), tool_sequence=(tool,))
            named |= {m.id: m for m in store.select(scope, where) if m.id not in named}
        for memory in named.values():
            if memory.id not in here and is_of_one_state(memory):
                continue
            cleared = clear_lesson(memory, judgement.cleared, judgement.cleared_tools)
            if cleared != memory:
                yield self._revised(cleared, memory)

    def _revised(self, new: Memory, old: Memory) -> Memory:
        revised = new.model_copy(
            update={
                "revision": old.revision + 1,
                "updated_at": self._core.clock(),
                "verified_runs": len({e.run_id for e in new.evidence}),
            }
        )
        return revised.model_copy(update={"trust": earned_trust(revised)})

    def _is_over(self, run: RunInfo) -> bool:
        over = run.ended or owner_is_gone(run.owner) or run.run_id in self.maybe_over
        return over or self._core.clock() - run.last_at > _IDLE


def _task(situation: str) -> str:
    return situation.partition("/")[0]
