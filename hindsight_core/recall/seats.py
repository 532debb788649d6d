"""Who gets the few seats in the block: the best ones, but no seat for what another makes needless.

What the ranking leaves open is decided here. A path repeats what the lessons of its run say more
exactly, so paths take the seats that are left over, and one at most. A rule of the user seldom
sounds like the task that it is to be kept in ("reports in Markdown" and "look up the address and
write a report"), so the best one that is near enough has a seat for certain. A call without effect
("nothing happens") failed for the state of things at that time: such a lesson has a seat only in
the very task in which it was learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from hindsight_core.recall.found import BELOW, Found
from hindsight_core.schema import ErrorClass, Kind, Memory
from hindsight_core.text import terms

__all__ = ["seat"]

NEARLY: Final = 0.95
"""Share of the relevance threshold from which a word in common lifts a lesson over it."""
OFTEN: Final = 0.8
"""The same for a path that more than one run went."""
TOLD: Final = 0.75, 0.25
"""The same for a path with which the question shares so much of its idf mass."""

TELLING: Final = 0.15
"""Share of the question's idf mass at which a rule needs no nearness in meaning."""
_OTHER_STATE: Final = "had no effect in another task, whose state was its own"

NEAR_BY_MEANING: Final = 0.8
"""The same where no word is shared, which is common in Chinese: the words of a rule and of a task
that it is for differ. Of the own rules of our samples 85 % (zh) are as near, of all others 6 %."""

NEAR_ENOUGH: Final = 0.3
"""Share of the relevance threshold that a user's rule must reach, with a telling word in common or
one slot with what the task speaks of ("stationery" for a rule about office supplies)."""


SOUGHT: Final = 0.7
"""Share of the relevance threshold from which a word in common lets a search find a user's rule:
questions ("when am I not to be disturbed?") are worded unlike rules ("no calls before ten")."""


def _is_soft(memory: Memory) -> bool:
    return memory.lesson is not None and memory.lesson.mistake.error_class is ErrorClass.SOFT


def seat(
    candidates: Sequence[Found],
    top_k: int,
    threshold: float,
    *,
    task: str = "",
    topics: Collection[str] = (),
    of_one_state: Callable[[Memory], bool] = _is_soft,
    search: bool = False,
) -> tuple[Found, ...]:
    """Return the candidates, those kept first and in the order in which they are shown.

    `candidates` are ranked and judged, those fit to be shown `kept`; at most `top_k` stay so.
    `task` is what was asked for, to be compared with the task in which a lesson was learnt where
    that is `of_one_state`; `topics` are the slots of which the task speaks. In a `search` nothing
    is done by which a rule could be broken, so that a rule must be nearer to what is asked.
    """
    here = terms(task)
    candidates = [
        replace(found, kept=False, why_not=_OTHER_STATE)
        if found.kept and of_one_state(found.memory) and terms(found.memory.query) != here
        else found
        for found in candidates
    ]
    candidates = [
        replace(found, kept=True, why_not="") if _nearly(found, threshold) else found
        for found in candidates
    ]
    fit = [found for found in candidates if found.kept]
    taken = [found for found in fit if found.memory.kind is not Kind.PATH][:top_k]
    if not any(found.memory.kind is Kind.PREFERENCE for found in taken):
        fits = _is_sought_rule if search else _is_near_rule
        rule = next((one for one in candidates if fits(one, threshold, topics)), None)
        if rule is not None:
            taken = [*taken[: top_k - 1], replace(rule, kept=True, why_not="")]
    if not search and len(taken) < top_k:
        taken += _others_of_the_slot(taken, candidates, threshold, topics)[: top_k - len(taken)]
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


def _nearly(found: Found, threshold: float) -> bool:
    """Whether a memory misses the threshold by so little that a common word decides.

    Of a way that several runs went, each for a thing of its own, the tasks are alike in less.
    """
    share = _share_for_path(found) if found.memory.kind is Kind.PATH else NEARLY
    return (
        found.memory.kind in (Kind.LESSON, Kind.PREFERENCE, Kind.PATH)
        and found.why_not == BELOW
        and bool(found.matched)
        and found.cosine is not None
        and found.cosine >= share * threshold
    )


def _share_for_path(found: Found) -> float:
    nearness, coverage = TOLD
    often = OFTEN if found.memory.verified_runs > 1 else 1.0
    return min(often, nearness if found.coverage >= coverage else 1.0)


def _is_near_rule(found: Found, threshold: float, topics: Collection[str]) -> bool:
    return (
        found.memory.kind is Kind.PREFERENCE
        and found.why_not in ("", BELOW)
        and (
            _in_touch(found, threshold)
            if found.matched or found.memory.key.subject in topics
            else found.cosine is not None and found.cosine >= NEAR_BY_MEANING * threshold
        )
    )


def _is_sought_rule(found: Found, threshold: float, topics: Collection[str]) -> bool:
    """Whether somebody who asks a question may mean this rule: a word of it, and its meaning."""
    return (
        _is_near_rule(found, threshold, topics)
        and bool(found.matched)
        and found.cosine is not None
        and found.cosine >= SOUGHT * threshold
    )


def _in_touch(found: Found, threshold: float) -> bool:
    return (
        found.cosine is None or found.cosine >= NEAR_ENOUGH * threshold or found.coverage >= TELLING
    )


def _others_of_the_slot(
    taken: Sequence[Found],
    candidates: Sequence[Found],
    threshold: float,
    topics: Collection[str],
) -> list[Found]:
    """What else the user said of a thing of which a rule is shown already."""
    slots = {found.memory.key.subject for found in taken if found.memory.kind is Kind.PREFERENCE}
    ids = {found.memory.id for found in taken}
    return [
        replace(found, kept=True, why_not="")
        for found in candidates
        if found.memory.id not in ids
        and found.memory.key.subject in slots
        and _is_near_rule(found, threshold, topics)
    ]
