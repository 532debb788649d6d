"""What `hindsight-core list` shows."""

from __future__ import annotations

from typer.testing import CliRunner

from hindsight_core import Hindsight, Scope
from hindsight_core.cli.app import app


def run(*args):
    result = CliRunner().invoke(app, [*map(str, args)], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return result.output


def test_an_id_stays_on_one_line_of_a_narrow_terminal(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hs:
        stored = hs.remember(Scope(user="local"), "The printer is on the second floor. " * 4)
    assert stored.id in run("list", "--store", tmp_path / "m.db")


def test_all_lists_what_was_put_away_or_replaced_too(tmp_path):
    me = Scope(user="local")
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hs:
        stored = hs.remember(me, "The printer is on the second floor.")
        newer = hs.remember(me, "The printer is in the cellar.")
        old = stored.model_copy(update={"superseded_by": newer.id, "revision": 1})
        hs.store.put([old])
    assert stored.id not in run("list", "--store", tmp_path / "m.db")
    assert stored.id in run("list", "--all", "--store", tmp_path / "m.db")
