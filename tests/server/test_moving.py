"""A whole store moved to another kind and back."""

import json

import pytest
from typer.testing import CliRunner

from hindsight_core.cli.app import app
from hindsight_core.errors import StoreError
from hindsight_core.ports import AuditEntry, IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore, moving, open_sql_store, open_store
from hindsight_core.stores.moving import move
from hindsight_core.stores.postgres import PostgresStore
from hindsight_core.testing.samples import (
    NOW,
    make_call_record,
    make_memory,
    make_said,
    unit_vector,
)

ADA = Scope(user="ada")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)


@pytest.fixture
def full(tmp_path):
    store = SqliteStore(tmp_path / "full.db")
    store.claim_index(INFO)
    store.put([make_memory(f"m{n}", f"a pear {n} 退款", entities=("Fruit",)) for n in range(1_200)])
    store.put([make_memory("bob", "an apple", Scope(user="bob", agent="a"))])
    store.add_vectors([(f"m{n}", unit_vector(n)) for n in range(600)])
    store.delete(ADA, ["m1"])
    store.append(make_said("k", "run", ADA), owner="p")
    call = make_call_record("c", ok=False, run_id="run")
    store.settle("run", through=1, memories=[], calls=[call], uses=[])
    store.save_recall(ADA, "r", "run", '{"n": 1}')
    store.audit(AuditEntry(at=NOW, actor="a", action="b", subject="c"))
    yield store
    store.close()


def test_there_and_back_gives_the_same_hash_and_a_store_that_works(full, postgres_url, tmp_path):
    server, back = open_sql_store(postgres_url), SqliteStore(tmp_path / "back.db")
    there = move(full, server)
    assert there.rows["memories"] == 1_200
    assert server.check()["problems"] == []
    assert len(server.match_text(ADA, Where(), ["pear"], 2_000)) >= 500
    assert server.nearest(ADA, Where(), unit_vector(7), 1)[0].id == "m7"
    assert move(server, back).hash == there.hash
    assert back.check()["problems"] == []
    for store in (server, back):
        assert store.put([make_memory("new", "a pear")])[0].created
        assert store.append(make_said("later", "run2", ADA), owner="p")
        assert store.check()["problems"] == []
        store.close()


def test_an_interrupted_copy_is_gone_on_with(full, tmp_path):
    class StoppedError(Exception):
        pass

    def stop(table, done, total):
        if table == "vectors":
            raise StoppedError

    target = SqliteStore(tmp_path / "t.db")
    with pytest.raises(StoppedError):
        move(full, target, on_progress=stop)
    assert move(full, target).rows["memories"] == 1_200
    assert target.check()["problems"] == []
    target.close()


def test_a_store_that_holds_something_else_is_not_taken_for_a_copy(full, tmp_path):
    target = SqliteStore(tmp_path / "t.db")
    target.put([make_memory("other", "mine", Scope(user="eve"))])
    with pytest.raises(StoreError):
        move(full, target)
    target.close()


def test_the_command_prints_counts_and_the_hash(full, tmp_path):
    done = CliRunner().invoke(app, ["migrate", str(full.path), str(tmp_path / "t.db"), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"]["vectors"] == 599


def test_every_table_and_column_is_moved(tmp_path, postgres_url):
    def columns(text):
        return {one.strip().strip('"') for one in text.split(",")}

    left_out = {
        "backups",
        "deliveries",
        "state",
        "tombstones",
        "leases",
        "sqlite_sequence",
        "texts",
    }
    store, server = SqliteStore(tmp_path / "t.db"), PostgresStore(postgres_url)
    names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'texts_%'"
    tables = {name for (name,) in store.database.fetch(names)} - left_out
    assert tables == set(moving._TABLES)
    for table, (_, moved) in moving._TABLES.items():
        there = store.database.fetch(f"SELECT name FROM pragma_table_info('{table}')")
        assert columns(moved) == {name for (name,) in there}
        on_server = server.database.fetch(
            "SELECT column_name FROM information_schema.columns WHERE table_schema ="
            " current_schema() AND table_name = ? AND is_generated = 'NEVER'",
            (table,),
        )
        assert columns(moved) | {"rowid"} == {name for (name,) in on_server} | {"rowid"}
    store.close()
    server.close()


def test_a_move_fills_an_index_beside_the_copy_and_the_way_back_needs_none(
    full, postgres_url, tmp_path
):
    def migrate(source, target, *more):
        done = CliRunner().invoke(app, ["migrate", str(source), str(target), *more, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    index = f"qdrant-edge://{tmp_path}/vectors"
    there = migrate(full.path, postgres_url, "--vectors", index)
    assert there["indexed"] == 599
    assert migrate(full.path, postgres_url, "--vectors", index) == there  # nothing is left to do
    server = open_store(postgres_url, None, index)
    assert server.nearest(ADA, Where(), unit_vector(7), 1)[0].id == "m7"
    assert server.untold() == 0
    server.close()
    assert migrate(postgres_url, tmp_path / "back.db")["hash"] == there["hash"]
