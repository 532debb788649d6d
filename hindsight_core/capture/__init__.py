"""Events in, candidate memories out: preferences, outcomes, failures and fixes, paths."""

from __future__ import annotations

from hindsight_core.capture._formats import format_of
from hindsight_core.capture._user_texts import late_news, restated
from hindsight_core.capture.feedback import makes_it_the_way, read_feedback
from hindsight_core.capture.findings import outcome_of
from hindsight_core.capture.histories import (
    BadLineError,
    RecordedRun,
    RecordedStep,
    read_history,
)
from hindsight_core.capture.jsonable import error_text, result_text
from hindsight_core.capture.languages import EXCLUSIVE_SLOTS
from hindsight_core.capture.limits import (
    CLOCK,
    Limit,
    amounts_in,
    clocks_in,
    limits_of,
    unit_of,
    without_amounts,
)
from hindsight_core.capture.merging import add_worked, clear_lesson, merge_lesson, withdraw
from hindsight_core.capture.outcomes import (
    judge_outcome,
    says_of_a_set,
    says_of_form,
    says_of_the_moment,
)
from hindsight_core.capture.preferences import (
    PreferenceFinding,
    extract_preferences,
    read_preference,
)
from hindsight_core.capture.preferences.replacing import hold_apart, replaces, stands_beside
from hindsight_core.capture.preferences.terms import TOGETHER, entities_of, topics_of
from hindsight_core.capture.reading_ahead import forget_read, read_ahead
from hindsight_core.capture.redaction import Redactor, redact
from hindsight_core.capture.run import (
    Judgement,
    course_of,
    judge_run,
    situation_of,
    tools_that_worked,
)
from hindsight_core.capture.said_of import inherits, resets
from hindsight_core.capture.signatures import as_args, make_call, shape, signature, to_jsonable
from hindsight_core.capture.standing import ANSWER_SLOTS, is_standing
from hindsight_core.capture.states import State, in_state, is_of_one_state
from hindsight_core.capture.taking_back import (
    Reply,
    asks_for_erasure,
    forgotten,
    is_on_the_same,
    names,
    read_reply,
    reworded,
    reworded_act,
)
from hindsight_core.capture.weekdays import weekdays_in, weekdays_of
from hindsight_core.capture.wording import Wording, codes_of

__all__ = [
    "ANSWER_SLOTS",
    "CLOCK",
    "EXCLUSIVE_SLOTS",
    "TOGETHER",
    "BadLineError",
    "Judgement",
    "Limit",
    "PreferenceFinding",
    "RecordedRun",
    "RecordedStep",
    "Redactor",
    "Reply",
    "State",
    "Wording",
    "add_worked",
    "amounts_in",
    "as_args",
    "asks_for_erasure",
    "clear_lesson",
    "clocks_in",
    "codes_of",
    "course_of",
    "entities_of",
    "error_text",
    "extract_preferences",
    "forget_read",
    "forgotten",
    "format_of",
    "hold_apart",
    "in_state",
    "inherits",
    "is_of_one_state",
    "is_on_the_same",
    "is_standing",
    "judge_outcome",
    "judge_run",
    "late_news",
    "limits_of",
    "make_call",
    "makes_it_the_way",
    "merge_lesson",
    "names",
    "outcome_of",
    "read_ahead",
    "read_feedback",
    "read_history",
    "read_preference",
    "read_reply",
    "redact",
    "replaces",
    "resets",
    "restated",
    "result_text",
    "reworded",
    "reworded_act",
    "says_of_a_set",
    "says_of_form",
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
