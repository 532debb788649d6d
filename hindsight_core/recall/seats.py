"""Who gets the few seats in the block: the best ones, but no seat for what another makes needless.

What the ranking leaves open is decided here. A path repeats what the lessons of its run say more
exactly, so paths take the seats that are left over, and one at most. A rule of the user seldom
sounds like the task that it is to be kept in ("reports in Markdown" and "look up the address and
write a report"), so the best one that is near enough has a seat for certain. A call without effect
("nothing happens") failed for the state of things at that time: such a lesson has a seat only in
the very task in which it was learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hindsight_core.recall.found import Found
from hindsight_core.schema import ErrorClass, Kind
from hindsight_core.text import terms

__all__ = ["seat"]

NEAR_ENOUGH: Final = 0.3
"""Share of the relevance threshold that a user's rule must reach, with a telling word in common."""


def seat(
    candidates: Sequence[Found], top_k: int, threshold: float, *, task: str = ""
) -> tuple[Found, ...]:
    """Return the candidates, those kept first and in the order in which they are shown.

    `candidates` are ranked and judged, those fit to be shown `kept`; at most `top_k` stay so.
    `task` is what was asked for, to be compared with the task in which a lesson was learnt.
    """
    here = terms(task)
    candidates = [
        replace(found, kept=False, why_not=_OTHER_STATE)
        if _of_another_state(found, here)
        else found
        for found in candidates
    ]
    fit = [found for found in candidates if found.kept]
    taken = [found for found in fit if found.memory.kind is not Kind.PATH][:top_k]
    if not any(found.memory.kind is Kind.PREFERENCE for found in taken):
        rule = next((found for found in candidates if _is_near_rule(found, threshold)), None)
        if rule is not None:
            taken = [*taken[: top_k - 1], replace(rule, kept=True, why_not="")]
    if len(taken) < top_k:
        taken += [found for found in fit if found.memory.kind is Kind.PATH][:1]
    taken.sort(key=lambda found: -found.score.total)
    ids = {found.memory.id for found in taken}
    rest = [
        replace(found, kept=False, why_not=f"beyond the best {top_k}") if found.kept else found
        for found in candidates
        if found.memory.id not in ids
    ]
    return (*taken, *rest)


_OTHER_STATE: Final = "had no effect in another task, whose state was its own"


def _of_another_state(found: Found, here: Sequence[str]) -> bool:
    lesson = found.memory.lesson
    return (
        found.kept
        and lesson is not None
        and lesson.mistake.error_class is ErrorClass.SOFT
        and terms(found.memory.query) != here
    )


def _is_near_rule(found: Found, threshold: float) -> bool:
    return (
        found.memory.kind is Kind.PREFERENCE
        and found.why_not in ("", "below the relevance threshold")
        and bool(found.matched)
        and (found.cosine is None or found.cosine >= NEAR_ENOUGH * threshold)
    )
