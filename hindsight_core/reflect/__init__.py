"""What is thought about later, in batches: lesson cards of a chat model, checked and merged."""

from __future__ import annotations

from hindsight_core.reflect.cards import (
    CARD_SCHEMA,
    AnswerError,
    Card,
    read_answer,
    read_cards,
)
from hindsight_core.reflect.checking import Refused, check_card
from hindsight_core.reflect.logs import LoggedCall, RunLog
from hindsight_core.reflect.merging import merge_alike, merge_card
from hindsight_core.reflect.prompting import SYSTEM, Prompt, Room, prompts_for
from hindsight_core.reflect.sessions import (
    SUMMARY_SCHEMA,
    SUMMARY_SYSTEM,
    SessionLog,
    Summary,
    read_summary,
    session_text,
    summary_by_rules,
)

__all__ = [
    "CARD_SCHEMA",
    "SUMMARY_SCHEMA",
    "SUMMARY_SYSTEM",
    "SYSTEM",
    "AnswerError",
    "Card",
    "LoggedCall",
    "Prompt",
    "Refused",
    "Room",
    "RunLog",
    "SessionLog",
    "Summary",
    "check_card",
    "merge_alike",
    "merge_card",
    "prompts_for",
    "read_answer",
    "read_cards",
    "read_summary",
    "session_text",
    "summary_by_rules",
]
