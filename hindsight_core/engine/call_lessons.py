"""Which lesson names a failing call, so that the gate finds it by the call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hindsight_core.capture import Judgement
from hindsight_core.ports import CallRecord
from hindsight_core.schema import Memory

__all__ = ["with_their_lessons"]


def with_their_lessons(judgement: Judgement, memories: Iterable[Memory]) -> list[CallRecord]:
    """The calls, each failing one with the lesson that names it, if there is one.

    The lesson of this run's own task goes before that of another which the run changed as well.
    """
    own = {candidate.dedupe_key for candidate in judgement.candidates}
    lessons = {
        call.signature: memory.id
        for memory in sorted(memories, key=lambda one: one.dedupe_key in own)
        if memory.lesson is not None
        for call in memory.lesson.mistake.calls
    }
    return [
        call if call.ok else replace(call, memory_id=lessons.get(call.signature, ""))
        for call in judgement.calls
    ]
