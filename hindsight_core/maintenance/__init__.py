"""Forgetting: what is stale or harmful is put away, and what is needed again comes back."""

from hindsight_core.maintenance.importance import (
    days_unreferenced,
    density,
    importance,
    strength,
)
from hindsight_core.maintenance.plan import (
    RESTORED_DECAY,
    Action,
    Step,
    carry_out,
    plan,
    restored,
)
from hindsight_core.maintenance.policy import is_judged, is_said_by_user, is_users_rule
from hindsight_core.maintenance.proposing import (
    Ask,
    Proposal,
    ProposalKind,
    ProposalStatus,
    find_contradictions,
    find_patterns,
    find_stale,
)
from hindsight_core.maintenance.returning import Query, count_returns, same_situation
from hindsight_core.maintenance.tiers import WORKING_DAYS, Standing

__all__ = [
    "RESTORED_DECAY",
    "WORKING_DAYS",
    "Action",
    "Ask",
    "Proposal",
    "ProposalKind",
    "ProposalStatus",
    "Query",
    "Standing",
    "Step",
    "carry_out",
    "count_returns",
    "days_unreferenced",
    "density",
    "find_contradictions",
    "find_patterns",
    "find_stale",
    "importance",
    "is_judged",
    "is_said_by_user",
    "is_users_rule",
    "plan",
    "restored",
    "same_situation",
    "strength",
]
