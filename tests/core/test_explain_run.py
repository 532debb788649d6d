"""Which memories a run was shown, which it obeyed, and which decisions they changed."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from hindsight_core import GateMode, Hindsight, NotFoundError, Scope, Settings
from hindsight_core.cli.app import app
from hindsight_core.ports_ledger import Verdict

ME = Scope(user="ana")
TASK = "Book a table for the team dinner"
WRONG = {"time": "8pm", "seats": 4}
RIGHT = {"time": "20:00", "seats": 4}


class Time:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def opened(path, mode=GateMode.ADVISE, clock=None):
    settings = Settings(gate=mode)
    return Hindsight.open(str(path), embedder=None, settings=settings, clock=clock or Time())


def call(run, args, call_id, *, ok, blocked=False):
    run.before_tool("book", args, call_id=call_id)
    if not blocked:
        result = "booked" if ok else "time must be HH:MM"
        run.after_tool("book", args, call_id=call_id, result=result, flagged_error=not ok)


def learn(hindsight):
    run = hindsight.run(ME, task=TASK)
    call(run, WRONG, "a", ok=False)
    call(run, RIGHT, "b", ok=True)
    run.finish(ok=True)


def test_a_run_that_took_a_correction_shows_which_call_it_changed(tmp_path):
    with opened(tmp_path / "m.db") as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        call(run, RIGHT, "c", ok=True)
        run.finish(ok=True)
        found = hindsight.explain(ME, run.run_id)
        (shown,) = (one for one in found.shown if one.kind == "lesson")
        assert (shown.by, shown.verdict, shown.obeyed) == (("block",), Verdict.TAKEN, True)
        assert shown.good is True
        assert "20:00" in shown.content
        (decision,) = found.decisions
        assert (decision.call.args, decision.gate, decision.outcome) == (RIGHT, "", "worked")
        assert decision.changed
        assert shown.memory_id in decision.memory_ids


@pytest.mark.parametrize(
    ("mode", "gate", "outcome", "changed", "obeyed"),
    [
        (GateMode.OBSERVE, "run", "failed", False, False),
        (GateMode.ADVISE, "advise", "failed", False, False),
        (GateMode.BLOCK, "block", "not_run", True, True),
    ],
)
def test_what_became_of_a_flagged_call_is_told(tmp_path, mode, gate, outcome, changed, obeyed):
    with opened(tmp_path / "m.db", mode) as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        call(run, WRONG, "c", ok=False, blocked=mode is GateMode.BLOCK)
        run.finish(ok=False)
        found = hindsight.explain(ME, run.run_id)
        (decision,) = found.decisions
        assert (decision.gate, decision.outcome, decision.changed) == (gate, outcome, changed)
        (shown,) = (one for one in found.shown if one.kind == "lesson")
        assert shown.obeyed is obeyed
        assert shown.by == ("block", "gate")


def test_a_run_without_an_occasion_neither_obeyed_nor_disobeyed(tmp_path):
    with opened(tmp_path / "m.db") as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        run.finish(ok=True)
        found = hindsight.explain(ME, run.run_id)
        assert {one.obeyed for one in found.shown} == {None}
        assert found.decisions == ()


def test_a_run_that_still_goes_on_is_explained_too(tmp_path):
    with opened(tmp_path / "m.db") as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        call(run, RIGHT, "c", ok=True)
        assert [one.obeyed for one in hindsight.explain(ME, run.run_id).shown] == [True]
        assert hindsight.store.uses(ME, run_id=run.run_id) == []


def test_of_a_pruned_run_the_ledger_is_left(tmp_path):
    clock = Time()
    with opened(tmp_path / "m.db", clock=clock) as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        call(run, RIGHT, "c", ok=True)
        run.finish(ok=True)
        clock.now += timedelta(days=8)
        hindsight.maintain()
        found = hindsight.explain(ME, run.run_id)
        assert (found.events, found.recalls, found.decisions) == ((), (), ())
        assert [one.obeyed for one in found.shown] == [True]


def test_a_run_of_another_user_is_not_explained(tmp_path):
    with opened(tmp_path / "m.db") as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        run.finish(ok=True)
        with pytest.raises(NotFoundError):
            hindsight.explain(Scope(user="ben"), run.run_id)


def test_the_command_shows_what_was_obeyed_and_changed(tmp_path):
    path = str(tmp_path / "m.db")
    with opened(path) as hindsight:
        learn(hindsight)
        run = hindsight.run(ME, task=TASK)
        run.context()
        call(run, RIGHT, "c", ok=True)
        run.finish(ok=True)
    args = ["explain", run.run_id, "--store", path, "-u", "ana"]
    explained = json.loads(CliRunner().invoke(app, [*args, "--json"]).stdout)
    assert explained["shown"][0]["obeyed"] is True
    assert explained["decisions"][0]["changed"] is True
    table = CliRunner().invoke(app, args, env={"COLUMNS": "200"}).stdout
    assert "what the run was shown" in table
    assert "where that had a say" in table


def test_where_nobody_is_named_the_id_of_the_run_is_enough(tmp_path):
    with opened(tmp_path / "m.db") as hindsight:
        run = hindsight.run(hindsight.scope_of(), task=TASK)
        run.finish(ok=True)
        assert hindsight.explain(run.run_id).task == TASK
