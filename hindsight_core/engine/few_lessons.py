"""What a run is shown of the few lessons that a user has, in the seats that stay free.

A form that was refused for want of a field is filled in for somebody else the next time: the tool
is the same, and hardly a word of the two tasks is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hindsight_core.capture import is_of_one_state
from hindsight_core.engine.agreeing import agree
from hindsight_core.engine.core import Core
from hindsight_core.engine.holding_out import held_out
from hindsight_core.engine.standing import with_rules
from hindsight_core.ports import Store, Where
from hindsight_core.recall import BELOW, Found, LessonKey, keep_beside
from hindsight_core.schema import Kind, Memory, Scope

__all__ = ["with_the_unlike"]

_FEW: Final = 6
"""Of a user with more lessons only those are shown that the task calls to mind."""


def with_the_unlike(
    core: Core,
    store: Store,
    scope: Scope,
    seats: int,
    key: LessonKey,
    now: datetime,
    run_id: str,
    candidates: Sequence[Found],
) -> tuple[Found, ...]:
    """Return the candidates with what a run is to know although it is unlike its task.

    First the user's rules (`with_rules`), then in the seats that are left his few lessons; those
    which this run goes without stay out.
    """
    candidates = with_rules(core, store, scope, candidates, seats, key.tools, now)
    candidates = _with_few_lessons(core, store, scope, candidates, seats, key, now)
    return held_out(core.settings, candidates, run_id)


def _with_few_lessons(
    core: Core,
    store: Store,
    scope: Scope,
    candidates: Sequence[Found],
    seats: int,
    key: LessonKey,
    now: datetime,
) -> tuple[Found, ...]:
    """Return the candidates, with lessons kept beside them that are about tools of this run.

    Only where not all `seats` are taken and the user has a few lessons alone, the newest first. One
    that was left out for another reason than that it is unlike the task stays out.
    """
    free = seats - sum(found.kept for found in candidates)
    if free <= 0 or not key.tools:
        return tuple(candidates)
    listed = store.select(scope, Where(kinds=(Kind.LESSON,)), limit=_FEW + 1)
    if len(listed) > _FEW:
        return tuple(candidates)
    known = {found.memory.id: found for found in candidates}
    said = {found.memory.content for found in candidates if found.kept}
    fit: dict[str, Memory] = {}
    for memory in listed:
        unlike = memory.id not in known or known[memory.id].why_not == BELOW
        if unlike and memory.content not in said and _fits(memory, key, now):
            fit.setdefault(memory.content, memory)
    held = agree(core, scope, candidates, list(fit.values())).held
    new = [memory for memory in fit.values() if memory.id not in held]
    new = core.seal.intact(new, core.store)[:free] if new else new
    return keep_beside(candidates, new, now, core.settings.weights, part="tools")


def _fits(memory: Memory, key: LessonKey, now: datetime) -> bool:
    lesson = memory.lesson
    return (
        lesson is not None
        and bool(lesson.trigger.tool_sequence)
        and key.tools.issuperset(lesson.trigger.tool_sequence)
        and key.fits(memory)
        and not (lesson.mistake.transient or is_of_one_state(memory) or memory.conflicts_with)
        and (memory.expires_at is None or memory.expires_at > now)
    )
