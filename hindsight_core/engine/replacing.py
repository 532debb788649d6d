"""Which older statements of a user a new one takes the place of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hindsight_core.capture import inherits, resets
from hindsight_core.engine.core import Core
from hindsight_core.engine.relating import RELATABLE, is_correction, is_replaced
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.schema import Memory, Source

__all__ = ["heir", "superseded", "tell_superseded"]

_SAME_SLOT: Final = 20
_MAX_CORRECTED: Final = 200
"""The newest statements that are read, of whatever slot, to see which of them is corrected."""


def superseded(core: Core, memory: Memory) -> list[Memory]:
    """Return the older statements whose place a new one takes, each at its next revision.

    They are of the same slot; what a correction corrects, or what settles an argument of a tool
    otherwise, may be of any.
    """
    if memory.kind not in RELATABLE or not memory.key.subject:
        return []
    where = Where(kinds=(memory.kind,), subject=memory.key.subject)
    older = core.store.select(memory.scope, where, limit=_SAME_SLOT)
    if is_correction(memory) or (memory.preference and memory.preference.settles):
        known = {old.id for old in older}
        newest = core.store.select(memory.scope, Where(kinds=(memory.kind,)), limit=_MAX_CORRECTED)
        older = [*older, *(old for old in newest if old.id not in known)]
    now = core.clock()
    return [
        old.model_copy(
            update={
                "superseded_by": memory.id,
                "updated_at": now,
                "revision": old.revision + 1,
            }
        )
        for old in core.seal.intact(older, core.store)
        if old.id != memory.id and (is_replaced(old, memory) or _is_reset(old, memory))
    ]


def tell_superseded(core: Core, changed: Iterable[Memory]) -> None:
    """Write down which statements of a person gave way to which, of those that a run changed."""
    changes = list(changed)
    new = {memory.id for memory in changes}
    for old in changes:
        if old.superseded_by in new and old.kind in RELATABLE:
            entry = AuditEntry(
                at=core.clock(),
                actor="capture",
                action="supersede",
                subject=old.superseded_by or "",
                detail=f"{old.id}: the user's newer word on {old.key.subject!r}",
            )
            core.store.audit(entry)


def heir(memory: Memory, replaced: Sequence[Memory]) -> Memory:
    """The newer statement, told whose place it takes: what they had settled is refused by now."""
    taken = tuple(old.id for old in replaced)
    return inherits(memory, replaced).model_copy(update={"supersedes": taken})


def _is_reset(old: Memory, new: Memory) -> bool:
    persons = (Source.USER, Source.OPERATOR)
    return (
        old.scope == new.scope
        and old.source is new.source
        and new.source in persons
        and resets(new, old)
    )
