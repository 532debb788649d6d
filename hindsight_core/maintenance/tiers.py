"""When a memory changes its tier: what proves lasting becomes long-term, the rest lapses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight_core.maintenance.importance import days_unreferenced
from hindsight_core.schema import Memory, Source, Status, Tier
from hindsight_core.settings import Policy

__all__ = ["WORKING_DAYS", "Standing", "lapses", "promoted_by"]

WORKING_DAYS: Final = 1.0
"""After this long working memory is over, whatever became of its run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What the store tells of a memory that is not long-term yet.

    `sessions` are the other sessions in which it was shown, `lasting` says that its words claim to
    hold for good, `run_over` that no run goes on which began before it.
    """

    sessions: int = 0
    lasting: bool = False
    run_over: bool = False


def promoted_by(memory: Memory, standing: Standing) -> str:
    """Why a short-term memory becomes long-term; empty where it does not.

    Only the user's or an operator's own words make themselves last. An outage that passes by
    itself stays short-term, however often it was met.
    """
    passing = memory.lesson is not None and memory.lesson.mistake.transient
    if memory.tier is not Tier.SHORT or memory.status is not Status.ACTIVE or passing:
        return ""
    if standing.lasting and memory.source in (Source.USER, Source.OPERATOR):
        return "stated as lasting"
    if memory.hits > memory.misses:
        return f"confirmed: {memory.hits} hits, {memory.misses} misses"
    if standing.sessions:
        return f"used again in {standing.sessions} other sessions"
    return ""


def lapses(memory: Memory, now: datetime, standing: Standing, policy: Policy) -> str:
    """Why a memory of a lower tier is over; empty where it is not."""
    if memory.status is not Status.ACTIVE or memory.tier is Tier.LONG:
        return ""
    if memory.tier is Tier.WORKING:
        old = (now - memory.created_at).total_seconds() >= WORKING_DAYS * 86_400
        return "working memory of a run that is over" if standing.run_over or old else ""
    if memory.expires_at is not None:
        return "short-term, and its time is over" if memory.expires_at <= now else ""
    days = days_unreferenced(memory, now)
    if policy.short_days is not None and days >= policy.short_days:
        return f"short-term, and not used again for {days:.0f} days"
    return ""
