"""Shows both sides of a contradiction: a memory does not come without what it contradicts.

Of two that contradict the one that was verified in more runs comes first, then the better trusted,
then the newer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from hindsight_core.ranking import Weights
from hindsight_core.recall.found import Found
from hindsight_core.schema import Memory, Status

__all__ = ["marked", "missing_rivals", "with_rivals"]


def marked(candidates: Sequence[Found]) -> list[Memory]:
    """The memories to show, marked as contradicted only where the other side is shown as well."""
    picked = [found.memory for found in candidates if found.kept]
    ids = {memory.id for memory in picked}
    return [
        memory.model_copy(
            update={"conflicts_with": tuple(r for r in memory.conflicts_with if r in ids)}
        )
        if memory.conflicts_with
        else memory
        for memory in picked
    ]


def missing_rivals(candidates: Sequence[Found]) -> list[str]:
    """Ids of what the kept candidates contradict and what is not kept itself."""
    kept = [found.memory for found in candidates if found.kept]
    ids = {memory.id for memory in kept}
    named = (rival for memory in kept for rival in memory.conflicts_with)
    return [rival for rival in dict.fromkeys(named) if rival not in ids]


def with_rivals(
    candidates: Sequence[Found],
    rivals: Mapping[str, Memory],
    top_k: int,
    *,
    now: datetime,
    weights: Weights,
) -> tuple[Found, ...]:
    """Return the candidates, each kept one followed or led by what it contradicts.

    `candidates` are seated, those kept first; `rivals` are the missing ones by id, as far as the
    scope sees them and they are intact. At most `top_k` stay kept, but for a pair always two.
    """
    kept = {found.memory.id: found for found in candidates if found.kept}
    others = {found.memory.id: found for found in candidates if not found.kept}
    for memory in rivals.values():
        if _stands(memory, now):
            seen = others.pop(memory.id, None) or Found.beside(memory, now, weights)
            kept[memory.id] = replace(seen, kept=True, why_not="")
    shown: list[Found] = []
    for found in list(kept.values()):
        if found.memory.id not in kept:
            continue
        pair = [found, *(kept[r] for r in found.memory.conflicts_with if r in kept)]
        if shown and len(shown) + len(pair) > max(top_k, 2):
            continue
        shown += sorted(pair, key=_standing, reverse=True)
        for one in pair:
            del kept[one.memory.id]
    left = [replace(one, kept=False, why_not=f"beyond the best {top_k}") for one in kept.values()]
    return (*shown, *left, *others.values())


def _standing(found: Found) -> tuple[int, float, datetime]:
    memory = found.memory
    return memory.verified_runs, memory.trust, memory.created_at


def _stands(memory: Memory, now: datetime) -> bool:
    return (
        memory.status is Status.ACTIVE
        and memory.superseded_by is None
        and (memory.expires_at is None or memory.expires_at > now)
    )
