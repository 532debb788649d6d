"""Why calls of a tool failed, as a rule that also meets other values of the same arguments.

A failure is generalised only with evidence: the error names the argument or the value, or two
different calls failed alike; and never to a rule which a call that worked would break. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from hindsight_core.gate.arguments import plain
from hindsight_core.gate.cases import Case, first_of
from hindsight_core.gate.traits import Cause, traits_of
from hindsight_core.schema import Lesson, Memory, ToolCall

__all__ = ["causes_of", "contradicted"]

_VARIABLE: Final = re.compile(r"'[^']*'|\"[^\"]*\"|「[^」]*」|[^\W_]*[0-9][\w.:/-]*")


def causes_of(lessons: Iterable[Memory], tool: str, *, eager: bool = False) -> list[Cause]:
    """Find the causes that the lessons of one tool show; those of one error are read together.

    `eager` counts those too that need a call that worked, before there is one.
    """
    alike: dict[tuple[str, str], list[tuple[Memory, Lesson]]] = {}
    worked: list[ToolCall] = []
    for memory in sorted(lessons, key=lambda one: (one.created_at, one.id)):
        lesson = memory.lesson
        if lesson is None or lesson.mistake.transient or memory.superseded_by:
            continue
        worked += [call for call in _good(lesson) if call.tool == tool]
        if any(call.tool == tool for call in lesson.mistake.calls):
            said = _VARIABLE.sub("", plain(lesson.mistake.consequence))
            alike.setdefault((str(lesson.mistake.error_class), said), []).append((memory, lesson))
    found: list[Cause] = []
    for group in alike.values():
        found += Case(group, tool, worked, eager=eager).causes()
    return found


def contradicted(
    lessons: Sequence[Memory], tool: str, calls: Sequence[ToolCall], called: Collection[str] = ()
) -> dict[str, list[ToolCall]]:
    """Name the lessons, by id, to which calls of the tool that worked are to be added.

    These are calls that a cause speaks against, and one of any kind where none is known yet. A call
    speaks for nothing where the tool that has to come first, one of `called`, had been called.
    """
    found: dict[str, list[ToolCall]] = {}
    for cause in causes_of(lessons, tool, eager=True):
        if cause.first in called:
            continue
        for call in calls:
            if cause.meets(traits_of(call)):
                found.setdefault(cause.memory_id, []).append(call)
    bare = [
        one
        for one in lessons
        if one.lesson and not one.lesson.mistake.transient and not first_of(one.lesson)
    ]
    good = (call for one in bare if one.lesson for call in _good(one.lesson))
    if calls and bare and not any(call.tool == tool for call in good):
        found.setdefault(max(bare, key=lambda one: (one.created_at, one.id)).id, [calls[0]])
    return found


def _good(lesson: Lesson) -> tuple[ToolCall, ...]:
    fixes = lesson.correction.calls if lesson.correction else ()
    return (*fixes, *lesson.worked)
