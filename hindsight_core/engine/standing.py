"""What a run is shown of a user's rules although no likeness to its task calls them to mind.

Rules that hold for every answer ("No emojis.", 简短点) name no topic that a task could be near to:
they have seats of their own. And a user of whom only a few rules are known is shown them in the
seats that stay free: a rule on documents is about the receipt to be sent, though no word says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hindsight_core.capture import ANSWER_SLOTS, is_standing
from hindsight_core.engine.core import Core
from hindsight_core.ports import Store, Where
from hindsight_core.recall import Found, keep_beside
from hindsight_core.schema import Kind, Memory, Scope, Source
from hindsight_core.text import fold

__all__ = ["with_rules"]

_PERSONS: Final = (Source.USER, Source.OPERATOR)
_READ: Final = 40
"""So many statements of these slots are looked at, the newest ones."""
_FEW: Final = 6
"""Of a user with more rules only those are shown that the task or the answer calls for."""
_READ_ALL: Final = 24
"""Preferences, of whatever source, among which a user's few rules are counted."""


def with_rules(
    core: Core,
    store: Store,
    scope: Scope,
    candidates: Sequence[Found],
    seats: int,
    tools: frozenset[str],
    now: datetime,
) -> tuple[Found, ...]:
    """Return the candidates, with the rules kept beside them that this run is to know.

    Of those that stand for every answer the newest of each slot, `Settings.standing_rules` at most,
    whether they have a seat already or not; then, where not all `seats` are taken, the few rules
    that a user has: first those said when `tools` were at work that the run has, then the likest.
    They are read from `store`.
    """
    kept = [found.memory for found in candidates if found.kept]
    taken = {memory.id for memory in kept}
    rules = _standing(store, scope, now) if core.settings.standing_rules else ()
    own = core.settings.standing_rules - sum(rule.id in taken for rule in rules)
    new = [rule for rule in rules if rule.id not in taken][: max(0, own)]
    if len(kept) < seats:
        alike = {found.memory.id: found.similarity for found in candidates}
        ids = {*taken, *(rule.id for rule in new)}
        few = sorted(
            (rule for rule in _few(store, scope, now) if rule.id not in ids),
            key=lambda rule: (_used(rule, tools), alike.get(rule.id, 0.0), rule.created_at),
            reverse=True,
        )
        new += few[: seats - len(kept)]
    said = {fold(memory.content) for memory in kept}
    new = [rule for rule in new if fold(rule.content) not in said]
    new = core.seal.intact(new, core.store) if new else new
    return keep_beside(candidates, new, now, core.settings.weights, part="standing")


def _few(store: Store, scope: Scope, now: datetime) -> list[Memory]:
    """All rules of a user who has only a few, none that is in doubt."""
    where = Where(kinds=(Kind.PREFERENCE,))
    listed = store.select(scope, where, limit=_READ_ALL)
    rules = [memory for memory in listed if _is_rule(memory, now)]
    few = len(rules) <= _FEW and len(listed) < _READ_ALL
    return [rule for rule in rules if not rule.conflicts_with] if few else []


def _used(rule: Memory, tools: frozenset[str]) -> bool:
    return rule.preference is not None and not tools.isdisjoint(rule.preference.tools)


def _standing(store: Store, scope: Scope, now: datetime) -> list[Memory]:
    """The newest standing rule of each slot, newest first; one indexed look-up."""
    where = Where(kinds=(Kind.PREFERENCE,), subject=ANSWER_SLOTS)
    rules: dict[str, Memory] = {}
    for memory in store.select(scope, where, limit=_READ):
        if _is_rule(memory, now) and is_standing(memory.content):
            rules.setdefault(memory.key.subject, memory)
    return list(rules.values())


def _is_rule(memory: Memory, now: datetime) -> bool:
    return memory.source in _PERSONS and (memory.expires_at is None or memory.expires_at > now)
