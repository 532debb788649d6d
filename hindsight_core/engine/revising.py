"""What a user's turns make of what he said before: reworded, put away at his word, or to be erased.

A turn that only corrects ("no, not npm: pnpm", "make that green") says nothing by itself, so it is
read against his own standing statements. What he asks to be forgotten is archived, which can be
undone; to erase everything takes a person with access, since a text is no proof of who wrote it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Self

from hindsight_core.capture import (
    EXCLUSIVE_SLOTS,
    Reply,
    asks_for_erasure,
    forgotten,
    is_on_the_same,
    late_news,
    names,
    read_reply,
    restated,
    reworded,
    reworded_act,
)
from hindsight_core.engine.core import Core
from hindsight_core.engine.relating import RELATABLE, is_replaced
from hindsight_core.events import Event, UserSaid
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.schema import Candidate, Kind, Memory, Source, Status

__all__ = ["Reviser"]

logger: Final = logging.getLogger("hindsight_core")
_MOST: Final = 200
"""The newest statements that a turn is read against."""
_CONVERSATION: Final = timedelta(minutes=30)
"""So long ago at most was said what a turn corrects without naming it."""

_PUT_AWAY: Final = (Status.ACTIVE, Status.ARCHIVED)
"""A statement that gave way stays active, and names the one that it gave way to."""
_ERASURE: Final = "erasure asked for"

Admit = Callable[[Candidate], Memory | None]


class Reviser:
    """Applies the turns of one run to what its user said before.

    `memories` are those that the run changes, by id, each at its next revision; it takes up what is
    changed here. `admit` guards a candidate.
    """

    def __init__(self, core: Core, memories: dict[str, Memory], admit: Admit) -> None:
        self._core = core
        self._memories = memories
        self._admit = admit
        self._notes: list[AuditEntry] = []

    def read(self, events: Sequence[Event]) -> Self:
        """Read the person's turns in their order."""
        said = (one for one in events if isinstance(one, UserSaid) and not one.nested)
        for event in sorted(said, key=lambda one: one.at):
            if asks_for_erasure(event.text):
                self._note(event, _ERASURE, f"turn {event.key}", "'forget --all' was not run")
            for what in forgotten(event.text):
                self._forget(event, what)
            self._correct(event)
        return self

    def tell(self) -> None:
        """Write down what was done, once it is stored."""
        for note in self._notes:
            if note.action != _ERASURE:
                self._core.store.audit(note)
            elif not self._is_told(note):
                self._core.store.audit(note)
                logger.warning(
                    "a user asked to erase all that is known of him; an operator can do that with "
                    "'hindsight-core forget --all' (see 'hindsight-core audit')"
                )

    def _is_told(self, note: AuditEntry) -> bool:
        """Whether an earlier judgement of this run told of a wish already."""
        mark = (note.action, note.subject, note.at)
        log = self._core.store.audit_log()
        return any((one.action, one.subject, one.at) == mark for one in log)

    def _forget(self, event: UserSaid, what: str) -> None:
        for memory in self._standing(event):
            if names(what, memory.content):
                self._change(memory, status=Status.ARCHIVED)
                self._note(event, "archive", memory.id, "the user asked to forget it")

    def _correct(self, event: UserSaid) -> None:
        reply, news = read_reply(event.text), late_news(event.text)
        if reply is None and not news and not is_on_the_same(event.text):
            return
        standing = self._standing(event)
        for old in standing:
            text = self._reworded(event, old, reply)
            new = self._admitted(event, text, old.kind) if text is not None else None
            if new is not None:
                self._replace(event, old, new)
                return
        for new in filter(None, (self._admitted(event, text, Kind.FACT) for text in news)):
            old = next((one for one in standing if is_replaced(one, new)), None)
            if old is not None:
                self._replace(event, old, new)
                return

    def _reworded(self, event: UserSaid, old: Memory, reply: Reply | None) -> str | None:
        """What a turn makes of an earlier statement, None where it is about something else."""
        near = event.at - _said_at(old) <= _CONVERSATION
        lasting = reply is not None and reply.old and old.key.subject in EXCLUSIVE_SLOTS
        text = reworded(old.content, reply) if reply is not None and (near or lasting) else None
        return text or (reworded_act(old.content, event.text) if near else None)

    def _replace(self, event: UserSaid, old: Memory, new: Memory) -> None:
        """Put a statement in the place of another, and of the bare turn that made it so."""
        for memory in [m for m in self._memories.values() if _is_turn(m, event, new.content)]:
            del self._memories[memory.id]
        self._memories[new.id] = new.model_copy(update={"supersedes": (old.id,)})
        self._change(old, superseded_by=new.id)

    def _admitted(self, event: UserSaid, text: str, kind: Kind) -> Memory | None:
        """The statement as a new memory, or the one of these words that had given way before."""
        candidate = restated(event, text, kind)
        if candidate is None:
            return None
        store = self._core.store
        known = store.find(candidate.scope, [candidate.dedupe_key])
        if not known:
            memory = self._admit(candidate)
            return memory if memory is not None and memory.status is Status.ACTIVE else None
        fit = known[0].source is Source.USER and known[0].status in _PUT_AWAY
        if not fit or known[0].id in self._memories or not self._core.seal.intact(known, store):
            return None
        return known[0].model_copy(
            update={
                "status": Status.ACTIVE,
                "superseded_by": None,
                "evidence": tuple(dict.fromkeys((*known[0].evidence, *candidate.evidence))),
                "updated_at": self._core.clock(),
                "revision": known[0].revision + 1,
            }
        )

    def _standing(self, event: UserSaid) -> list[Memory]:
        """The user's own statements of before, the newest first."""
        stored = self._core.store.select(event.scope, Where(kinds=RELATABLE), limit=_MOST)
        known = {memory.id: memory for memory in self._core.seal.intact(stored, self._core.store)}
        known |= self._memories
        found = [
            memory
            for memory in known.values()
            if memory.kind in RELATABLE
            and memory.scope == event.scope
            and memory.source is Source.USER
            and memory.status is Status.ACTIVE
            and memory.superseded_by is None
            and _said_at(memory) < event.at
        ]
        return sorted(found, key=_said_at, reverse=True)

    def _change(self, memory: Memory, **fields: object) -> None:
        fresh = memory.id in self._memories
        update = {"updated_at": self._core.clock(), **fields}
        if not fresh:
            update["revision"] = memory.revision + 1
        self._memories[memory.id] = memory.model_copy(update=update)

    def _note(self, event: UserSaid, action: str, subject: str, detail: str) -> None:
        self._notes.append(
            AuditEntry(at=event.at, actor="user", action=action, subject=subject, detail=detail)
        )


def _said_at(memory: Memory) -> datetime:
    """When a statement was said last."""
    first = memory.context.said_at or memory.created_at
    return max(first, *(one.at for one in memory.evidence if one.at is not None), first)


def _is_turn(memory: Memory, event: UserSaid, text: str) -> bool:
    """Whether a memory is no more than the turn itself, which is kept in other words."""
    return (
        memory.kind in RELATABLE
        and memory.context.said_at == event.at
        and memory.content != text
        and memory.content.strip() == event.text.strip()
    )
