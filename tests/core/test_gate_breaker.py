"""The modes of the gate, and the circuit breaker of each signature, by an injected clock."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_core import GateAction, GateMode, Hindsight, Scope, Settings
from hindsight_core.errors import ConfigurationError
from hindsight_core.gate import Breaker, BreakerState, Trials
from hindsight_core.schema import ErrorClass, Severity

START = datetime(2031, 5, 1, tzinfo=UTC)
ME = Scope(user="me")
ARGS = {"order": "A-1"}


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def pass_(self, **time):
        self.now += timedelta(**time)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    opened = []

    def open_(**settings):
        memory = Hindsight.open(
            tmp_path / "m.db", embedder=None, clock=clock, settings=Settings(**settings)
        )
        opened.append(memory)
        return memory

    yield open_
    for one in opened:
        one.close()


def call(memory, clock, ok, *, tool="ship", task="Ship the order", error="404: no such order"):
    """One run with one call, which runs unless it is stopped; its decision."""
    clock.pass_(milliseconds=1)
    run = memory.run(ME, task=task)
    decision = run.before_tool(tool, ARGS, call_id="c")
    if decision.action in (GateAction.RUN, GateAction.ADVISE):
        run.after_tool(tool, ARGS, call_id="c", result="ok" if ok else error, flagged_error=not ok)
    run.finish(ok=ok)
    return decision.action


@pytest.mark.parametrize(
    ("failures", "seconds_ago", "worked_ago", "expected"),
    [
        (0, 0, None, BreakerState.CLOSED),
        (1, 0, None, BreakerState.CLOSED),
        (2, 0, None, BreakerState.OPEN),
        (2, 59.999, None, BreakerState.OPEN),
        (2, 60, None, BreakerState.HALF_OPEN),
        (2, 10, 5, BreakerState.CLOSED),
        (2, 10, 15, BreakerState.OPEN),
    ],
)
def test_the_state_follows_from_counts_and_the_time(failures, seconds_ago, worked_ago, expected):
    breaker = Breaker(failures=2, seconds=60)
    worked = None if worked_ago is None else START - timedelta(seconds=worked_ago)
    failed = START - timedelta(seconds=seconds_ago)
    assert breaker.state(failures, failed, worked, START) is expected


def test_a_half_open_breaker_lets_one_call_through_at_a_time():
    trials = Trials()
    assert trials.begin("s", START, 60)
    assert not trials.begin("s", START + timedelta(seconds=59), 60)
    assert trials.begin("other", START, 60)
    trials.end("s")
    assert trials.begin("s", START + timedelta(seconds=59), 60)


def test_who_took_the_one_call_and_never_came_back_does_not_keep_it():
    trials = Trials()
    assert trials.begin("s", START, 60)
    assert trials.begin("s", START + timedelta(seconds=60), 60)


def test_a_breaker_opens_after_n_failures_half_opens_and_closes_on_success(memory, clock):
    hs = memory(gate=GateMode.BLOCK, breaker_failures=2, breaker_seconds=60)
    assert call(hs, clock, ok=False) is GateAction.RUN
    assert call(hs, clock, ok=False) is GateAction.ADVISE  # one failure is not enough
    assert call(hs, clock, ok=False) is GateAction.BLOCK
    clock.pass_(seconds=60)
    assert call(hs, clock, ok=False) is GateAction.ADVISE  # half open, and it failed
    assert call(hs, clock, ok=False) is GateAction.BLOCK
    clock.pass_(seconds=60)
    assert call(hs, clock, ok=True) is GateAction.ADVISE
    assert call(hs, clock, ok=True) is GateAction.RUN  # closed


def test_a_success_elsewhere_closes_it_for_all(memory, clock):
    hs, other = memory(gate=GateMode.BLOCK), memory(gate=GateMode.OFF)
    call(hs, clock, ok=False)
    assert call(hs, clock, ok=False) is GateAction.BLOCK
    call(other, clock, ok=True, task="Something else entirely")
    assert call(hs, clock, ok=True) is GateAction.RUN


def test_while_one_call_is_tried_the_others_are_stopped(memory, clock):
    hs = memory(gate=GateMode.BLOCK)
    call(hs, clock, ok=False)
    clock.pass_(minutes=2)
    trial = hs.run(ME, task="Ship the order")
    assert trial.before_tool("ship", ARGS, call_id="c").trial
    assert call(hs, clock, ok=True) is GateAction.BLOCK
    trial.after_tool("ship", ARGS, call_id="c", result="ok", flagged_error=False)
    assert call(hs, clock, ok=True) is GateAction.RUN  # before the run of the trial has ended


def test_the_mode_is_that_of_the_tool_then_the_error_then_the_severity():
    settings = Settings(
        gate=GateMode.OBSERVE,
        gate_by_tool={"pay": GateMode.ADVISE},
        gate_by_error={ErrorClass.PERMISSION: GateMode.BLOCK},
        gate_by_severity={Severity.HIGH: GateMode.CONFIRM},
    )
    assert settings.gate_mode("pay", "permission", Severity.HIGH) is GateMode.ADVISE
    assert settings.gate_mode("ship", "permission", Severity.HIGH) is GateMode.BLOCK
    assert settings.gate_mode("ship", "not_found", Severity.HIGH) is GateMode.CONFIRM
    assert settings.gate_mode("ship", "not_found", Severity.LOW) is GateMode.OBSERVE


@pytest.mark.parametrize(
    "settings",
    [
        {"gate_by_error": {ErrorClass.NOT_FOUND: GateMode.BLOCK}},
        {"gate_by_severity": {Severity.MEDIUM: GateMode.BLOCK}},
        {"gate_by_tool": {"ship": GateMode.BLOCK}},
    ],
)
def test_each_of_the_three_can_stop_a_call(memory, clock, settings):
    hs = memory(gate=GateMode.OBSERVE, **settings)
    call(hs, clock, ok=False)
    assert call(hs, clock, ok=False) is GateAction.BLOCK


def test_a_tool_that_opted_out_is_never_flagged(memory, clock):
    hs = memory(gate=GateMode.BLOCK, gate_by_tool={"ship": GateMode.OFF})
    call(hs, clock, ok=False)
    run = hs.run(ME, task="Ship the order")
    assert not run.before_tool("ship", ARGS).flagged


def test_a_failure_that_passes_is_advised_on_and_never_stopped(memory, clock):
    hs = memory(gate=GateMode.BLOCK)
    call(hs, clock, ok=False, error="503 Service Unavailable")
    assert call(hs, clock, ok=False) is GateAction.ADVISE


def test_a_call_that_broke_a_rule_is_told_so_although_it_worked(memory, clock):
    hs = memory()
    first = hs.run(ME, task="Push it")
    first.user("Never push to main, always to a branch.")
    first.finish(ok=True)
    run = hs.run(ME, task="Push the fix")
    decision = run.before_tool("git_push", {"branch": "main"}, call_id="c")
    assert decision.action is GateAction.ADVISE
    said = run.after_tool("git_push", {"branch": "main"}, call_id="c", result="pushed")
    assert said is not None
    assert "Never push to main" in said


def test_a_rule_of_the_user_stops_nothing_but_is_advised_on(memory, clock):
    hs = memory(gate=GateMode.BLOCK)
    first = hs.run(ME, task="Push it")
    first.user("Never push to main, always to a branch.")
    first.finish(ok=True)
    again = hs.run(ME).before_tool("git_push", {"branch": "main"})
    assert again.action is GateAction.ADVISE
    (rule,) = (m for m in hs.memories(ME) if "main" in m.content)
    hs.forget(ME, [rule.id])
    assert not hs.run(ME).before_tool("git_push", {"branch": "main"}).flagged


@pytest.mark.parametrize("wrong", [{"breaker_failures": 0}, {"breaker_seconds": 0}])
def test_a_breaker_that_could_not_work_is_a_clear_error(wrong):
    with pytest.raises(ConfigurationError, match=r"settings\.breaker_"):
        Settings(**wrong)
