"""A file of any older version becomes one of this version, whole or not at all."""

import gzip
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_core.errors import StoreError, StoreVersionError
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stem import stem
from hindsight_core.stores import SqliteStore, _sql_text, _sqlite_schema
from hindsight_core.testing.samples import make_memory, unit_vector
from hindsight_core.text import fold, terms

FILES = Path(__file__).with_name("files")
ADA = Scope(user="ada")
FIRST = IndexInfo(model="first", dimension=8, relevance=0.5, same_subject=0.7)


@pytest.fixture
def old(tmp_path):
    """A file that the first version wrote: 12 records of two users, 9 vectors, a run, a recall."""
    path = tmp_path / "store.db"
    path.write_bytes(gzip.decompress((FILES / "store_version_1.db.gz").read_bytes()))
    return path


def version(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


def assert_that_nothing_is_lost(path):
    store = SqliteStore(path)
    assert store.check()["problems"] == []
    assert store.count() == {"fact/active": 12}
    assert store.index_info() == FIRST
    assert len(store.match_text(ADA, Where(), ["pear"], 99)) == 11
    assert [hit.id for hit in store.nearest(ADA, Where(), unit_vector(4), 1)] == ["m4"]
    assert store.cosines(ADA, ["m9"], unit_vector(9)) == {}
    assert sorted(name for name, _ in store.unencoded(9)) == ["m10", "m11", "zh"]
    assert [event.key for event in store.events("run")] == ["k"]
    assert store.load_recalls(ADA, recall_id="r1") == ['{"n":1}']
    assert [one.failures for one in store.call_stats(ADA, signature="sig")] == [1]
    assert [entry.action for entry in store.audit_log()] == ["forget"]
    store.close()


def test_a_file_of_the_first_version_is_upgraded_when_it_is_opened(old):
    assert version(old) == 1
    assert_that_nothing_is_lost(old)
    assert version(old) == len(_sqlite_schema.MIGRATIONS)


def test_an_upgraded_file_takes_vectors_and_a_new_embedder(old):
    store = SqliteStore(old)
    store.add_vectors([("m10", unit_vector(10))])
    other = IndexInfo(model="other", dimension=8, relevance=0.5, same_subject=0.7)
    assert store.begin_reindex(other) == 12
    store.add_reindexed(other, [(name, unit_vector(1)) for name, _ in store.unindexed(other, 99)])
    assert store.finish_reindex(other)
    assert len(store.nearest(ADA, Where(), unit_vector(1), 99)) == 11
    assert store.check()["problems"] == []
    store.close()


KILLED = """
import sys
from hindsight_core.stem import stem
from hindsight_core.stores import SqliteStore, _sql_text, _sqlite_schema
*_, last = _sqlite_schema.MIGRATIONS
def wait(connection):
    last(connection)
    connection.execute("PRAGMA cache_spill = ON")
    connection.execute("DELETE FROM tombstones")
    print("changed", flush=True)
    sys.stdin.read()
_sqlite_schema.MIGRATIONS = (*_sqlite_schema.MIGRATIONS[:-1], wait)
SqliteStore(sys.argv[1])
"""


def test_a_process_that_is_killed_in_the_middle_of_the_upgrade_leaves_the_file_whole(old):
    upgrading = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(old)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert upgrading.stdout.readline() == b"changed\n"
    os.kill(upgrading.pid, signal.SIGKILL)
    upgrading.communicate()
    assert version(old) == 1
    assert_that_nothing_is_lost(old)


def test_processes_that_upgrade_at_once_all_find_it_done(old):
    script = "import sys; from hindsight_core.stores import SqliteStore; SqliteStore(sys.argv[1])"
    several = [subprocess.Popen([sys.executable, "-c", script, str(old)]) for _ in range(4)]
    assert [one.wait() for one in several] == [0] * 4
    assert_that_nothing_is_lost(old)


def test_a_newer_version_is_left_alone_and_names_the_upgrade(old):
    with sqlite3.connect(old) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    before = old.read_bytes()
    with pytest.raises(StoreVersionError, match="pip install --upgrade"):
        SqliteStore(old)
    assert old.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(old, monkeypatch):
    def broken(connection):
        connection.execute("CREATE TABLE added (x)")
        connection.execute("INSERT INTO nowhere VALUES (1)")

    known = _sqlite_schema.MIGRATIONS
    monkeypatch.setattr(_sqlite_schema, "MIGRATIONS", (*known, broken))
    with pytest.raises(StoreError, match="nowhere"):
        SqliteStore(old)
    assert version(old) == 1
    monkeypatch.setattr(_sqlite_schema, "MIGRATIONS", known)
    assert_that_nothing_is_lost(old)


def test_a_new_file_and_an_upgraded_one_have_the_same_tables(old, tmp_path):
    def tables(path):
        SqliteStore(path).close()
        connection = sqlite3.connect(path)
        rows = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
        connection.close()
        return rows

    store = SqliteStore(tmp_path / "new.db")
    store.put([make_memory("m")])
    store.close()
    assert tables(old) == tables(tmp_path / "new.db")


def old_terms(said):
    """How texts were cut before version 11."""
    return [stem(run) for run in re.findall(r"[^\W_]+", fold(said))]


SAID = {
    "jose": "Ask José about the Zürich invoices.",
    "name": "getUserName needs a token.",
    "plain": "The staging database is restored every Monday.",
    "marks": "I\u0307stanbul, cafe\u0301.",
}
ASKED = {"jose": "jose zurich", "name": "user name", "plain": "staging", "marks": "istanbul cafe"}


def test_words_of_before_are_cut_anew(tmp_path, monkeypatch):
    path = tmp_path / "m.db"
    with monkeypatch.context() as before:
        before.setattr(_sqlite_schema, "MIGRATIONS", _sqlite_schema.MIGRATIONS[:10])
        before.setattr(_sql_text, "terms", old_terms)
        store = SqliteStore(path)
        store.put([make_memory(name, content=text) for name, text in SAID.items()])
        assert [hit.id for hit in store.match_text(ADA, Where(), terms(ASKED["jose"]), 9)] == []
        untouched = words_of(path, "plain")
        store.close()
    assert version(path) == 10
    store = SqliteStore(path)
    assert version(path) == len(_sqlite_schema.MIGRATIONS)
    for name, asked in ASKED.items():
        assert [hit.id for hit in store.match_text(ADA, Where(), terms(asked), 9)] == [name]
    assert store.check()["problems"] == []
    store.close()
    assert words_of(path, "plain") == untouched
    new = SqliteStore(tmp_path / "new.db")
    new.put([make_memory(name, content=text) for name, text in SAID.items()])
    new.close()
    for name in SAID:
        assert words_of(path, name) == words_of(tmp_path / "new.db", name)


def test_a_damaged_record_does_not_keep_a_file_from_being_upgraded(tmp_path, monkeypatch):
    path = tmp_path / "m.db"
    with monkeypatch.context() as before:
        before.setattr(_sqlite_schema, "MIGRATIONS", _sqlite_schema.MIGRATIONS[:10])
        store = SqliteStore(path)
        store.put(
            [make_memory("bad", content="Ask José."), make_memory("good", content="Ask Bea.")]
        )
        store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("""UPDATE memories SET body = '{"José": 1}' WHERE id = 'bad'""")
    connection.close()
    store = SqliteStore(path)
    assert version(path) == len(_sqlite_schema.MIGRATIONS)
    assert [hit.id for hit in store.match_text(ADA, Where(), ["bea"], 9)] == ["good"]
    store.close()


def words_of(path, name):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(
            "SELECT own, context, length FROM words JOIN memories USING (rid) WHERE id = ?", (name,)
        ).fetchone()
    finally:
        connection.close()
