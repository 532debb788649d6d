"""A file that cannot be a store now says why, and what to do about it."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from hindsight_core.errors import (
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)
from hindsight_core.ports import Where
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore, _sqlite_connection
from hindsight_core.testing.samples import make_memory, make_said

WORKER = Path(__file__).with_name("sqlite_worker.py")
ADA = Scope(user="ada")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def store(path):
    store = SqliteStore(path)
    yield store
    store.close()


def filled(path, memories=200):
    store = SqliteStore(path)
    store.put([make_memory(f"m{n}", f"a text of its own {n} " * 20) for n in range(memories)])
    store.close()
    return path


def test_the_folder_is_made_and_only_the_owner_may_read_the_file(tmp_path):
    path = tmp_path / "a" / "b" / "store.db"
    store = SqliteStore(path)
    store.put([make_memory("m")])
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert store.url == f"sqlite:///{path}"
    assert store.embedded
    store.close()


def test_a_folder_is_not_a_store(tmp_path):
    with pytest.raises(StoreUnavailableError, match="is a folder"):
        SqliteStore(tmp_path)


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnavailableError, match="file"):
        SqliteStore(tmp_path / "file" / "store.db")


@pytest.mark.parametrize(
    "content", [b"not a database at all", b"SQLite format 3\0" + b"\xff" * 9000]
)
def test_a_file_of_garbage_is_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match="restore a backup"):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_alone(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreCorruptError, match="another program"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    store = SqliteStore(path)
    assert store.put([make_memory("m")])[0].created
    store.close()


def test_a_truncated_file_says_that_it_is_damaged(path):
    whole = filled(path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreCorruptError, match="damaged"):
        SqliteStore(path)


def test_damage_inside_the_file_is_found_by_check_and_never_passed_over(path):
    whole = bytearray(filled(path).read_bytes())
    whole[20_000:60_000] = os.urandom(40_000)
    path.write_bytes(whole)
    try:
        store = SqliteStore(path)
    except StoreCorruptError:
        return
    assert store.check()["problems"] != []
    with pytest.raises(StoreError):
        store.put([make_memory(f"new{n}", "more of it " * 99) for n in range(300)])
    store.close()


def test_a_store_that_is_locked_says_so_after_the_busy_timeout(path, store, monkeypatch):
    monkeypatch.setattr(_sqlite_connection, "BUSY_SECONDS", 0.05)
    impatient = SqliteStore(path)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="locked"):
        impatient.put([make_memory("m")])
    assert impatient.get(ADA, ["m"]) == []
    holder.execute("ROLLBACK")
    holder.close()
    assert impatient.put([make_memory("m")])[0].created
    impatient.close()


def test_an_event_waits_longer_for_its_turn_than_what_can_be_done_again(path, store, monkeypatch):
    monkeypatch.setattr(_sqlite_connection, "BUSY_SECONDS", 0.05)
    impatient = SqliteStore(path)
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    freed = threading.Timer(0.5, holder.execute, ["ROLLBACK"])
    freed.start()
    assert impatient.append(make_said("k", "run", ADA), owner="p")
    freed.join()
    holder.close()
    assert len(impatient.events("run")) == 1
    impatient.close()


def test_a_full_disk_stores_nothing_in_half_and_the_store_goes_on(path):
    store = SqliteStore(path)
    store.put([make_memory("before")])
    with store._database.exclusive() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 3}")
    with pytest.raises(StoreUnavailableError, match="full"):
        store.put([make_memory(f"m{n}", "x" * 5_000) for n in range(50)])
    with store._database.exclusive() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    assert store.count() == {"fact/active": 1}
    assert store.put([make_memory("after", "x" * 5_000)])[0].created
    assert store.check()["problems"] == []
    store.close()


def test_a_file_that_may_not_grow_stores_nothing_in_half(path):
    out = run_worker("write_until_an_error", path, 600_000)
    kind, stored, *_ = out.split()
    assert kind == "StoreUnavailableError"
    store = SqliteStore(path)
    assert sum(store.count().values()) == int(stored) > 0
    assert store.check()["problems"] == []
    store.close()


@pytest.mark.parametrize("protected", ["file", "folder"])
def test_a_file_or_folder_that_may_only_be_read_says_so(tmp_path, protected):
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to other users
    path = folder / "store.db"
    if protected == "file":
        filled(path, 1).chmod(0o444)
    folder.chmod(0o555)
    out = run_worker("write_as_nobody", path, tmp_path / "other.db")
    assert out.startswith("StoreUnavailableError 0")
    assert "write" in out
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        store.count()


def test_without_numpy_everything_but_vectors_works(path):
    script = (
        "import sys; sys.modules['numpy'] = None\n"
        "from hindsight_core.stores import SqliteStore\n"
        "from hindsight_core.errors import MissingExtraError\n"
        "from hindsight_core.ports import Where\n"
        "from hindsight_core.testing.samples import make_memory\n"
        "store = SqliteStore(sys.argv[1]); memory = make_memory('m', 'a pear')\n"
        "store.put([memory])\n"
        "assert store.match_text(memory.scope, Where(), ['pear'], 3)\n"
        "assert store.unencoded(9) == [('m', 'a pear')]\n"
        "try: store.nearest(memory.scope, Where(), None, 3)\n"
        "except MissingExtraError as error: print(error)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install 'hindsight-core[embed]'" in out


def test_importing_the_stores_does_not_load_numpy():
    script = "import sys, hindsight_core.stores; print('numpy' in sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "False"


def test_a_backup_of_a_store_in_use_is_a_store(tmp_path, store):
    store.put([make_memory(f"m{n}", f"pear {n}") for n in range(50)])
    copy = tmp_path / "copy.db"
    store.backup(copy)
    store.put([make_memory("later")])
    again = SqliteStore(copy)
    assert again.count() == {"fact/active": 50}
    assert len(again.match_text(ADA, Where(), ["pear"], 99)) == 50
    assert again.check()["problems"] == []
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    again.close()


def test_a_backup_never_overwrites_a_file(tmp_path, store):
    there = tmp_path / "there.db"
    there.write_text("mine")
    with pytest.raises(StoreError, match="there already"):
        store.backup(there)
    assert there.read_text() == "mine"
    with pytest.raises(StoreUnavailableError, match="cannot be made"):
        store.backup(tmp_path / "nowhere" / "copy.db")


def run_worker(*arguments):
    done = subprocess.run(
        [sys.executable, str(WORKER), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
