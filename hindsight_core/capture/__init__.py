"""Events in, candidate memories out: preferences, outcomes, failures and fixes, paths."""

from __future__ import annotations

from hindsight_core.capture._formats import format_of
from hindsight_core.capture.feedback import read_feedback
from hindsight_core.capture.histories import (
    BadLineError,
    RecordedRun,
    RecordedStep,
    read_history,
)
from hindsight_core.capture.jsonable import result_text
from hindsight_core.capture.limits import (
    CLOCK,
    Limit,
    amounts_in,
    clocks_in,
    limits_of,
    unit_of,
    weekdays_in,
    weekdays_of,
    without_amounts,
)
from hindsight_core.capture.merging import add_worked, clear_lesson, merge_lesson, withdraw
from hindsight_core.capture.outcomes import judge_outcome, says_of_the_moment
from hindsight_core.capture.preferences import (
    PreferenceFinding,
    extract_preferences,
    read_preference,
)
from hindsight_core.capture.preferences_replacing import hold_apart, replaces, stands_beside
from hindsight_core.capture.preferences_terms import entities_of, topics_of
from hindsight_core.capture.redaction import Redactor, redact
from hindsight_core.capture.run import (
    Judgement,
    course_of,
    judge_run,
    situation_of,
    tools_that_worked,
)
from hindsight_core.capture.signatures import as_args, make_call, shape, signature, to_jsonable
from hindsight_core.capture.standing import ANSWER_SLOTS, is_standing
from hindsight_core.capture.states import State, in_state, is_of_one_state

__all__ = [
    "ANSWER_SLOTS",
    "CLOCK",
    "BadLineError",
    "Judgement",
    "Limit",
    "PreferenceFinding",
    "RecordedRun",
    "RecordedStep",
    "Redactor",
    "State",
    "add_worked",
    "amounts_in",
    "as_args",
    "clear_lesson",
    "clocks_in",
    "course_of",
    "entities_of",
    "extract_preferences",
    "format_of",
    "hold_apart",
    "in_state",
    "is_of_one_state",
    "is_standing",
    "judge_outcome",
    "judge_run",
    "limits_of",
    "make_call",
    "merge_lesson",
    "read_feedback",
    "read_history",
    "read_preference",
    "redact",
    "replaces",
    "result_text",
    "says_of_the_moment",
    "shape",
    "signature",
    "situation_of",
    "stands_beside",
    "to_jsonable",
    "tools_that_worked",
    "topics_of",
    "unit_of",
    "weekdays_in",
    "weekdays_of",
    "withdraw",
    "without_amounts",
]
