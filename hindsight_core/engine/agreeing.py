"""Asks the related memories about each one that is to be shown, and uses what persons decided.

Contradictions that the worker found are linked already; beside those only texts that are much alike
are compared here, a few a recall, and each pair once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.deciding import DECISION
from hindsight_core.guard import Label, relate
from hindsight_core.guard.consensus import Standing, note_for, stands, votes
from hindsight_core.guard.joint import clear_joint, said_together
from hindsight_core.guard.learnt import REFUSED, Decided, recognise
from hindsight_core.guard.marks import alike, marks_of
from hindsight_core.recall import Found
from hindsight_core.schema import Memory, Scope, Status

__all__ = ["ALONE", "HALVED", "LIKE_REFUSED", "Agreement", "agree", "clear_agreement"]

ALONE: Final = "stands alone against better trusted memories"
LIKE_REFUSED: Final = "is like one that a person refused"
HALVED: Final = "says together with another one what neither may"
_ALIKE: Final = 0.05
"""Jaccard index of the words from which two texts are worth comparing."""
_PAIRS: Final = 8
"""Pairs that are compared in one recall, at most: each takes about a millisecond once."""
_SURE: Final = 0.5
_DECISIONS: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """What the others say: why a memory is held back, and what is noted beside it, by id."""

    held: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: Mapping[str, str] = field(default_factory=dict[str, str])

    def without(self, candidates: Sequence[Found]) -> list[Found]:
        """The candidates, those that are held back not kept."""
        return [
            replace(found, kept=False, why_not=self.held[found.memory.id])
            if found.memory.id in self.held and found.kept
            else found
            for found in candidates
        ]


def agree(
    core: Core, scope: Scope, candidates: Sequence[Found], asked: Sequence[Memory]
) -> Agreement:
    """Judge the memories that are about to be shown by all that was found beside them."""
    doubtful = [memory for memory in asked if votes(memory)]
    if not doubtful:
        return Agreement()
    decided = _decided(core, scope)
    linked = _linked(core, scope, doubtful)
    pool = [found.memory for found in candidates] + list(linked.values())
    halves = said_together([memory.content for memory in doubtful])
    held = {doubtful[place].id: HALVED for place in halves}
    notes: dict[str, str] = {}
    pairs = _PAIRS
    for memory in doubtful:
        if memory.id in held:
            continue
        said = recognise(marks_of(memory.content), memory.source, decided)
        if said is not None:
            if said.decision == REFUSED:
                held[memory.id] = LIKE_REFUSED
            continue
        against = [linked[one] for one in memory.conflicts_with if one in linked]
        beside: list[Memory] = []
        known = {memory.id, *memory.conflicts_with}
        for other in _near(memory, pool, known)[:pairs]:
            pairs -= 1
            label = _relation(other.content, memory.content)
            if label is Label.CONTRADICTION:
                against.append(other)
            elif label in (Label.DUPLICATE, Label.REFINEMENT):
                beside.append(other)
        standing = stands(memory, against, beside)
        if standing is Standing.HELD:
            held[memory.id] = ALONE
        elif standing is Standing.MARKED:
            notes[memory.id] = note_for(memory)
    return Agreement(held=held, notes=notes)


def _near(memory: Memory, pool: Sequence[Memory], known: set[str]) -> list[Memory]:
    own = marks_of(memory.content).words
    scored = [
        (alike(own, marks_of(other.content).words), other)
        for other in {other.id: other for other in pool}.values()
        if other.id not in known and other.trust >= memory.trust
    ]
    near = [(score, other) for score, other in scored if score >= _ALIKE]
    return [other for _, other in sorted(near, key=lambda item: -item[0])]


def _linked(core: Core, scope: Scope, memories: Sequence[Memory]) -> dict[str, Memory]:
    """The memories that are known to contradict one of these."""
    ids = {one for memory in memories for one in memory.conflicts_with}
    if not ids:
        return {}
    found = core.seal.intact(core.store.get(scope, sorted(ids)), core.store)
    return {
        memory.id: memory
        for memory in found
        if memory.status is Status.ACTIVE and memory.superseded_by is None
    }


def _decided(core: Core, scope: Scope) -> list[Decided]:
    records = core.store.kept(DECISION, tenant=scope.tenant, user=scope.user, limit=_DECISIONS)
    return [Decided.model_validate_json(record.body) for record in records]


def clear_agreement() -> None:
    """Forget the texts that were compared."""
    _relation.cache_clear()
    clear_joint()


@lru_cache(maxsize=4_096)
def _relation(standing: str, later: str) -> Label:
    found = relate(standing, later)
    return found.label if found.score >= _SURE else Label.UNRELATED
