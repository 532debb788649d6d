"""Long logs: shortened call by call, then what worked far from any failure folded, then cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from hindsight_core.reflect.logs import LoggedCall, RunLog

__all__ = ["in_parts"]

_NEAR: Final = 2
"""Calls before and after a failure that are told one by one."""
_CARRIED: Final = 8
"""Failures of earlier parts that a part is reminded of, the newest."""
_BRIEF: Final = 60
_LEAST: Final = 0.5
"""The share of a part that is always left for its own calls."""


def in_parts(log: RunLog, *, room: int, parts: int, measure: Callable[[str], int]) -> list[RunLog]:
    """A log as it fits into questions of a size: itself, shortened, or in at most so many parts.

    Each part repeats what failed before it, so that a fix in one part is seen to belong to a
    mistake in another. Where even the shortened log has more parts, its last ones are kept.
    """
    if measure(log.text(1)) <= room:
        return [log]
    short = replace(log, calls=tuple(call.brief(_BRIEF) for call in log.calls))
    if measure(short.text(1)) <= room:
        return [short]
    folded = replace(short, calls=tuple(_near_failures(short.calls)))
    found = list(_cut(folded, room, measure))
    return found[-parts:]


def _near_failures(calls: Sequence[LoggedCall]) -> Iterator[LoggedCall]:
    """The calls near a failure, and the last one; all of them where none failed."""
    failed = [place for place, call in enumerate(calls) if not call.ok]
    if not failed:
        yield from calls
        return
    near = {place + step for place in failed for step in range(-_NEAR, _NEAR + 1)}
    for place, call in enumerate(calls):
        if place in near or place == len(calls) - 1:
            yield call


def _cut(log: RunLog, room: int, measure: Callable[[str], int]) -> Iterator[RunLog]:
    head = measure(replace(log, calls=()).text(1))
    carried: list[LoggedCall] = []
    part: list[LoggedCall] = []
    left = room - head
    for call in log.calls:
        length = measure(call.line()) + 1
        if part and length > left:
            yield replace(log, calls=tuple(part), earlier=tuple(carried))
            carried = [*carried, *(one for one in part if not one.ok)][-_CARRIED:]
            while carried and _size(carried, measure) > (room - head) * _LEAST:
                carried.pop(0)
            part, left = [], room - head - _size(carried, measure)
        part.append(call)
        left -= length
    yield replace(log, calls=tuple(part), earlier=tuple(carried))


def _size(calls: Sequence[LoggedCall], measure: Callable[[str], int]) -> int:
    return sum(measure(call.line()) + 1 for call in calls)
