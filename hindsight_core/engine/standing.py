"""Gives seats of their own to the rules of a user that hold for every answer: "No emojis.", 简短点.

They name no topic that a task could be near to, so the search cannot find them when they matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from hindsight_core import ranking
from hindsight_core.capture import ANSWER_SLOTS, is_standing
from hindsight_core.engine.core import Core
from hindsight_core.ports import Where
from hindsight_core.recall import Found
from hindsight_core.schema import Kind, Memory, Scope, Source
from hindsight_core.text import fold

__all__ = ["with_standing"]

_PERSONS: Final = (Source.USER, Source.OPERATOR)
_READ: Final = 40
"""So many statements of these slots are looked at, the newest ones."""


def with_standing(
    core: Core, scope: Scope, candidates: Sequence[Found], now: datetime
) -> tuple[Found, ...]:
    """Return the candidates, with the newest standing rule of each slot kept beside them.

    Those that have a seat already count; there are `Settings.standing_rules` at most.
    """
    rules = _rules(core, scope, now) if core.settings.standing_rules else ()
    kept = {found.memory.id for found in candidates if found.kept}
    said = {fold(found.memory.content) for found in candidates if found.kept}
    free = core.settings.standing_rules - sum(rule.id in kept for rule in rules)
    new = [rule for rule in rules if rule.id not in kept and fold(rule.content) not in said]
    new = core.seal.intact(new[: max(0, free)], core.store) if new else new
    if not new:
        return tuple(candidates)
    known = {found.memory.id: found for found in candidates}
    added = [
        replace(known.pop(rule.id), kept=True, why_not="")
        if rule.id in known
        else _found(rule, now, core.settings.weights)
        for rule in new
    ]
    shown = [found for found in known.values() if found.kept]
    return (*shown, *added, *(found for found in known.values() if not found.kept))


def _rules(core: Core, scope: Scope, now: datetime) -> list[Memory]:
    """The newest standing rule of each slot, newest first; one indexed look-up."""
    where = Where(kinds=(Kind.PREFERENCE,), subject=ANSWER_SLOTS)
    rules: dict[str, Memory] = {}
    for memory in core.store.select(scope, where, limit=_READ):
        if _stands(memory, now):
            rules.setdefault(memory.key.subject, memory)
    return list(rules.values())


def _stands(memory: Memory, now: datetime) -> bool:
    return (
        memory.source in _PERSONS
        and (memory.expires_at is None or memory.expires_at > now)
        and is_standing(memory.content)
    )


def _found(memory: Memory, now: datetime, weights: ranking.Weights) -> Found:
    return Found(
        memory=memory,
        cosine=None,
        bm25=0.0,
        coverage=0.0,
        matched=(),
        parts={"standing": 1.0},
        similarity=0.0,
        score=ranking.score(memory, 0.0, now, weights),
        kept=True,
    )
