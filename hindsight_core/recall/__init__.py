"""Finds the few memories that matter, renders them into a block, and gates tool calls."""

from hindsight_core.recall.block import Block, count_tokens, render, strip_blocks
from hindsight_core.recall.found import Found, Retrieval, RetrievalSettings
from hindsight_core.recall.gate import (
    Flag,
    GateAction,
    GateDecision,
    decide,
    describe_flag,
    find_flag,
)
from hindsight_core.recall.question import questions
from hindsight_core.recall.report import CandidateReport, RecallReport
from hindsight_core.recall.retrieve import retrieve
from hindsight_core.recall.seats import seat
from hindsight_core.recall.synonyms import Synonyms

__all__ = [
    "Block",
    "CandidateReport",
    "Flag",
    "Found",
    "GateAction",
    "GateDecision",
    "RecallReport",
    "Retrieval",
    "RetrievalSettings",
    "Synonyms",
    "count_tokens",
    "decide",
    "describe_flag",
    "find_flag",
    "questions",
    "render",
    "retrieve",
    "seat",
    "strip_blocks",
]
