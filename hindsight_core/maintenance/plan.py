"""What is due for one memory, and why: pure, so that a dry run and the real one agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from hindsight_core.ledger import CREDITED, Uplift
from hindsight_core.maintenance.importance import days_unreferenced, importance, strength
from hindsight_core.maintenance.policy import is_judged, is_said_by_user, is_users_rule
from hindsight_core.maintenance.tiers import Standing, lapses, promoted_by
from hindsight_core.schema import Memory, Status, Tier
from hindsight_core.settings import Policy

__all__ = ["RESTORED_DECAY", "Action", "Step", "carry_out", "plan", "restored"]

_POLICY: Final = Policy()
_UNKNOWN: Final = Standing()
RESTORED_DECAY: Final = 0.5
"""The decay with which a memory comes back at least, or it would be cold again at once."""


class Action(StrEnum):
    """What maintenance does with a memory; `keep` only tells that something would be due."""

    ARCHIVE = "archive"
    COLD = "cold"
    DELETE = "delete"
    KEEP = "keep"
    LAPSE = "lapse"
    PROMOTE = "promote"
    RESTORE = "restore"
    RETIRE = "retire"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One thing that is due, and the numbers that say why."""

    action: Action
    memory: Memory
    reason: str
    days: float
    strength: float
    importance: float

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return {
            "action": self.action.value,
            "memory_id": self.memory.id,
            "user": self.memory.scope.user,
            "kind": self.memory.kind.value,
            "content": self.memory.content,
            "reason": self.reason,
            "days_unreferenced": self.days,
            "strength": self.strength,
            "importance": self.importance,
            "confidence": self.memory.confidence,
        }


def plan(
    memory: Memory,
    now: datetime,
    *,
    uplift: Uplift | None = None,
    returns: int = 0,
    policy: Policy = _POLICY,
    standing: Standing = _UNKNOWN,
) -> Step | None:
    """Return what is due for a memory, None where nothing is.

    `uplift` is the estimate of a holdout, `returns` in how many runs the situation of a cold memory
    came back, `standing` what decides about its tier. What is quarantined waits for a person.
    """
    days, left = days_unreferenced(memory, now), strength(memory, now)
    # Importance reads the whole text, and for most memories nothing is due that asks for it.
    found = _due(memory, policy, now, days=days, left=left, uplift=uplift, returns=returns)
    found = found or _tier_due(memory, policy, now, standing)
    if found is None:
        return None
    action, reason = found
    if is_users_rule(memory) and action not in _HARMLESS:
        action, reason = Action.KEEP, f"the user's own rule, kept although {reason}"
    return Step(
        action=action,
        memory=memory,
        reason=reason,
        days=days,
        strength=left,
        importance=importance(memory, now),
    )


def _tier_due(
    memory: Memory, policy: Policy, now: datetime, standing: Standing
) -> tuple[Action, str] | None:
    if reason := promoted_by(memory, standing):
        return Action.PROMOTE, reason
    if reason := lapses(memory, now, standing, policy):
        return (Action.DELETE if memory.tier is Tier.WORKING else Action.LAPSE), reason
    return None


def _due(
    memory: Memory,
    policy: Policy,
    now: datetime,
    *,
    days: float,
    left: float,
    uplift: Uplift | None,
    returns: int,
) -> tuple[Action, str] | None:
    status = memory.status
    if status not in (Status.ACTIVE, Status.ARCHIVED, Status.COLD):
        return None
    enough = policy.restore_after is not None and returns >= policy.restore_after
    if status is Status.COLD and enough and not is_judged(memory):
        return Action.RESTORE, f"its situation came back in {returns} runs"
    if status is Status.ACTIVE and memory.kind in CREDITED and uplift and uplift.harms:
        return Action.RETIRE, f"runs end better without it: uplift {uplift}"
    if policy.delete_days is not None and days >= policy.delete_days:
        since = f"not referenced for {days:.0f} days"
        if not is_said_by_user(memory) and importance(memory, now) < policy.spare_from:
            return Action.DELETE, since
        if status is not Status.COLD:
            spared = "said by the user" if is_said_by_user(memory) else "important"
            return Action.COLD, f"{since}, but {spared}"
        return None
    if policy.cold_below is not None and left < policy.cold_below and status is not Status.COLD:
        return Action.COLD, f"worn out: strength {left:.2f}"
    unsure = memory.confidence < policy.archive_below
    old = policy.archive_days is not None and days >= policy.archive_days
    if status is Status.ACTIVE and old and unsure:
        return (
            Action.ARCHIVE,
            f"not referenced for {days:.0f} days, confidence {memory.confidence:.2f}",
        )
    return None


def carry_out(step: Step, now: datetime) -> Memory | None:
    """Return the memory after a step, at its next revision; None where nothing is to be stored.

    A deletion is the store's to do, and what is kept stays as it is. When it was last of use is
    left alone, so putting a memory away does not make it look new.
    """
    memory = step.memory
    if step.action is Action.RESTORE:
        return restored(memory, now)
    if step.action is Action.PROMOTE:
        kept = {"tier": Tier.LONG, "expires_at": None, "revision": memory.revision + 1}
        return memory.model_copy(update=kept)
    status = _STATUS.get(step.action)
    if status is None:
        return None
    reasons = (*memory.reasons, f"{step.action.value}: {step.reason}")[-_REASONS:]
    return memory.model_copy(
        update={"status": status, "reasons": reasons, "revision": memory.revision + 1}
    )


_STATUS: Final[Mapping[Action, Status]] = {
    Action.ARCHIVE: Status.ARCHIVED,
    Action.LAPSE: Status.ARCHIVED,
    Action.RETIRE: Status.ARCHIVED,
    Action.COLD: Status.COLD,
}
_REASONS: Final = 8
_HARMLESS: Final = (Action.RESTORE, Action.KEEP, Action.PROMOTE)


def restored(memory: Memory, now: datetime) -> Memory:
    """Return a memory that was put away as an active one, strong enough to stay for a while."""
    return memory.model_copy(
        update={
            "status": Status.ACTIVE,
            "decay": max(memory.decay, RESTORED_DECAY),
            "updated_at": now,
            "revision": memory.revision + 1,
        }
    )
