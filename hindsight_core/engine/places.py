"""What is remembered of the writes of one scope: marks, never a text, and no more than a window."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from hindsight_core.guard.anomaly import Write
from hindsight_core.guard.marks import marks_of
from hindsight_core.schema import Memory, Scope, Source

__all__ = ["Key", "Kinds", "Place", "add", "key", "kinds_of", "recent"]

_KEPT: Final = 2_048
"""Writes of one scope and channel that are remembered."""
_TASKS: Final = 32

Key = tuple[str, str, str | None]


Kinds = tuple[Source, bool]


@dataclass(slots=True)
class Place:
    """What is known of one scope: the session apart, an agent's sessions are one place.

    `writes` are those inside the window, by channel and whether they were observed; `usual` counts
    earlier ones by origin.
    """

    writes: dict[Kinds, dict[str, Write]] = field(default_factory=dict[Kinds, dict[str, Write]])
    usual: Counter[str] = field(default_factory=Counter[str])
    tasks: deque[str] = field(default_factory=lambda: deque[str](maxlen=_TASKS))
    read_at: datetime | None = None


def key(scope: Scope) -> Key:
    """The name of the place that a scope is in."""
    return (scope.tenant, scope.user, scope.agent)


def kinds_of(memory: Memory) -> Kinds:
    """The channel of a memory, and whether our hooks saw what it rests on."""
    return (memory.source, bool(memory.evidence))


def add(place: Place, memory: Memory, topic: bool | None) -> None:
    """Remember a write, once for each text."""
    writes = place.writes.setdefault(kinds_of(memory), {})
    name = memory.dedupe_key or memory.id
    if name not in writes:
        writes[name] = _write(memory, topic)
        if len(writes) > _KEPT:
            writes.pop(next(iter(writes)))


def recent(place: Place, kinds: Kinds, start: datetime) -> list[Write]:
    """The writes after `start`; older ones are only counted from now on."""
    writes = place.writes.get(kinds, {})
    if writes and next(iter(writes.values())).at <= start:
        for name, write in list(writes.items()):
            if write.at <= start:
                place.usual[write.origin] += not write.observed
                del writes[name]
    return list(writes.values())


def _write(memory: Memory, topic: bool | None) -> Write:
    tools = memory.key.tool_sequence
    return Write(
        id=memory.id,
        at=memory.created_at,
        source=memory.source,
        marks=marks_of(memory.content),
        origin=memory.context.speaker or (tools[0] if tools else ""),
        run_id=memory.evidence[0].run_id if memory.evidence else "",
        observed=bool(memory.evidence),
        on_topic=topic,
    )
