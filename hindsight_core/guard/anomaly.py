"""Whether the writes of a scope look like an attack on its memory. Pure: from writes to a pattern.

A single poisoned text is the business of the content rules; here it is the crowd that tells: too
many at once, many that say the same, many that have nothing to do with the task, or one origin that
suddenly says everything. What our own hooks observed (a lesson from calls that really ran) is
bounded by what the agent does, so only its number in one run counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from hindsight_core.alerts import AnomalyLimits, Pattern
from hindsight_core.guard.marks import Marks, alike
from hindsight_core.schema import Source

__all__ = ["Detection", "Write", "detect"]

NEAR: Final = 0.6
"""Jaccard index of the words from which two texts with the same numbers say almost the same."""
_FEWEST_WORDS: Final = 3
"""Texts of fewer words are alike by chance."""
_COMPARED: Final = 400
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
    writes: Sequence[Write], limits: AnomalyLimits, *, since: datetime | None = None, slack: int = 1
) -> Detection | None:
    """Look whether the newest write, the last of `writes`, completes a pattern.

    `writes` are of one scope, oldest first, and may reach back before the window: what came before
    it tells what is usual. Nothing before `since` counts. `slack` multiplies the numbers, for a
    scope in which a person found earlier alerts to be false.
    """
    if not writes or writes[-1].source is Source.OPERATOR:
        return None
    new = writes[-1]
    start = new.at - timedelta(minutes=limits.window_minutes)
    recent = [
        write
        for write in writes
        if write.at > start and (since is None or write.at > since) and write.source is new.source
    ]
    if new.observed:
        return _crowd(Pattern.BURST, [w for w in recent if w.run_id == new.run_id],
                      limits.per_run * slack)  # fmt: skip
    direct = [write for write in recent if not write.observed]
    found = _crowd(Pattern.BURST, direct, limits.burst * slack)
    if found is not None or new.source not in _UNTRUSTED:
        return found
    return (
        _crowd(Pattern.NEAR_DUPLICATES, _same(new, direct), limits.near_duplicates * slack)
        or _off_topic(direct, limits, slack)
        or _dominance(writes, direct, limits, slack)
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
    judged = [write for write in direct if write.on_topic is not None]
    off = [write for write in judged if not write.on_topic]
    if not judged or len(off) < limits.off_topic_share * len(judged):
        return None
    return _crowd(Pattern.OFF_TOPIC, off, limits.off_topic * slack)


def _dominance(
    writes: Sequence[Write], direct: Sequence[Write], limits: AnomalyLimits, slack: int
) -> Detection | None:
    new = writes[-1]
    own = [write for write in direct if write.origin == new.origin]
    wanted = limits.dominance_writes * slack
    if len(own) < max(wanted, limits.dominance * len(direct)):
        return None
    recent = {write.id for write in direct}
    before = Counter(w.origin for w in writes if w.id not in recent and not w.observed)
    if before.total() < wanted or before[new.origin] * 2 >= before.total():
        return None
    return _crowd(Pattern.DOMINANCE, own, wanted)
