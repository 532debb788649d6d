"""Looks at tool calls before they run: known failures, their like, and rules of the user."""

from hindsight_core.gate.book import Book
from hindsight_core.gate.breaker import Breaker, BreakerState, Trials
from hindsight_core.gate.causes import causes_of, contradicted
from hindsight_core.gate.decisions import (
    Flag,
    GateAction,
    GateDecision,
    Reason,
    decide,
    describe_flag,
    find_flag,
)
from hindsight_core.gate.wishes import Wish

__all__ = [
    "Book",
    "Breaker",
    "BreakerState",
    "Flag",
    "GateAction",
    "GateDecision",
    "Reason",
    "Trials",
    "Wish",
    "causes_of",
    "contradicted",
    "decide",
    "describe_flag",
    "find_flag",
]
