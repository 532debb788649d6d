"""The ledger over a real store: runs that follow their lessons or not, killed and crowded ones."""

import json
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from hindsight_core import Hindsight, Kind, Scope, Settings, Source, Where
from hindsight_core.cli.app import app
from hindsight_core.ledger import is_withheld
from hindsight_core.ports_ledger import Verdict
from hindsight_core.stores import SqliteStore

ME = Scope(user="ana")
TASK = "Book a table for the team dinner"
WRONG = {"time": "8pm", "seats": 4}
RIGHT = {"time": "20:00", "seats": 4}


class Time:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def opened(path, **settings) -> Hindsight:
    return Hindsight.open(str(path), embedder=None, clock=Time(), settings=Settings(**settings))


@pytest.fixture
def hs(tmp_path):
    with opened(tmp_path / "m.db") as hindsight:
        learn(hindsight)
        yield hindsight


def learn(hindsight):
    run = hindsight.run(ME, task=TASK)
    run.after_tool("book", WRONG, call_id="a", result="time must be HH:MM", flagged_error=True)
    run.after_tool("book", RIGHT, call_id="b", result="booked")
    run.finish()


def follow(hindsight, args, *, ok, good, run_id=None, finish=True):
    run = hindsight.run(ME, task=TASK, run_id=run_id)
    block = run.context()
    run.before_tool("book", args, call_id="c")
    result = "booked" if ok else "time must be HH:MM"
    run.after_tool("book", args, call_id="c", result=result, flagged_error=not ok)
    if finish:
        run.finish(good)
    return run.run_id, block


def lesson(hindsight):
    (found,) = hindsight.memories(ME, Where(kinds=(Kind.LESSON,)))
    return found


def test_a_run_that_follows_its_lesson_and_ends_well_raises_its_confidence(hs):
    run_id, block = follow(hs, RIGHT, ok=True, good=True)
    assert block is not None
    (use,) = hs.store.uses(ME, run_id=run_id)
    assert (use.verdict, use.good, use.memory_id) == (Verdict.TAKEN, True, lesson(hs).id)
    assert (lesson(hs).hits, lesson(hs).misses, lesson(hs).confidence) == (1, 0, 2 / 3)


def test_a_run_that_follows_its_lesson_and_ends_badly_lowers_it(hs):
    follow(hs, RIGHT, ok=True, good=False)
    assert (lesson(hs).hits, lesson(hs).misses) == (0, 1)


def test_a_run_that_repeats_the_mistake_wears_the_lesson_out(hs):
    run_id, _ = follow(hs, WRONG, ok=False, good=False)
    (use,) = hs.store.uses(ME, run_id=run_id)
    assert (use.verdict, use.repeats) == (Verdict.REPEATED, 1)
    assert lesson(hs).decay == pytest.approx(0.95)
    assert (lesson(hs).hits, lesson(hs).misses) == (0, 0)


def test_a_credit_does_not_make_a_memory_look_new(hs):
    before = lesson(hs).updated_at
    follow(hs, RIGHT, ok=True, good=True)
    assert lesson(hs).updated_at == before


def test_a_run_counts_once_however_often_it_is_judged(hs):
    run_id, _ = follow(hs, RIGHT, ok=True, good=True)
    for _ in range(3):
        hs._intake.drain(run_id)
    assert lesson(hs).hits == 1
    assert lesson(hs).decay == 1.0


def test_a_late_word_of_the_user_takes_back_what_was_credited(hs):
    run_id, _ = follow(hs, RIGHT, ok=True, good=True)
    hs.feedback(ME, run_id, good=False)
    assert (lesson(hs).hits, lesson(hs).misses) == (0, 1)
    hs.feedback(ME, run_id, good=True)
    assert (lesson(hs).hits, lesson(hs).misses) == (1, 0)


def test_a_user_never_credits_the_lesson_of_another(hs):
    other = hs.run(Scope(user="ben"), task=TASK)
    assert other.context() is None
    other.finish(ok=True)
    assert hs.store.uses(Scope(user="ben")) == []
    assert hs.store.count_uses(ME) == []


def test_what_is_erased_takes_its_lines_of_the_ledger_with_it(hs):
    follow(hs, RIGHT, ok=True, good=True)
    hs.forget(ME, [lesson(hs).id])
    assert hs.store.count_uses() == []


def test_erasing_a_user_erases_his_ledger(hs):
    follow(hs, RIGHT, ok=True, good=True)
    receipt = hs.forget(ME)
    assert receipt.removed["uses"] == 1
    assert receipt.remaining["uses"] == 0
    assert hs.store.count_uses() == []


def test_a_memory_that_was_erased_meanwhile_does_not_come_back_by_being_credited(hs, monkeypatch):
    run_id, _ = follow(hs, RIGHT, ok=True, good=True, finish=False)
    found = lesson(hs).id
    settle = SqliteStore.settle

    def erased_first(self, *args, **kwargs):
        monkeypatch.undo()
        self.delete(ME, [found])
        return settle(self, *args, **kwargs)

    monkeypatch.setattr(SqliteStore, "settle", erased_first)
    hs._intake.drain(run_id)
    assert hs.store.get(ME, [found]) == []


DRAIN = """
    import sys
    from hindsight_core import Hindsight
    with Hindsight.open(sys.argv[1], embedder=None) as hindsight:
        for run_id in sys.argv[2:]:
            hindsight._intake.drain(run_id)
"""
KILLED = """
    import os, signal, sys
    from hindsight_core import Hindsight
    from hindsight_core.stores import _sql_ledger
    def dies(*args):
        os.kill(os.getpid(), signal.SIGKILL)
    _sql_ledger.write = dies
    hindsight = Hindsight.open(sys.argv[1], embedder=None)
    hindsight._intake.drain(sys.argv[2])
"""


def start(code, *args):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), *map(str, args)])


def test_a_crash_in_the_midst_of_a_credit_leaves_nothing_and_the_next_judgement_counts(tmp_path):
    path = tmp_path / "m.db"
    with opened(path) as hindsight:
        learn(hindsight)
        run_id, _ = follow(hindsight, RIGHT, ok=True, good=True, finish=False)
        assert start(KILLED, path, run_id).wait() < 0
        assert (lesson(hindsight).hits, hindsight.store.uses(ME, run_id=run_id)) == (0, [])
        hindsight.feedback(ME, run_id, good=True)
        hindsight._intake.drain(run_id)
        assert lesson(hindsight).hits == 1


def test_two_processes_that_judge_the_same_runs_count_each_once(tmp_path):
    path = tmp_path / "m.db"
    with opened(path) as hindsight:
        learn(hindsight)
        runs = []
        for _ in range(12):
            run = hindsight.run(ME, task=TASK)
            run.context()
            run.after_tool("book", RIGHT, call_id="c", result="booked")
            hindsight.store.append(ended(hindsight, run.run_id), owner="gone")
            runs.append(run.run_id)
        processes = [start(DRAIN, path, *order) for order in (runs, runs[::-1])]
        assert [process.wait() for process in processes] == [0, 0]
        assert (lesson(hindsight).hits, lesson(hindsight).misses) == (12, 0)
        assert len(hindsight.store.uses(ME)) == 12


def ended(hindsight, run_id):
    from hindsight_core.events import RunEnded

    return RunEnded(
        run_id=run_id, scope=ME, key=f"{run_id}/end", at=datetime(2027, 1, 1, tzinfo=UTC), ok=True
    )


def test_a_withheld_lesson_is_not_shown_and_its_runs_are_the_other_side(tmp_path):
    with opened(tmp_path / "m.db", holdout=0.5, holdout_seed="s") as hindsight:
        learn(hindsight)
        known = lesson(hindsight).id
        for number in range(12):
            run_id = f"run{number}"
            held = is_withheld(run_id, known, share=0.5, seed="s")
            _, block = follow(hindsight, RIGHT, ok=True, good=not held, run_id=run_id)
            assert (block is None) == held
            (use,) = hindsight.store.uses(ME, run_id=run_id)
            assert use.withheld == held
        (account,) = hindsight.ledger(ME)
        assert account.memory.id == known
        assert account.account.shown + account.account.withheld == 12
        assert account.account.shown == account.memory.hits == account.account.taken_good
        assert account.account.uplift is not None
        assert account.account.uplift.mean > 0


def test_a_rule_of_the_user_is_never_withheld(tmp_path):
    with opened(tmp_path / "m.db", holdout=0.99) as hindsight:
        hindsight.remember(
            ME, "Book a table by the window.", kind=Kind.PREFERENCE, source=Source.USER
        )
        for number in range(5):
            assert hindsight.run(ME, task=TASK, run_id=f"r{number}").context() is not None


def test_a_recall_outside_of_a_run_withholds_nothing(tmp_path):
    with opened(tmp_path / "m.db", holdout=0.99) as hindsight:
        learn(hindsight)
        assert hindsight.recall(ME, TASK).memories


def test_stats_shows_confidence_as_a_mean_and_an_interval(tmp_path):
    path = str(tmp_path / "m.db")
    with opened(path) as hindsight:
        learn(hindsight)
        follow(hindsight, RIGHT, ok=True, good=True)
    shown = CliRunner().invoke(app, ["stats", "--store", path, "-u", "ana", "--json"])
    (line,) = json.loads(shown.stdout)["ledger"]
    assert line["confidence"]["mean"] == pytest.approx(2 / 3)
    assert line["confidence"]["low"] == pytest.approx(0.158114, abs=1e-5)
    assert line["confidence"]["high"] == pytest.approx(0.987421, abs=1e-5)
    assert (line["shown"], line["taken_good"], line["repeated"]) == (1, 1, 0)
    table = CliRunner().invoke(app, ["stats", "--store", path, "-u", "ana"], env={"COLUMNS": "200"})
    assert "0.67 (0.16 to 0.99)" in table.stdout
