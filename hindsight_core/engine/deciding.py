"""A person's word on a memory in quarantine: what it changes, and what the guard keeps of it."""

from __future__ import annotations

from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.engine.verifying import as_stored
from hindsight_core.errors import ConfigurationError, StaleError, StoreError
from hindsight_core.guard.learnt import ADMITTED, REFUSED, Decided
from hindsight_core.guard.marks import marks_of
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Memory, Scope, Status, check_text
from hindsight_core.text import clean

__all__ = ["DECISION", "Deciding", "covers", "who"]

DECISION: Final = "decision"
_MAX_NAME: Final = 200
_MAX_WHY: Final = 2_000
_PAGE: Final = 500


def who(by: object) -> str:
    """Return the name of who decides; raises `ConfigurationError` when nobody is named."""
    name = " ".join(clean(by).split()) if isinstance(by, str) else ""
    if not name or len(name) > _MAX_NAME:
        raise ConfigurationError(
            f"by: name who decides, in at most {_MAX_NAME} characters: by='anna@example.org'"
        )
    return name


def covers(wide: Scope, narrow: Scope) -> bool:
    """Whether `narrow` is `wide` or inside it, so that who decides on it decides on that."""
    return (
        (wide.tenant, wide.user) == (narrow.tenant, narrow.user)
        and wide.agent in (None, narrow.agent)
        and wide.session in (None, narrow.session)
    )


class Deciding:
    """Lists what waits in quarantine, and carries out what a person decided."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def waiting(self, scope: Scope) -> list[Memory]:
        """Everything in quarantine in a scope and inside it, newest first."""
        store = self._core.store
        found: dict[str, Memory] = {}
        for place in store.scopes_holding(Status.QUARANTINED, tenant=scope.tenant):
            if covers(scope, place):
                where = Where(statuses=(Status.QUARANTINED,), include_superseded=True)
                page = store.select(place, where, limit=_PAGE)
                start = 0
                while page:
                    found.update((m.id, m) for m in page if covers(scope, m.scope))
                    start += len(page)
                    page = store.select(place, where, limit=_PAGE, offset=start)
        return sorted(found.values(), key=lambda memory: memory.created_at, reverse=True)

    def find(self, scope: Scope, memory_id: str) -> Memory | None:
        """The memory in quarantine of that id in a scope or inside it."""
        for place in self._core.store.scopes_holding(Status.QUARANTINED, tenant=scope.tenant):
            if covers(scope, place):
                for memory in self._core.store.get(place, [memory_id]):
                    if memory.status is Status.QUARANTINED and covers(scope, memory.scope):
                        return memory
        return None

    def decide(self, memory: Memory, *, admit: bool, by: str, why: str = "") -> Memory:
        """Admit a memory, or archive it as refused; keep the decision and log it.

        An admitted memory takes part in recall with the trust of its channel: that it may be shown
        is no proof that it is true.
        """
        name = who(by)
        if not self._core.seal.is_intact(memory):
            as_stored(self._core, memory)
            raise StaleError(
                f"memory {memory.id} was changed outside of this memory. Look at it as it is now: "
                f"'hindsight-core review show {memory.id}'"
            )
        reason = check_text("why", why, limit=_MAX_WHY) if why.strip() else ""
        decision = ADMITTED if admit else REFUSED
        decided = self._put(memory, decision, name)
        marks = marks_of(memory.content)
        kept = Decided(
            decision=decision,
            source=memory.source,
            by=name,
            why=reason,
            reasons=memory.reasons,
            words=tuple(sorted(marks.words)),
            numbers=tuple(sorted(marks.numbers)),
        )
        now = self._core.clock()
        record = GuardRecord(
            id=self._core.ids(),
            scope=memory.scope,
            kind=DECISION,
            at=now,
            about=memory.id,
            body=kept.model_dump_json(),
        )
        self._core.store.keep([record])
        entry = AuditEntry(at=now, actor=name, action=f"review: {decision}", subject=memory.id)
        self._core.store.audit(entry)
        return decided

    def _put(self, memory: Memory, decision: str, name: str) -> Memory:
        status = Status.ACTIVE if decision == ADMITTED else Status.ARCHIVED

        def change(known: Memory) -> Memory:
            changed = known.model_copy(
                update={
                    "status": status,
                    "reasons": (*known.reasons, f"{decision} by {name}"),
                    "updated_at": self._core.clock(),
                    "revision": known.revision + 1,
                }
            )
            self._core.store.put([changed])
            return changed

        def waiting() -> Memory:
            for known in self._core.store.get(memory.scope, [memory.id]):
                if known.status is Status.QUARANTINED:
                    return known
            raise StoreError(f"memory {memory.id} does not wait for a decision any more")

        try:
            return change(memory)  # what the person looked at
        except StaleError:
            return repeat_while_stale(lambda: change(waiting()))
