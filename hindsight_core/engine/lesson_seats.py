"""Brings the two-stage recall of lessons into a recall: its key excludes some and adds others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from hindsight_core.capture import is_of_one_state, topics_of
from hindsight_core.ranking import Weights
from hindsight_core.recall import Found, LessonKey, LessonMatch, seat
from hindsight_core.schema import Kind

__all__ = ["seated_for", "with_lessons"]

_OTHER: Final = "about a tool that this run has not, or another type of task"


def seated_for(
    task: str, candidates: Sequence[Found], seats: int, threshold: float, *, search: bool
) -> tuple[Found, ...]:
    """Give the seats by what the task speaks of; see `seat`."""
    return seat(
        candidates,
        seats,
        threshold,
        task=task,
        topics=topics_of(task),
        of_one_state=is_of_one_state,
        search=search,
    )


def with_lessons(
    candidates: Sequence[Found],
    matches: Sequence[LessonMatch],
    key: LessonKey,
    now: datetime,
    weights: Weights,
) -> list[Found]:
    """Return the candidates with the lessons that fit the key of the run.

    Those that were not found or not let through otherwise come last, so that they take free seats
    only.
    """
    fit = {match.memory.id: match for match in matches if not _is_over(match, now)}
    kept: list[Found] = []
    for found in candidates:
        if found.memory.kind is Kind.LESSON and found.kept and not key.fits(found.memory):
            found = replace(found, kept=False, why_not=_OTHER)
        if found.kept:
            fit.pop(found.memory.id, None)
        kept.append(found)
    known = {found.memory.id: found for found in kept}
    added = [
        replace(known[memory_id], kept=True, why_not="")
        if memory_id in known
        else Found.beside(
            match.memory,
            now,
            weights,
            similarity=match.score,
            parts={"context": match.context, "tools": match.tools or 0.0},
        )
        for memory_id, match in fit.items()
    ]
    return [*(found for found in kept if found.memory.id not in fit), *added]


def _is_over(match: LessonMatch, now: datetime) -> bool:
    return match.memory.expires_at is not None and match.memory.expires_at <= now
