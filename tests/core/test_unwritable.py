"""A store that can be read and not written to: what it knows is still shown and obeyed."""

import sqlite3

import pytest

from hindsight_core import GateAction, GateMode, Hindsight, Kind, Scope, Settings, Source

ME = Scope(user="ana")


def full(path):
    """Let no event be stored any more, as on a disk that is full."""
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON events"
            " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    connection.close()


@pytest.mark.swallows
@pytest.mark.parametrize(
    ("rule", "task"),
    [
        ("Never book a table before 19:00.", "Book a table for the team dinner"),
        ("周报一律用中文写。", "写这周的周报"),
    ],
)
def test_a_block_that_cannot_be_written_down_is_still_shown(tmp_path, rule, task):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None) as hindsight:
        hindsight.remember(ME, rule, kind=Kind.PREFERENCE, source=Source.USER)
        full(path)
        run = hindsight.run(ME, task=task)
        block = run.context()
        assert block
        assert rule in block.text
        assert run.context() is block
        assert hindsight.health().errors == {"context": 1}
        assert not hindsight.health().ok


@pytest.mark.swallows
def test_a_call_that_is_stopped_is_stopped_though_that_cannot_be_written_down(tmp_path):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None, settings=Settings(gate=GateMode.BLOCK)) as hindsight:
        with hindsight.run(ME, task="Book a table") as run:
            run.after_tool("book", {"time": "8pm"}, result="time must be HH:MM", flagged_error=True)
            run.after_tool("book", {"time": "20:00"}, result="booked")
        full(path)
        run = hindsight.run(ME, task="Book a table")
        assert run.before_tool("book", {"time": "8pm"}).action is GateAction.BLOCK
        assert run.before_tool("book", {"time": "20:00"}).action is GateAction.RUN
        assert hindsight.health().errors == {"before_tool": 1}
