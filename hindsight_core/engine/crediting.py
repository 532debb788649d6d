"""Keeps the ledger: at the end of a run, what it did with each memory that it was shown.

A memory is changed under its revision in the same transaction that writes its line, and what was
credited before is taken back first. So a run counts once a memory, however often it is judged, by
however many processes, and whatever of them is killed in between.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence

from hindsight_core.capture import Judgement
from hindsight_core.events import Event
from hindsight_core.ledger import credit, judge_uses, recalled_ids
from hindsight_core.ports import Store
from hindsight_core.ports_ledger import MemoryUse
from hindsight_core.schema import Memory, Scope

__all__ = ["credit_uses"]


def credit_uses(
    store: Store,
    events: Sequence[Event],
    judgement: Judgement,
    changed: MutableMapping[str, Memory],
) -> list[MemoryUse]:
    """Return the lines that a run adds to the ledger, and put what it credits among `changed`.

    `changed` holds the memories that the run changes anyhow, by id, each at its new revision.
    """
    shown = recalled_ids(events)
    if not shown:
        return []
    run = events[0]
    known = {memory.id: memory for memory in store.get(run.scope, shown)}
    written = {use.memory_id: use for use in store.uses(run.scope, run_id=run.run_id)}
    lines: list[MemoryUse] = []
    for use in judge_uses(events, list(known.values()), judgement.calls, good=judgement.good):
        before = written.get(use.memory_id)
        if before is not None and before.events >= use.events:
            continue  # nothing has happened since: the memory may have changed, the run did not
        lines.append(use)
        stored = known[use.memory_id]
        if not _same_user(stored.scope, run.scope):
            continue  # what another user shared is his to credit
        memory = changed.get(stored.id, stored)
        credited = credit(memory, use, before)
        if credited is not memory:
            revision = stored.revision + 1
            changed[stored.id] = credited.model_copy(update={"revision": revision})
    return lines


def _same_user(one: Scope, other: Scope) -> bool:
    return (one.tenant, one.user) == (other.tenant, other.user)
