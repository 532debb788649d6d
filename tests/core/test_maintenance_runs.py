"""Maintenance over a real store: what it does, that it does it once, and what comes back."""

import json
import subprocess
import sys
import textwrap
import threading
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from hindsight_core import Hindsight, Kind, NotFoundError, Scope, Settings, Source, Status, Where
from hindsight_core.cli.app import app
from hindsight_core.engine import upkeep
from hindsight_core.settings import Policy

ME = Scope(user="ana")
TASK = "Book a table for the team dinner"
EVERY = Where(statuses=tuple(Status), include_superseded=True)


class Time:
    """A clock that a test moves on."""

    def __init__(self, days=0) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=days)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def pass_days(self, days) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def clock():
    return Time()


@pytest.fixture
def hs(tmp_path, clock):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=clock) as hindsight:
        yield hindsight


def learn(hindsight, scope=ME):
    run = hindsight.run(scope, task=TASK)
    run.after_tool("book", {"time": "8pm"}, call_id="a", result="no", flagged_error=True)
    run.after_tool("book", {"time": "20:00"}, call_id="b", result="booked")
    run.finish()


def statuses(hindsight, scope=ME):
    return {m.kind: m.status for m in hindsight.memories(scope, EVERY)}


def age(hindsight, **change):
    """Change the lesson as runs would have."""
    (found,) = hindsight.memories(ME, Where(kinds=(Kind.LESSON,), statuses=tuple(Status)))
    changed = found.model_copy(update={**change, "revision": found.revision + 1})
    hindsight.store.put([changed])
    return found.id


def test_after_thirty_days_an_unsure_lesson_is_archived_and_after_ninety_deleted(hs, clock):
    learn(hs)
    age(hs, misses=3)
    hs.remember(ME, "Use pnpm, not npm.", kind=Kind.PREFERENCE, source=Source.USER)
    assert hs.maintain().steps == ()
    clock.pass_days(30)
    report = hs.maintain()
    assert report.counts == {"archive": 1}
    assert statuses(hs) == {Kind.LESSON: Status.ARCHIVED, Kind.PREFERENCE: Status.ACTIVE}
    clock.pass_days(60)
    assert hs.maintain().counts == {"delete": 1, "keep": 1}
    assert statuses(hs) == {Kind.PREFERENCE: Status.ACTIVE}
    actions = [(entry.actor, entry.action) for entry in hs.store.audit_log()]
    assert actions[:2] == [("maintenance", "delete"), ("maintenance", "archive")]


def test_maintenance_twice_does_nothing_the_second_time(hs, clock):
    learn(hs)
    clock.pass_days(31)
    age(hs, misses=3)
    assert hs.maintain().counts == {"archive": 1}
    assert hs.maintain().steps == ()


def test_a_dry_run_shows_the_same_steps_and_changes_nothing(hs, clock):
    learn(hs)
    age(hs, decay=0.2)
    before = hs.store.change_counter()
    shown = hs.maintain(dry_run=True)
    assert hs.store.change_counter() == before
    done = hs.maintain()
    assert [(s.action, s.memory) for s in shown.steps] == [(s.action, s.memory) for s in done.steps]
    assert statuses(hs) == {Kind.LESSON: Status.COLD}


def test_what_is_cold_is_not_recalled_and_can_be_restored_by_hand(hs):
    learn(hs)
    found = age(hs, decay=0.2)
    hs.maintain()
    assert hs.recall(ME, TASK).memories == ()
    with pytest.raises(NotFoundError, match="cold"):
        hs.restore(Scope(user="ben"), found)
    assert hs.restore(ME, found).status is Status.ACTIVE
    assert [memory.id for memory in hs.recall(ME, TASK).memories] == [found]
    assert hs.maintain().steps == ()
    with pytest.raises(NotFoundError):
        hs.restore(ME, found)


@pytest.mark.parametrize("asked", [TASK, "Book a table for the board dinner"])
def test_a_cold_lesson_comes_back_by_itself_when_its_situation_does(hs, clock, asked):
    learn(hs)
    found = age(hs, decay=0.2)
    hs.maintain()
    for _ in range(2):
        hs.run(ME, task=asked).context()
    assert hs.maintain().steps == ()
    hs.run(ME, task=asked).context()
    hs.run(ME, task="Deploy the web shop").context()
    assert hs.maintain().counts == {"restore": 1}
    assert hs.get(ME, found).status is Status.ACTIVE
    assert [memory.id for memory in hs.recall(ME, TASK).memories] == [found]


def test_a_failure_that_comes_again_brings_its_cold_lesson_back_at_once(hs):
    learn(hs)
    found = age(hs, decay=0.2)
    hs.maintain()
    learn(hs)
    assert hs.get(ME, found).status is Status.ACTIVE
    assert hs.maintain().steps == ()


def test_a_memory_that_is_used_meanwhile_is_passed_over(hs, clock, monkeypatch):
    learn(hs)
    found = age(hs, decay=0.2)
    planned = upkeep.plan

    def used_while_planning(memory, now, **more):
        hs.store.touch(ME, [memory.id], at=now)
        return planned(memory, now, **more)

    monkeypatch.setattr(upkeep, "plan", used_while_planning)
    report = hs.maintain()
    assert (report.steps, report.passed_over) == ((), 1)
    assert hs.get(ME, found).status is Status.ACTIVE


def test_each_scope_is_maintained_and_each_memory_looked_at_once(hs, clock):
    for scope in (ME, Scope(user="ana", agent="a"), Scope(user="ben"), Scope(user="c", tenant="t")):
        learn(hs, scope)
    assert hs.maintain(dry_run=True).looked_at == 4
    clock.pass_days(91)
    assert hs.maintain().counts == {"delete": 4}


def test_a_policy_of_the_settings_is_followed(tmp_path, clock):
    settings = Settings(policies={Kind.LESSON: Policy(delete_days=5)})
    path = str(tmp_path / "p.db")
    with Hindsight.open(path, embedder=None, clock=clock, settings=settings) as hindsight:
        learn(hindsight)
        clock.pass_days(6)
        assert hindsight.maintain().counts == {"delete": 1}


def test_old_transcripts_are_pruned_and_a_replayed_history_brings_nothing_back(hs, clock):
    def hear():
        run = hs.run(ME, task="x", session="s", run_id="r")
        run.user("From now on always use pnpm, never npm.", turn="1")
        run.finish(ok=True)

    hear()
    clock.pass_days(8)
    assert hs.maintain().runs_pruned > 0
    hs.forget(ME, [memory.id for memory in hs.memories(ME)])
    hear()
    assert hs.memories(ME) == []


def test_while_one_process_maintains_no_other_does(hs, clock):
    learn(hs)
    age(hs, decay=0.2)
    later = clock.now + timedelta(minutes=5)
    assert hs.store.lease(
        upkeep.LEASE, "another:1", now=clock.now, until=later, since=clock.now - timedelta(days=9)
    )
    assert not hs.maintain().ran
    assert statuses(hs) == {Kind.LESSON: Status.ACTIVE}
    clock.pass_days(1)
    assert hs.maintain().counts == {"cold": 1}


MAINTAIN = """
    import sys
    from datetime import timedelta
    from hindsight_core import Hindsight
    with Hindsight.open(sys.argv[1], embedder=None) as hindsight:
        report = hindsight._upkeep.maintain(every=timedelta(hours=24))
        print(report.ran)
"""


def test_of_many_processes_that_are_idle_one_does_it(hs, tmp_path):
    learn(hs)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(MAINTAIN), str(tmp_path / "m.db")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = sorted(process.communicate()[0].strip() for process in started)
    assert said == ["False", "False", "False", "True"]


def test_when_the_memory_is_idle_it_is_maintained_in_the_background(tmp_path):
    path = str(tmp_path / "i.db")
    with Hindsight.open(path, embedder=None) as hindsight:
        learn(hindsight)
        age(hindsight, decay=0.2)
    settings = Settings(maintenance_idle=0.05)
    done = threading.Event()
    with Hindsight.open(path, embedder=None, settings=settings) as hindsight:
        release = hindsight.store.release

        def released(*args, **more):
            release(*args, **more)
            done.set()

        hindsight.store.release = released
        hindsight.run(ME, task="something else").finish()
        assert done.wait(120)
        assert statuses(hindsight)[Kind.LESSON] is Status.COLD


def test_background_maintenance_can_be_switched_off(tmp_path):
    settings = Settings(maintenance=False, maintenance_idle=0.01)
    with Hindsight.open(str(tmp_path / "i.db"), embedder=None, settings=settings) as hindsight:
        before = upkeep_threads()
        learn(hindsight)
        assert upkeep_threads() <= before


def upkeep_threads():
    return {one.ident for one in threading.enumerate() if one.name == "hindsight-upkeep"}


@pytest.mark.parametrize("judged", ["refuted by user", "retire: runs end better without it"])
def test_what_was_judged_does_not_come_back_with_the_next_failure(hs, judged):
    learn(hs)
    age(hs, status=Status.ARCHIVED, reasons=(judged,))
    learn(hs)
    assert statuses(hs) == {Kind.LESSON: Status.ARCHIVED}


def test_the_commands_show_what_is_due_do_it_and_take_it_back(tmp_path):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None, clock=Time()) as hindsight:
        learn(hindsight)
        found = age(hindsight, decay=0.2)

    def call(*args):
        result = CliRunner().invoke(app, [*args, "--store", path], env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        return result.stdout

    assert json.loads(call("maintain", "--dry-run", "--json"))["steps"][0]["memory_id"] == found
    assert "not referenced" in call("maintain", "--dry-run")
    report = json.loads(call("maintain", "--json"))
    assert (report["ran"], report["counts"]) == (True, {"delete": 1})
    assert "nothing is due" in call("maintain")


def test_the_command_restores_what_was_put_away(tmp_path):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None) as hindsight:
        learn(hindsight)
        found = age(hindsight, decay=0.2)
        hindsight.maintain()
    args = ["restore", found, "--store", path, "-u", "ana", "--json"]
    done = CliRunner().invoke(app, args)
    assert json.loads(done.stdout)[0]["status"] == "active"


def test_the_data_that_a_program_keeps_for_itself_is_left_alone(hs, clock):
    hs.items(ME).put(("app",), "theme", {"colour": "blue"})
    clock.pass_days(400)
    assert hs.maintain().looked_at == 0
    assert hs.items(ME).get(("app",), "theme").value == {"colour": "blue"}
