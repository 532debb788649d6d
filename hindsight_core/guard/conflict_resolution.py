"""What follows from the relations of a new memory to those that stand. Pure: returns records.

The caller signs what is returned and puts it in one transaction. Trust is never changed here: that
a text is repeated makes it no truer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from hindsight_core.guard.conflicts import Label, Relation
from hindsight_core.schema import Evidence, Memory, Source, Status

__all__ = ["MAX_EVIDENCE", "Action", "Related", "Resolution", "Step", "resolve"]

MAX_EVIDENCE: Final = 32
"""How many pieces of evidence a record keeps: the newest."""


class Action(StrEnum):
    """What was done about one related memory."""

    MERGE = "merge"
    SUPERSEDE = "supersede"
    CONFLICT = "conflict"
    LINK = "link"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Related:
    """A memory that stands, and how the new one relates to it."""

    memory: Memory
    relation: Relation


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One decision, for the audit log."""

    memory_id: str
    action: Action
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolution:
    """What to put: the new memory (None where it was merged) and the old ones that changed."""

    new: Memory | None
    updated: tuple[Memory, ...]
    merged_into: str | None
    steps: tuple[Step, ...]

    @property
    def puts(self) -> tuple[Memory, ...]:
        """Every record to store, the old ones first."""
        return self.updated if self.new is None else (*self.updated, self.new)


def resolve(
    new: Memory, related: Sequence[Related], *, now: datetime, supersedes_slot: str = ""
) -> Resolution:
    """Decide what becomes of a new memory and of those it is related to.

    A duplicate is merged into the best trusted memory that says the same: its evidence is added,
    nothing else; but where the new one comes from a better trusted channel it replaces the old. Of
    two that contradict both stay and name each other, unless the user (or an operator) corrects
    what came from no better channel: then the old one is superseded. A correction is of the slot
    that it says to correct (`supersedes_slot`), or a text that itself says that something changed;
    one slot alone is no ground. A refinement names what it refines.

    Memories of another owner are never changed, inactive and superseded ones are passed over.
    """
    standing = [
        item
        for item in related
        if item.memory.id != new.id
        and item.memory.status is Status.ACTIVE
        and item.memory.superseded_by is None
    ]
    merge = _merge_target(new, standing)
    if merge is not None:
        merged = _changed(merge.memory, now, evidence=_joined(merge.memory.evidence, new.evidence))
        step = Step(memory_id=merged.id, action=Action.MERGE, reasons=merge.relation.reasons)
        return Resolution(new=None, updated=(merged,), merged_into=merged.id, steps=(step,))
    updated: list[Memory] = []
    steps: list[Step] = []
    links: dict[Action, list[str]] = {action: [] for action in Action}
    evidence = new.evidence
    for item in standing:
        action = _action(new, item, supersedes_slot)
        old = item.memory
        steps.append(Step(memory_id=old.id, action=action, reasons=item.relation.reasons))
        links[action].append(old.id)
        if action is Action.SUPERSEDE:
            updated.append(_changed(old, now, superseded_by=new.id))
            if item.relation.label is Label.DUPLICATE:
                evidence = _joined(old.evidence, evidence)
        elif action is Action.CONFLICT and _same_owner(new, old):
            updated.append(_changed(old, now, conflicts_with=_with(old.conflicts_with, [new.id])))
    result = new.model_copy(
        update={
            "evidence": evidence,
            "supersedes": _with(new.supersedes, links[Action.SUPERSEDE]),
            "conflicts_with": _with(new.conflicts_with, links[Action.CONFLICT]),
            "refines": _with(new.refines, links[Action.LINK]),
        }
    )
    return Resolution(new=result, updated=tuple(updated), merged_into=None, steps=tuple(steps))


def _merge_target(new: Memory, standing: Sequence[Related]) -> Related | None:
    """The duplicate to merge into: of the same owner and kind, and trusted no less."""
    fit = [
        item
        for item in standing
        if item.relation.label is Label.DUPLICATE
        and item.memory.scope == new.scope
        and item.memory.kind is new.kind
        and item.memory.trust >= new.trust
    ]
    return max(fit, key=lambda item: (item.memory.trust, item.relation.score), default=None)


def _action(new: Memory, item: Related, supersedes_slot: str) -> Action:
    old, relation = item.memory, item.relation
    if relation.label is Label.UNRELATED:
        return Action.NONE
    if relation.label is Label.REFINEMENT:
        return Action.LINK
    replaceable = old.scope == new.scope and old.kind is new.kind and old.trust <= new.trust
    if relation.label is Label.DUPLICATE:
        return Action.SUPERSEDE if replaceable and old.trust < new.trust else Action.LINK
    corrects = new.source in (Source.USER, Source.OPERATOR) and (
        relation.change or _corrects(old, supersedes_slot)
    )
    return Action.SUPERSEDE if replaceable and corrects else Action.CONFLICT


def _corrects(old: Memory, supersedes_slot: str) -> bool:
    slots = {old.key.subject, old.preference.slot if old.preference else ""}
    return bool(supersedes_slot) and supersedes_slot in slots


def _same_owner(new: Memory, old: Memory) -> bool:
    return (new.scope.tenant, new.scope.user) == (old.scope.tenant, old.scope.user)


def _changed(memory: Memory, now: datetime, **fields: Any) -> Memory:
    changes = {"updated_at": now, "revision": memory.revision + 1, **fields}
    return memory.model_copy(update=changes)


def _with(ids: tuple[str, ...], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ids, *more)))


def _joined(old: tuple[Evidence, ...], new: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Both, each run and its calls once, the newest kept when there are too many."""
    found = {(e.run_id, e.call_ids): e for e in (*old, *new)}
    return tuple(found.values())[-MAX_EVIDENCE:]
