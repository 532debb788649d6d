"""Finds the few memories that matter and renders them into a block."""

from hindsight_core.recall.asked import questions
from hindsight_core.recall.asked_once import AskedOnce
from hindsight_core.recall.block import Block, render, strip_blocks
from hindsight_core.recall.details import render_details
from hindsight_core.recall.found import BELOW, Found, Retrieval, RetrievalSettings, keep_beside
from hindsight_core.recall.lessons import LessonKey, LessonMatch, find_lessons
from hindsight_core.recall.lines import render_lines
from hindsight_core.recall.report import (
    CandidateReport,
    RecallReport,
    candidate_table,
    describe_filters,
    report_candidates,
)
from hindsight_core.recall.retrieve import Rerank, forget_texts, retrieve
from hindsight_core.recall.rewriting import Turn, needs_turns, self_contained
from hindsight_core.recall.rivals import marked, missing_rivals, with_rivals
from hindsight_core.recall.seats import seat
from hindsight_core.recall.synonyms import Synonyms, shipped_synonyms
from hindsight_core.recall.tokens import count_tokens
from hindsight_core.recall.wording import DETAILS

__all__ = [
    "BELOW",
    "DETAILS",
    "AskedOnce",
    "Block",
    "CandidateReport",
    "Found",
    "LessonKey",
    "LessonMatch",
    "RecallReport",
    "Rerank",
    "Retrieval",
    "RetrievalSettings",
    "Synonyms",
    "Turn",
    "candidate_table",
    "count_tokens",
    "describe_filters",
    "find_lessons",
    "forget_texts",
    "keep_beside",
    "marked",
    "missing_rivals",
    "needs_turns",
    "questions",
    "render",
    "render_details",
    "render_lines",
    "report_candidates",
    "retrieve",
    "seat",
    "self_contained",
    "shipped_synonyms",
    "strip_blocks",
    "with_rivals",
]
