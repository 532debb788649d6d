"""Which calls the gate flags, and what each mode makes of a flag."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_core.errors import ConfigurationError
from hindsight_core.gate.decisions import GateAction, decide, describe_flag, find_flag
from hindsight_core.ports import CallStats
from hindsight_core.schema import ErrorClass
from hindsight_core.settings import GateMode, Settings

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def stats(situation="here", failures=1, successes=0, error=ErrorClass.NOT_FOUND, **more):
    return CallStats(
        signature="s",
        shape="t(x: text)",
        situation=situation,
        tool="t",
        failures=failures,
        successes=successes,
        error_class=error.value,
        transient=more.get("transient", False),
        memory_id="m1",
        last_failure_at=more.get("at", NOW),
        last_success_at=more.get("worked_at"),
    )


def test_a_call_that_was_never_seen_is_not_flagged():
    assert find_flag([], "here", lambda: NOW) is None


def test_a_call_that_failed_in_this_situation_is_flagged():
    flag = find_flag([stats()], "here", lambda: NOW)
    assert flag is not None
    assert flag.here
    assert flag.memory_id == "m1"


def test_a_success_of_the_same_call_clears_the_flag():
    assert find_flag([stats(failures=0, successes=1)], "here", lambda: NOW) is None


def test_a_deterministic_failure_elsewhere_counts_while_the_call_never_worked():
    flag = find_flag([stats(situation="there")], "here", lambda: NOW)
    assert flag is not None
    assert not flag.here


def test_a_failure_elsewhere_does_not_count_once_the_call_worked_anywhere():
    known = [stats(situation="there"), stats(situation="yonder", failures=0, successes=1)]
    assert find_flag(known, "here", lambda: NOW) is None


def test_a_later_success_elsewhere_closes_the_failure_here():
    later, before = NOW + timedelta(seconds=1), NOW - timedelta(seconds=1)
    known = [stats(), stats(situation="there", failures=0, successes=1, worked_at=later)]
    assert find_flag(known, "here", lambda: NOW) is None
    known = [stats(), stats(situation="there", failures=0, successes=1, worked_at=before)]
    assert find_flag(known, "here", lambda: NOW) is not None


def test_a_success_elsewhere_says_nothing_of_what_a_call_came_to_here():
    there = stats(situation="there", failures=0, successes=1, worked_at=NOW + timedelta(seconds=1))
    assert find_flag([stats(error=ErrorClass.SOFT), there], "here", lambda: NOW) is not None


@pytest.mark.parametrize("error", [ErrorClass.SOFT, ErrorClass.INTERNAL, ErrorClass.TIMEOUT])
def test_a_failure_elsewhere_that_depends_on_the_state_does_not_count(error):
    assert find_flag([stats(situation="there", error=error)], "here", lambda: NOW) is None


def test_what_passes_by_itself_is_forgotten_after_ten_minutes():
    recent = stats(error=ErrorClass.RATE_LIMIT, transient=True, at=NOW - timedelta(minutes=9))
    old = stats(error=ErrorClass.RATE_LIMIT, transient=True, at=NOW - timedelta(minutes=11))
    assert find_flag([recent], "here", lambda: NOW) is not None
    assert find_flag([old], "here", lambda: NOW) is None


@pytest.mark.parametrize(
    ("mode", "action"),
    [
        (GateMode.OBSERVE, GateAction.RUN),
        (GateMode.ADVISE, GateAction.ADVISE),
        (GateMode.CONFIRM, GateAction.CONFIRM),
        (GateMode.BLOCK, GateAction.BLOCK),
    ],
)
def test_each_mode_has_its_action_for_a_deterministic_failure(mode, action):
    decision = decide(find_flag([stats()], "here", lambda: NOW), mode, "why")
    assert decision.action is action
    assert decision.flagged
    assert decision.memory_ids == ("m1",)


@pytest.mark.parametrize("mode", [GateMode.CONFIRM, GateMode.BLOCK])
def test_what_may_yet_work_is_advised_on_and_never_blocked(mode):
    flag = find_flag([stats(error=ErrorClass.UNAVAILABLE, transient=True)], "here", lambda: NOW)
    assert decide(flag, mode, "why").action is GateAction.ADVISE


def test_without_a_flag_the_call_just_runs():
    decision = decide(None, GateMode.BLOCK, "why")
    assert decision.action is GateAction.RUN
    assert not decision.flagged


def test_the_words_say_how_often_and_what_was_learnt():
    flag = find_flag([stats(failures=3)], "here", lambda: NOW)
    assert flag is not None
    text = describe_flag(flag, "book", "Use ISO dates.")
    assert text.startswith("This book call failed 3 times before in such a task (not_found).")
    assert text.endswith("Use ISO dates.")


@pytest.mark.parametrize(
    "given", [{"gate": "nope"}, {"gate_by_tool": {"shell": "never"}}], ids=lambda g: next(iter(g))
)
def test_a_mode_that_does_not_exist_is_refused(given):
    with pytest.raises(ConfigurationError, match="one of off, observe, advise, confirm, block"):
        Settings(**given)
