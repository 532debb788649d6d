"""Keeps lessons from being taken too widely: calls that worked are noted with those they refute."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from hindsight_core.capture import Judgement, add_worked
from hindsight_core.gate import contradicted
from hindsight_core.ports import MemoryStore, Where
from hindsight_core.schema import Kind, Memory, Scope, Status

__all__ = ["contradict"]


def contradict(
    store: MemoryStore,
    scope: Scope,
    judgement: Judgement,
    changed: MutableMapping[str, Memory],
    revised: Callable[[Memory, Memory], Memory],
) -> None:
    """Add the calls of a run that worked to the lessons whose causes speak against them.

    `changed` holds the memories that the run changes anyhow, by id, each at its new revision, and
    takes up what is changed here; `revised` makes the next revision of a stored one.
    """
    for tool in judgement.cleared_tools:
        where = Where(kinds=(Kind.LESSON,), tool_sequence=(tool,))
        known = {memory.id: memory for memory in store.select(scope, where)}
        stored = dict(known)
        known |= {id_: memory for id_, memory in changed.items() if memory.lesson is not None}
        lessons = [one for one in known.values() if one.status is Status.ACTIVE]
        calls = [call for call in judgement.standing if call.tool == tool]
        called = judgement.cleared_tools
        for id_, worked in contradicted(lessons, tool, calls, called).items():
            before = known[id_]
            after = add_worked(before, tuple(worked))
            if after != before:
                changed[id_] = after if id_ in changed else revised(after, stored[id_])
