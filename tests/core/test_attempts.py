"""Calls of a run told apart: one id for several, retries, exceptions without words, copies."""

import copy

import pytest

from hindsight_core import Hindsight, LiveRuns, Place, Scope, WatchedCall
from hindsight_core.events import ToolCalled

ME = Scope(user="ana")


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def calls(hs, run):
    return [event for event in hs.store.events(run.run_id) if isinstance(event, ToolCalled)]


class SpeechlessError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def test_calls_at_once_to_which_a_model_gave_one_id_are_each_recorded(hs):
    run = hs.run(ME, task="Weigh both")
    asked = [{"item": "pear"}, {"item": "梨"}]
    for args in asked:
        run.before_tool("weigh", args, call_id="call_0")
    for grams, args in enumerate(asked, 100):
        run.after_tool("weigh", args, call_id="call_0", result=f"{grams} g")
        run.after_tool("weigh", args, call_id="call_0", result=f"{grams} g")  # the hook fires twice
    found = calls(hs, run)
    assert [(one.call.args["item"], one.result) for one in found] == [
        ("pear", "100 g"),
        ("梨", "101 g"),
    ]


def test_a_retry_is_another_attempt_and_a_hook_that_fires_twice_is_not(hs):
    run = hs.run(ME, task="Weigh it")
    for result, failed in (("timed out", True), ("100 g", False)):
        run.before_tool("weigh", {"item": "pear"}, call_id="c1")
        for _ in range(2):
            run.after_tool(
                "weigh", {"item": "pear"}, call_id="c1", result=result, flagged_error=failed
            )
    assert [(one.attempt, one.result) for one in calls(hs, run)] == [(1, "timed out"), (2, "100 g")]


def test_an_exception_whose_text_cannot_be_had_is_recorded_by_its_type(hs):
    run = hs.run(ME, task="Weigh it")
    run.before_tool("weigh", {"item": "pear"}, call_id="c1")
    run.after_tool("weigh", {"item": "pear"}, call_id="c1", error=SpeechlessError())
    (found,) = calls(hs, run)
    assert (found.result, found.error_type, found.raised) == (
        "SpeechlessError",
        "SpeechlessError",
        True,
    )


def test_a_success_is_not_completed_with_what_was_said_of_a_failure(hs):
    args = {"item": "pear", "unit": "stone"}
    run = hs.run(ME, task="Weigh it")
    run.before_tool("weigh", args, call_id="c1")
    run.after_tool("weigh", args, call_id="c1", result="unknown unit: stone", flagged_error=True)
    run.finish(ok=False)
    live = LiveRuns(hs, framework="test").take_up("r2", Place(user="ana", task="Weigh it again"))
    WatchedCall(live, "weigh", args, "c1").note("unknown unit: stone", flagged_error=True)
    assert "c1" in live.advice
    WatchedCall(live, "weigh", args, "c1").note("6 stone")
    assert "c1" not in live.advice


def test_a_copy_of_a_memory_and_of_its_runs_is_the_same_one(hs):
    runs = LiveRuns(hs, framework="test")
    live = runs.take_up("r1", Place(user="ana", task="Weigh it"))
    for one in (hs, runs, live):
        assert copy.copy(one) is one
        assert copy.deepcopy({"held": [one]})["held"][0] is one


def test_another_call_under_an_id_that_a_process_before_this_one_gave_is_recorded(hs, tmp_path):
    run = hs.run(ME, task="Weigh it", run_id="r1")
    run.before_tool("weigh", {"item": "pear"}, call_id="call_0")
    run.after_tool("weigh", {"item": "pear"}, call_id="call_0", result="100 g")
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as later:
        again = later.run(ME, task="Weigh it", run_id="r1")
        for item in ("梨", "pear"):  # the second is a replay
            again.before_tool("weigh", {"item": item}, call_id="call_0")
            again.after_tool("weigh", {"item": item}, call_id="call_0", result="101 g")
    found = [(one.call.args["item"], one.result) for one in calls(hs, run)]
    assert found[:2] == [("pear", "100 g"), ("梨", "101 g")]
