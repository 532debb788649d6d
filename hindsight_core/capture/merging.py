"""What a later run adds to a memory that stands, and what it takes back; pure functions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from hindsight_core.capture.lesson_text import lesson_text, words_of
from hindsight_core.maintenance import RESTORED_DECAY, is_judged
from hindsight_core.schema import Candidate, Evidence, Lesson, Memory, Status, ToolCall
from hindsight_core.text import shorten

__all__ = ["MAX_MERGED_CALLS", "MAX_MERGED_EVIDENCE", "clear_lesson", "merge_lesson", "withdraw"]

MAX_MERGED_CALLS: Final = 96
"""Failing calls that one lesson keeps, the newest."""
MAX_MERGED_FIXES: Final = 16
"""Calls that worked which one lesson keeps, the newest."""
MAX_MERGED_EVIDENCE: Final = 32
"""Runs that one memory names as evidence, the newest."""


MAX_TASKS: Final = 3
"""Tasks that a path keeps to be found by, the newest."""
_BETWEEN: Final = "\n"
_MAX_QUERY: Final = 2_000


def merge_lesson(old: Memory, new: Candidate, cleared: Collection[str] = ()) -> Memory:
    """Join what a run taught with the memory of the same `dedupe_key`.

    Evidence is united by run, and a path is found by the tasks of its runs. Of a lesson the failing
    calls are united, those whose signature is in `cleared` are dropped, and the text is written
    anew. A memory that was put away is active again, unless a person refuted it or runs showed that
    it does harm. Returns `old` itself when the run adds nothing, so that judging a run twice
    changes nothing.
    """
    update: dict[str, object] = {"evidence": _evidence(old.evidence, new.evidence)}
    unchanged = update["evidence"] == old.evidence
    if old.path and not unchanged:
        update["query"] = _tasks(old.query, new.query)
    if old.path and len(new.value.content) > len(old.value.content):
        # The steps are the same: the user has made them the way since.
        update["value"] = old.value.model_copy(update={"content": new.value.content})
        unchanged = False
    if old.lesson is not None and new.lesson is not None:
        gone = () if _came_first(new.lesson, (_first_of(new.lesson),)) else cleared
        lesson = _joined(old.lesson, new.lesson, frozenset(gone))
        unchanged = unchanged and lesson == old.lesson
        update |= {
            "lesson": lesson,
            "value": _value(old, lesson),
            "expires_at": new.expires_at,
        }
    if unchanged:
        return old
    if old.status in (Status.ARCHIVED, Status.COLD) and not is_judged(old):
        update |= {"status": Status.ACTIVE, "decay": max(old.decay, RESTORED_DECAY)}
    return old.model_copy(update=update)


def withdraw(old: Memory, run_id: str) -> Memory:
    """Take back a run's word for a path that turned out not to have ended well.

    A path with no other run behind it is archived. Returns `old` itself when the run never vouched
    for it, so that judging a run twice changes nothing.
    """
    kept = tuple(one for one in old.evidence if one.run_id != run_id)
    if len(kept) == len(old.evidence):
        return old
    archived = not kept and old.status is Status.ACTIVE
    status = Status.ARCHIVED if archived else old.status
    return old.model_copy(update={"evidence": kept, "status": status, "misses": old.misses + 1})


def clear_lesson(old: Memory, cleared: Collection[str], called: Collection[str] = ()) -> Memory:
    """Take back what a later success disproves: drop the calls, archive a lesson left with none.

    Where another tool has to come first, its success after that tool, one of `called`, disproves
    nothing. Returns `old` itself when none of its calls is in `cleared`.
    """
    if old.lesson is None or not old.lesson.mistake.calls or _came_first(old.lesson, called):
        return old
    gone = frozenset(cleared)
    kept = tuple(call for call in old.lesson.mistake.calls if call.signature not in gone)
    if len(kept) == len(old.lesson.mistake.calls):
        return old
    mistake = old.lesson.mistake.model_copy(update={"calls": kept})
    lesson = old.lesson.model_copy(update={"mistake": mistake})
    if not kept:
        status = Status.ARCHIVED if old.status is Status.ACTIVE else old.status
        return old.model_copy(update={"lesson": lesson, "status": status})
    return old.model_copy(update={"lesson": lesson, "value": _value(old, lesson)})


def add_worked(old: Memory, calls: tuple[ToolCall, ...]) -> Memory:
    """Add calls that worked although they resemble the failing ones; `old` itself if known."""
    if old.lesson is None:
        return old
    worked = _calls(old.lesson.worked, calls, frozenset(), MAX_MERGED_FIXES)
    if worked == old.lesson.worked:
        return old
    return old.model_copy(update={"lesson": old.lesson.model_copy(update={"worked": worked})})


def _first_of(lesson: Lesson) -> str:
    return lesson.correction.precondition if lesson.correction else ""


def _came_first(lesson: Lesson, called: Collection[str]) -> bool:
    first = _first_of(lesson)
    return bool(first) and first in called


def _tasks(old: str, new: str) -> str:
    """The tasks that a way was gone for, the newest first: any of them calls it to mind."""
    tasks = dict.fromkeys((new, *old.split(_BETWEEN)))
    kept = [task for task in tasks if task.strip()][:MAX_TASKS]
    return shorten(_BETWEEN.join(kept), _MAX_QUERY)


def _value(old: Memory, lesson: Lesson) -> object:
    words = words_of(old.query, lesson.mistake.consequence)
    return old.value.model_copy(
        update={
            "content": lesson_text(lesson, words),
            "correction": lesson.correction.action if lesson.correction else "",
        }
    )


def _joined(old: Lesson, new: Lesson, cleared: frozenset[str]) -> Lesson:
    calls = _calls(old.mistake.calls, new.mistake.calls, cleared, MAX_MERGED_CALLS)
    correction = new.correction or old.correction
    if new.correction is not None and old.correction is not None:
        fixes = _calls(old.correction.calls, new.correction.calls, frozenset(), MAX_MERGED_FIXES)
        correction = new.correction.model_copy(update={"calls": fixes})
    mistake = new.mistake.model_copy(update={"calls": calls})
    worked = _calls(old.worked, new.worked, frozenset(), MAX_MERGED_FIXES)
    return new.model_copy(update={"mistake": mistake, "correction": correction, "worked": worked})


def _calls(
    old: tuple[ToolCall, ...], new: tuple[ToolCall, ...], cleared: frozenset[str], limit: int
) -> tuple[ToolCall, ...]:
    united = {call.signature: call for call in (*old, *new)}
    kept = [call for call in united.values() if call.signature not in cleared]
    return tuple(kept[-limit:])


def _evidence(old: tuple[Evidence, ...], new: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    by_run = {one.run_id: one for one in (*old, *new)}
    return tuple(list(by_run.values())[-MAX_MERGED_EVIDENCE:])
