"""Finds the few memories that matter, renders them into a block, and gates tool calls."""

from hindsight_core.recall.block import Block, count_tokens, render, strip_blocks
from hindsight_core.recall.gate import (
    Flag,
    GateAction,
    GateDecision,
    decide,
    describe_flag,
    find_flag,
)
from hindsight_core.recall.report import CandidateReport, RecallReport
from hindsight_core.recall.retrieve import Retrieval, RetrievalSettings, retrieve

__all__ = [
    "Block",
    "CandidateReport",
    "Flag",
    "GateAction",
    "GateDecision",
    "RecallReport",
    "Retrieval",
    "RetrievalSettings",
    "count_tokens",
    "decide",
    "describe_flag",
    "find_flag",
    "render",
    "retrieve",
    "strip_blocks",
]
