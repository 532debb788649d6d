"""Watches what is written: knows again what persons decided on, and tells an attack by its crowd.

Every new memory passes `Watch.check` once, after the content rules. What is remembered of a write
are marks, never its text. Another process's writes are read from the store every few seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from hindsight_core.alerts import Alert
from hindsight_core.engine.alerting import ALERT, Alerts, reason_of
from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import DECISION
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.engine.places import Key, Place, add, key, kinds_of
from hindsight_core.engine.places import recent as recent_writes
from hindsight_core.guard.anomaly import detect
from hindsight_core.guard.learnt import ADMITTED, Decided, recognise
from hindsight_core.guard.marks import marks_of
from hindsight_core.ports import Where
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Memory, Scope, Source, Status
from hindsight_core.text import shorten

__all__ = ["Watch"]

_SCOPES: Final = 1_000
_SEEDED: Final = 256
"""Writes that are read from the store when a scope is first written to, or looked at again."""
_AGAIN: Final = timedelta(seconds=5)
_OVERLAP: Final = timedelta(seconds=60)
_RECORDS: Final = 500
_TASK_READ: Final = 2_000
_TRUSTED: Final = frozenset({Source.USER, Source.OPERATOR})


class Watch:
    """Judges each new memory by what came before it; thread-safe."""

    def __init__(self, core: Core, alerts: Alerts) -> None:
        self._core = core
        self._alerts = alerts
        self._lock = threading.RLock()
        self._places: dict[Key, Place] = {}
        self._held: dict[str, str] = {}
        self._decided: dict[str, Decided] = {}
        core.caches.append(self.clear)

    def clear(self) -> None:
        """Forget every write and task; what is in the store is read again."""
        with self._lock:
            self._places.clear()
            self._held.clear()
            self._decided.clear()
        marks_of.cache_clear()

    def task(self, scope: Scope, text: str) -> None:
        """Take note of what a run is about, to tell what is off topic."""
        if text.strip():
            with self._lock:
                self._place(scope).tasks.append(shorten(text, _TASK_READ))

    def check(self, memory: Memory) -> Memory:
        """Return the memory as it may be stored: as it is, or in quarantine with the reason.

        Writes by the operator, and those that were announced, are not counted.
        """
        if memory.source is Source.OPERATOR:
            return memory
        owner = memory.scope
        records = self._core.store.kept(
            DECISION, ALERT, tenant=owner.tenant, user=owner.user, limit=_RECORDS
        )
        memory = self._as_decided(memory, [r for r in records if r.kind == DECISION])
        limits = self._core.settings.anomaly
        if limits is None:
            return memory
        if self._alerts.is_expecting(memory.scope):
            return memory
        with self._lock:
            place = self._seen(memory)
            alerts = self._alerts.of_scope(memory.scope, records)
            standing = next((a for a in alerts if a.is_open and _holds(a, memory)), None)
            if standing is not None:
                return _held_back(memory, standing)
            raised = self._detect(memory, place, alerts)
        if raised is None:
            return memory
        alert, ids = raised
        self._alerts.raise_alert(alert)
        self._hold(memory.scope, alert, ids - {memory.id})
        return _held_back(memory, alert)

    def held_back(self, memories: Iterable[Memory]) -> dict[str, Memory]:
        """The memories of a batch, those in quarantine that a later one of it showed to be odd."""
        with self._lock:
            held = {memory.id: self._held.pop(memory.id, "") for memory in memories}
        return {
            memory.id: _quarantined(memory, held[memory.id]) if held[memory.id] else memory
            for memory in memories
        }

    def _as_decided(self, memory: Memory, records: Sequence[GuardRecord]) -> Memory:
        """Do with a memory as a person did with one like it."""
        if not records or memory.source in _TRUSTED:
            return memory
        with self._lock:
            known = {
                r.id: self._decided.get(r.id) or Decided.model_validate_json(r.body)
                for r in records
            }
            self._decided = known
        found = recognise(marks_of(memory.content), memory.source, known.values())
        if found is None:
            return memory
        if found.decision == ADMITTED:
            if memory.status is not Status.QUARANTINED or not set(memory.reasons) <= set(
                found.reasons
            ):
                return memory
            reasons = (*memory.reasons, f"admitted before by {found.by}")
            return memory.model_copy(update={"status": Status.ACTIVE, "reasons": reasons})
        return _quarantined(memory, f"like one that was refused by {found.by}")

    def _seen(self, memory: Memory) -> Place:
        place = self._place(memory.scope)
        now = self._core.clock()
        if place.read_at is None or now - place.read_at >= _AGAIN:
            known_until = place.read_at and place.read_at - _OVERLAP
            place.read_at = now
            newest = self._core.store.select(
                memory.scope, Where(statuses=(), include_superseded=True), limit=_SEEDED
            )
            for known in reversed(newest):
                if known_until is not None and known.created_at <= known_until:
                    continue
                if key(known.scope) == key(memory.scope):
                    add(place, known, None)
        topic = None
        if place.tasks:
            own = marks_of(memory.content).all
            topic = any(not own.isdisjoint(marks_of(task).all) for task in place.tasks)
        add(place, memory, topic)
        return place

    def _detect(
        self, memory: Memory, place: Place, alerts: list[Alert]
    ) -> tuple[Alert, set[str]] | None:
        limits = self._core.settings.anomaly
        if limits is None:
            return None
        closed = [a.closed_at for a in alerts if a.closed_at is not None]
        start = memory.created_at - timedelta(minutes=limits.window_minutes)
        recent = recent_writes(place, kinds_of(memory), max([start, *closed]))
        if not recent or recent[-1].id != memory.id:
            return None  # a repetition to the letter adds nothing
        found = detect(recent, limits, usual=place.usual)
        if found is None:
            return None
        alert = Alert(
            id=self._core.ids(),
            scope=memory.scope.model_copy(update={"session": None}),
            pattern=found.pattern,
            source=memory.source.value,
            count=len(found.ids),
            at=self._core.clock(),
        )
        slack = self._alerts.slack(alerts, alert)
        if slack > 1:
            found = detect(recent, limits, usual=place.usual, slack=slack)
            if found is None:
                return None
        return alert.model_copy(update={"count": len(found.ids)}), set(found.ids)

    def _hold(self, scope: Scope, alert: Alert, ids: set[str]) -> None:
        """Take back what was let in before the pattern showed; what is not stored yet waits."""
        store, reason = self._core.store, reason_of(alert)
        stored = {memory.id for memory in store.get(scope, sorted(ids))}
        with self._lock:
            self._held.update(dict.fromkeys(ids - stored, reason))
        for memory_id in sorted(stored):
            self._take_back(scope, memory_id, reason)

    def _take_back(self, scope: Scope, memory_id: str, reason: str) -> None:
        def change() -> None:
            for memory in self._core.store.get(scope, [memory_id]):
                held = _quarantined(memory, reason)
                self._core.store.put([held.model_copy(update={"revision": memory.revision + 1})])

        repeat_while_stale(change)

    def _place(self, scope: Scope) -> Place:
        place = self._places.setdefault(key(scope), Place())
        while len(self._places) > _SCOPES:
            self._places.pop(next(iter(self._places)))
        return place


def _holds(alert: Alert, memory: Memory) -> bool:
    """While an alert stands, everything but a user's own words is held back, or those too."""
    return memory.source not in _TRUSTED or alert.source == memory.source.value


def _held_back(memory: Memory, alert: Alert) -> Memory:
    return _quarantined(memory, reason_of(alert))


def _quarantined(memory: Memory, reason: str) -> Memory:
    reasons = tuple(dict.fromkeys((*memory.reasons, reason)))
    return memory.model_copy(update={"status": Status.QUARANTINED, "reasons": reasons})
