"""What a run did with each memory that it was shown: the mistake again, the correction, or neither.

Pure. The last act that tells decides: a run that repeats a mistake, is told at the call and then
takes the correction has taken it. Only calls after the memory was shown count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.events import BlockShown, CallFlagged, Event, ToolCalled
from hindsight_core.ports import CallRecord
from hindsight_core.ports_ledger import MemoryUse, Verdict
from hindsight_core.schema import ErrorClass, Lesson, Memory, ToolCall

__all__ = ["Act", "acts_about", "judge_uses", "recalled_ids"]


_ONLY_NOTED: Final = "run"
"""The action of a gate that observes: nobody was told."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Where in the run a memory was first shown, or held back from being shown."""

    at: int
    withheld: bool


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a run did about a memory: `at` is the place of its event in the run."""

    at: int
    verdict: Verdict


def recalled_ids(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the ids of the memories that a run was shown, or would have been, each once."""
    return tuple(_shown(events))


def judge_uses(
    events: Sequence[Event],
    memories: Sequence[Memory],
    calls: Sequence[CallRecord],
    *,
    good: bool | None,
) -> list[MemoryUse]:
    """Return a line of the ledger for each memory that the run was shown.

    `events` are all those of the run in the order of arrival, `memories` those of `recalled_ids` as
    they were before the run was judged, `calls` its judged calls, `good` how it ended.
    """
    if not events:
        return []
    done = acts_about(events, memories, calls)
    uses: list[MemoryUse] = []
    for memory_id, shown in _shown(events).items():
        if memory_id not in done:
            continue
        acts = done[memory_id]
        last = max(acts, key=lambda act: act.at, default=None)
        uses.append(
            MemoryUse(
                scope=events[0].scope,
                run_id=events[0].run_id,
                memory_id=memory_id,
                verdict=last.verdict if last else Verdict.NEITHER,
                good=good,
                at=events[-1].at,
                events=len(events),
                repeats=sum(act.verdict is Verdict.REPEATED for act in acts),
                withheld=shown.withheld,
            )
        )
    return uses


def acts_about(
    events: Sequence[Event], memories: Sequence[Memory], calls: Sequence[CallRecord]
) -> dict[str, list[Act]]:
    """Return what a run did about each of the memories that it was shown, by their ids."""
    shown = _shown(events)
    places = {event.key: place for place, event in enumerate(events)}
    placed = [(places.get(call.key, -1), call) for call in calls]
    return {
        memory.id: list(_acts(memory, shown[memory.id].at, events, placed))
        for memory in memories
        if memory.id in shown
    }


def _shown(events: Sequence[Event]) -> Mapping[str, _Shown]:
    found: dict[str, _Shown] = {}
    for place, event in enumerate(events):
        if isinstance(event, BlockShown):
            for memory_id in event.memory_ids:
                found.setdefault(memory_id, _Shown(place, withheld=False))
            for memory_id in event.withheld_ids:
                found.setdefault(memory_id, _Shown(place, withheld=True))
        elif isinstance(event, CallFlagged) and event.action != _ONLY_NOTED:
            for memory_id in event.memory_ids:
                found.setdefault(memory_id, _Shown(place, withheld=False))
    return found


def _acts(
    memory: Memory,
    shown_at: int,
    events: Sequence[Event],
    placed: Sequence[tuple[int, CallRecord]],
) -> Iterator[Act]:
    later = [(place, call) for place, call in placed if place > shown_at]
    yield from _at_the_gate(memory, events)
    if memory.lesson is not None:
        yield from _of_lesson(memory.lesson, later)
    elif memory.path and (end := _walked(memory.path, later)) is not None:
        yield Act(end, Verdict.TAKEN)


def _at_the_gate(memory: Memory, events: Sequence[Event]) -> Iterator[Act]:
    """A call that was flagged and never ran was let be; one that ran all the same was not."""
    ran = [
        (place, event.call) for place, event in enumerate(events) if isinstance(event, ToolCalled)
    ]
    for place, event in enumerate(events):
        if not isinstance(event, CallFlagged) or memory.id not in event.memory_ids:
            continue
        after = [at for at, call in ran if at > place and _same_attempt(call, event.call)]
        if not after and event.action != _ONLY_NOTED:
            yield Act(place, Verdict.TAKEN)
        elif after and memory.lesson is None:
            yield Act(after[0], Verdict.REPEATED)


def _same_attempt(ran: ToolCall, flagged: ToolCall) -> bool:
    return ran.signature == flagged.signature and ran.call_id == flagged.call_id


def _of_lesson(lesson: Lesson, calls: Iterable[tuple[int, CallRecord]]) -> Iterator[Act]:
    mistakes = {call.signature for call in lesson.mistake.calls}
    corrections = (
        {call.signature for call in lesson.correction.calls} if lesson.correction else set[str]()
    )
    wrong, right = _telling_shapes(lesson)
    failed: set[str] = set()
    for place, call in calls:
        if not call.ok and (
            call.signature in mistakes
            or (call.shape in wrong and call.error_class == lesson.mistake.error_class)
        ):
            failed.add(call.signature)
            yield Act(place, Verdict.REPEATED)
        elif call.signature in corrections or call.shape in right:
            yield Act(place, Verdict.TAKEN)
        elif lesson.mistake.transient and call.ok and call.signature in failed:
            yield Act(place, Verdict.TAKEN)  # it waited, and called again


def _telling_shapes(lesson: Lesson) -> tuple[frozenset[str], frozenset[str]]:
    """The shapes of wrong and of right calls, where it is the shape that made the difference.

    That is so of a wrong format or a missing argument; of a thing that was not found the next call
    of the same shape is about another thing.
    """
    if lesson.correction is None or lesson.mistake.error_class is not ErrorClass.VALIDATION:
        return frozenset(), frozenset()
    wrong = frozenset(call.shape for call in lesson.mistake.calls)
    tools = {call.tool for call in lesson.mistake.calls}
    right = frozenset(call.shape for call in lesson.correction.calls if call.tool in tools)
    return (wrong - right, right - wrong) if right else (frozenset(), frozenset())


def _walked(path: Sequence[ToolCall], calls: Iterable[tuple[int, CallRecord]]) -> int | None:
    """Where the last step of a path was made, if the run went through all of it in order."""
    steps = [step.shape for step in path]
    done = 0
    for place, call in calls:
        if call.ok and call.shape == steps[done]:
            done += 1
            if done == len(steps):
                return place
    return None
