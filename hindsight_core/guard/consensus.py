"""Whether a memory's advice stands alone against better trusted ones: A-MemGuard's idea. Pure.

A-MemGuard (arXiv 2510.02373) compares what related memories advise and distrusts the one that goes
its own way. Here the votes are weighed by trust, and repetition adds none: a memory's own weight
is its trust, those of the same origin vote once, and only what is trusted more may speak against
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from hindsight_core.schema import Memory, Source
from hindsight_core.text import count_cjk

__all__ = ["Standing", "note_for", "stands", "votes"]

_PERSONS: Final = frozenset({Source.USER, Source.OPERATOR})
_HELD: Final = 2.0
"""Times as much weight against a memory as for it from which it is held back, not only marked."""
_PROVEN: Final = 2
"""Independent runs of ours in which a memory held, from which it needs nobody's agreement."""
_NOTES: Final = {
    "en": "stands alone against better trusted notes; ask before relying on it",
    "zh": "与更可信的笔记相左且无旁证，采用前请先询问",
}


class Standing(StrEnum):
    """What becomes of a memory at recall."""

    SHOWN = "shown"
    MARKED = "marked"
    HELD = "held back"


def votes(memory: Memory) -> bool:
    """Whether others are asked about a memory: not where a person or our own runs vouch for it."""
    return memory.source not in _PERSONS and memory.verified_runs < _PROVEN


def stands(memory: Memory, against: Iterable[Memory], beside: Iterable[Memory]) -> Standing:
    """Weigh those that contradict a memory against those that agree with it.

    `against` and `beside` may hold anything that is related; what is trusted no more than the
    memory has no vote against it.
    """
    contrary = _weight(one for one in against if one.trust > memory.trust)
    own = memory.trust + _weight(
        one for one in beside if one.trust >= memory.trust and _origin(one) != _origin(memory)
    )
    if contrary <= own:
        return Standing.SHOWN
    return Standing.HELD if contrary >= _HELD * own else Standing.MARKED


def note_for(memory: Memory) -> str:
    """What a marked memory carries when it is shown, in its own language."""
    han = count_cjk(memory.content[:400])
    return _NOTES["zh" if han * 4 > len(memory.content[:400]) else "en"]


def _weight(memories: Iterable[Memory]) -> float:
    """The sum of trusts, each origin once with its best."""
    best: dict[tuple[str, str], float] = {}
    for memory in memories:
        origin = _origin(memory)
        best[origin] = max(best.get(origin, 0.0), memory.trust)
    return sum(best.values())


def _origin(memory: Memory) -> tuple[str, str]:
    """Whose word it is: a person's statements are each his own, a run or a speaker is one."""
    if memory.source in _PERSONS:
        return (memory.source.value, memory.id)
    runs: Sequence[str] = [evidence.run_id for evidence in memory.evidence]
    return (memory.source.value, runs[0] if runs else memory.context.speaker)
