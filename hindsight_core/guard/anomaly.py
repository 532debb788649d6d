"""Whether the writes of a scope look like an attack on its memory. Pure: from writes to a pattern.

A single poisoned text is the business of the content rules; here it is the crowd that tells: too
many at once, many that say the same, many that have nothing to do with the task, or one origin that
suddenly says everything. What our own hooks observed (a lesson from calls that really ran) is
bounded by what the agent does, so only its number in one run counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight_core.alerts import AnomalyLimits, Pattern
from hindsight_core.guard.marks import Marks, alike
from hindsight_core.schema import Source

__all__ = ["Detection", "Write", "detect"]

NEAR: Final = 0.6
"""Jaccard index of the words from which two texts with the same numbers say almost the same."""
_FEWEST_WORDS: Final = 3
"""Texts of fewer words are alike by chance."""
_COMPARED: Final = 100
"""How many of the newest writes a new one is compared with."""
_UNTRUSTED: Final = frozenset({Source.AGENT, Source.TOOL})


@dataclass(frozen=True, kw_only=True, slots=True)
class Write:
    """One write as the watch remembers it; no text of it.

    `observed` says that our hooks saw what it rests on, `origin` who or what within the channel it
    came from, `on_topic` whether it has a word in common with the tasks at hand (None: no task).
    """

    id: str
    at: datetime
    source: Source
    marks: Marks
    origin: str = ""
    run_id: str = ""
    observed: bool = False
    on_topic: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Detection:
    """A pattern, and the ids of the writes that make it up, the newest included."""

    pattern: Pattern
    ids: tuple[str, ...]


def detect(
    recent: Sequence[Write],
    limits: AnomalyLimits,
    *,
    usual: Mapping[str, int] | None = None,
    slack: int = 1,
) -> Detection | None:
    """Look whether the newest write, the last of `recent`, completes a pattern.

    `recent` are the writes of one scope and channel inside the window, oldest first, and either all
    of them observed or none. `usual` counts the scope's earlier writes by origin. `slack`
    multiplies the numbers, for a scope in which a person found earlier alerts to be false.
    """
    if not recent or recent[-1].source is Source.OPERATOR:
        return None
    new = recent[-1]
    if new.observed:
        of_run = [write for write in recent if write.run_id == new.run_id]
        return _crowd(Pattern.BURST, of_run, limits.per_run * slack)
    found = _crowd(Pattern.BURST, recent, limits.burst * slack)
    if found is not None or new.source not in _UNTRUSTED:
        return found
    return (
        _crowd(Pattern.NEAR_DUPLICATES, _same(new, recent), limits.near_duplicates * slack)
        or _off_topic(recent, limits, slack)
        or _dominance(recent, usual or {}, limits, slack)
    )


def _crowd(pattern: Pattern, crowd: Sequence[Write], limit: int) -> Detection | None:
    if len(crowd) < limit:
        return None
    return Detection(pattern=pattern, ids=tuple(write.id for write in crowd))


def _same(new: Write, direct: Sequence[Write]) -> list[Write]:
    if len(new.marks.words) < _FEWEST_WORDS:
        return []
    return [
        write
        for write in direct[-_COMPARED:]
        if write.marks.numbers == new.marks.numbers
        and alike(write.marks.words, new.marks.words) >= NEAR
    ]


def _off_topic(direct: Sequence[Write], limits: AnomalyLimits, slack: int) -> Detection | None:
    if direct[-1].on_topic is not False:
        return None
    judged = [write for write in direct if write.on_topic is not None]
    off = [write for write in judged if not write.on_topic]
    if len(off) < limits.off_topic_share * len(judged):
        return None
    return _crowd(Pattern.OFF_TOPIC, off, limits.off_topic * slack)


def _dominance(
    direct: Sequence[Write], usual: Mapping[str, int], limits: AnomalyLimits, slack: int
) -> Detection | None:
    wanted, origin, before = limits.dominance_writes * slack, direct[-1].origin, sum(usual.values())
    if len(direct) < wanted or before < wanted or usual.get(origin, 0) * 2 >= before:
        return None
    own = [write for write in direct if write.origin == origin]
    if len(own) < limits.dominance * len(direct):
        return None
    return _crowd(Pattern.DOMINANCE, own, wanted)
