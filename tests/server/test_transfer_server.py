"""Exports and backups of a store on a server."""

import subprocess
import sys

import pytest

from hindsight_core import Hindsight, Scope, Source
from hindsight_core.errors import StoreError
from hindsight_core.stores import SqliteStore, copying, open_sql_store

ADA = Scope(user="ada")


@pytest.fixture
def filled(postgres_url, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_KEY", "k" * 32)
    with Hindsight.open(postgres_url, embedder=None) as hindsight:
        for number in range(5):
            hindsight.remember(ADA, f"Pear {number} 退款 \\u0000 costs 3.", source=Source.USER)
        hindsight.flush()
        yield hindsight


def test_what_a_server_exports_an_embedded_store_takes_in_as_it_was(filled, tmp_path):
    report = filled.transfer.export(tmp_path / "x.jsonl")
    with Hindsight.open(tmp_path / "s.db", embedder=None) as other:
        done = other.transfer.take_in(tmp_path / "x.jsonl")
        assert (done.stored, done.hash) == (5, report.hash)


def test_without_a_key_a_server_vouches_for_nothing(postgres_url, tmp_path, monkeypatch):
    monkeypatch.delenv("HINDSIGHT_KEY", raising=False)
    with Hindsight.open(postgres_url, embedder=None) as hindsight:
        hindsight.remember(ADA, "Pears cost 3.", source=Source.OPERATOR)
        hindsight.transfer.export(tmp_path / "x.jsonl")
        hindsight.forget(ADA)
        done = hindsight.transfer.take_in(tmp_path / "x.jsonl")
        assert (done.stored, done.unverified) == (0, 1)


WRITER = """
import sys
from hindsight_core.stores import open_sql_store
from hindsight_core.testing.samples import make_memory
store = open_sql_store(sys.argv[1])
number = 0
print("writing", flush=True)
while True:
    store.put([make_memory(f"a{number}", "a pear"), make_memory(f"b{number}", "a plum")])
    number += 1
"""


def test_a_backup_of_a_server_is_one_moment_while_others_write(filled, postgres_url, tmp_path):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, postgres_url], stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout.readline() == "writing\n"
        source = open_sql_store(postgres_url)
        moved = copying.back_up(source, tmp_path / "copy.db")
        with pytest.raises(StoreError, match="there already"):
            copying.back_up(source, tmp_path / "copy.db")
        source.close()
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    copy = SqliteStore(tmp_path / "copy.db")
    assert copy.check()["problems"] == []
    assert copy.count() == {"fact/active": moved.rows["memories"]}
    assert moved.rows["memories"] % 2 == 1  # both of each pair, and the five
    copy.close()
    assert [path.name for path in tmp_path.iterdir()] == ["copy.db"]
