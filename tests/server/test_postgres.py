"""What a PostgreSQL server adds: several processes, lost connections, no user by default."""

import os
import re
import subprocess
import sys

import psycopg
import pytest

from hindsight_core import Hindsight, Scope, ScopeError
from hindsight_core.errors import (
    HindsightError,
    StoreError,
    StoreUnavailableError,
    StoreVersionError,
)
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.stores import _postgres_schema, _sql_text, locate, open_store, without_secrets
from hindsight_core.stores.postgres import PostgresStore
from hindsight_core.testing.samples import NOW, make_memory, make_said
from hindsight_core.text import terms

ADA = Scope(user="ada")


@pytest.fixture
def store(postgres_url):
    store = PostgresStore(postgres_url)
    yield store
    store.close()


def administer(url, statement):
    with psycopg.connect(url.partition("&schema")[0], autocommit=True) as connection:
        return connection.execute(statement).fetchall()


def test_the_memory_opens_by_a_url_and_by_the_environment(postgres_url, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_URL", postgres_url)
    with Hindsight.open(embedder=None) as first, Hindsight.open(postgres_url, embedder=None) as two:
        first.remember(ADA, "Refunds take three days.")
        assert [m.content for m in two.memories(ADA)] == ["Refunds take three days."]
        assert two.recall(ADA, "How long do refunds take?").memories


def test_a_password_is_never_shown():
    url = "postgresql://ada:s3cret@db.example:5433/memory?sslmode=require"
    assert locate(url) == url
    assert without_secrets(url) == "postgresql://ada@db.example:5433/memory"
    with pytest.raises(StoreUnavailableError) as raised:
        open_store("postgresql://ada:s3cret@127.0.0.1:1/memory?connect_timeout=1")
    assert "s3cret" not in str(raised.value)
    assert "127.0.0.1:1" in str(raised.value)


def test_nobody_named_is_an_error_and_no_user_at_all_gets_a_memory(postgres_url):
    with Hindsight.open(postgres_url, embedder=None) as hindsight:
        with pytest.raises(ScopeError, match="serves many users"):
            hindsight.scope_of()
        assert hindsight.health().memories == {}


@pytest.mark.swallows
def test_a_run_without_a_user_goes_on_without_memory_and_health_says_so(postgres_url):
    with Hindsight.open(postgres_url, embedder=None) as hindsight:
        scope = None
        with hindsight.guard("scope"):
            scope = hindsight.scope_of()
        run = hindsight.run(scope, task="Refund an order")
        run.user("I prefer short answers.", turn="1")
        assert run.context() is None
        run.finish(ok=True)
        health = hindsight.health()
        assert not health.ok
        assert "user" in health.last_error
        assert (health.memories, health.pending_runs) == ({}, 0)


@pytest.mark.swallows
def test_a_server_that_is_down_leaves_the_run_without_memory(postgres_url):
    down = "postgresql://ada@127.0.0.1:1/memory?connect_timeout=1"
    with Hindsight.open(down, embedder=None, lazy=True) as hindsight:
        run = hindsight.run(ADA, task="Refund an order")
        run.user("I prefer short answers.", turn="1")
        assert run.context() is None
        run.finish(ok=True)
        health = hindsight.health()
        assert not health.ok
        assert "127.0.0.1:1" in health.store_error


def test_lost_connections_are_replaced_without_an_error(postgres_url, store):
    store.put([make_memory("before")])
    for number in range(3):
        administer(
            postgres_url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
        )
        assert store.get(ADA, ["before"])
        administer(
            postgres_url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
        )
        assert store.put([make_memory(f"after{number}")])[0].created
        assert store.change_counter() > 0
    assert store.count() == {"fact/active": 4}


def test_a_write_that_is_cut_off_in_the_middle_stores_nothing(postgres_url, store):
    def be_cut_off():
        with store._database.write() as connection:
            connection.execute("INSERT INTO leases VALUES ('n', 'o', 1, 1)")
            administer(
                postgres_url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE state = 'idle in transaction'",
            )
            connection.execute("SELECT 1")

    with pytest.raises(StoreUnavailableError):
        be_cut_off()
    assert store._database.fetch("SELECT * FROM leases") == []
    assert store.put([make_memory("after")])[0].created


def test_a_writer_that_is_held_up_says_so_after_the_busy_timeout(postgres_url, store, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._postgres_connection.BUSY_SECONDS", 0.3)
    impatient = PostgresStore(postgres_url)
    with store._database.write(), pytest.raises(StoreUnavailableError, match="locked"):
        impatient.put([make_memory("m")])
    assert impatient.put([make_memory("m")])[0].created
    impatient.close()


WRITER = """
import sys
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stores.postgres import PostgresStore
from hindsight_core.testing.samples import make_memory, make_said, unit_vector
name, url = sys.argv[1:]
store = PostgresStore(url)
store.claim_index(IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7))
for number in range(25):
    one = f"p{name}x{number}"
    assert store.append(make_said(one, one), owner=name)
    store.put([make_memory(one, f"word{one} shared", dedupe_key=one)])
    store.put([make_memory(f"twin{name}x{number}", "shared by all", dedupe_key=f"same{number}")])
    store.add_vectors([(one, unit_vector(number))])
    assert [h.id for h in store.match_text(Scope(user="ada"), Where(), [f"word{one}"], 3)] == [one]
    assert one in store.cosines(Scope(user="ada"), [one], unit_vector(1))
store.close()
"""


def test_processes_that_write_at_once_lose_nothing_and_store_nothing_twice(postgres_url):
    several = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(n), postgres_url]) for n in range(4)
    ]
    assert [one.wait() for one in several] == [0] * 4
    store = PostgresStore(postgres_url)
    assert store.count() == {"fact/active": 4 * 25 + 25}
    assert len(store.runs(limit=999)) == 100
    assert store.check()["problems"] == []
    store.close()


def test_a_forked_child_has_connections_of_its_own(store):
    store.put([make_memory("before")])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.put([make_memory("child")])
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.put([make_memory("parent")])
    assert store.count() == {"fact/active": 3}


def test_a_newer_version_is_left_alone_and_names_the_upgrade(postgres_url):
    PostgresStore(postgres_url).close()
    schema = postgres_url.rpartition("=")[2]
    administer(postgres_url, f"UPDATE {schema}.version SET number = 99 RETURNING number")
    with pytest.raises(StoreVersionError, match="pip install --upgrade"):
        PostgresStore(postgres_url)


def test_processes_that_make_the_tables_at_once_all_find_them(postgres_url):
    script = (
        "import sys; from hindsight_core.stores.postgres import PostgresStore\n"
        "PostgresStore(sys.argv[1]).close()"
    )
    several = [subprocess.Popen([sys.executable, "-c", script, postgres_url]) for _ in range(4)]
    assert [one.wait() for one in several] == [0] * 4


def test_the_audit_log_cannot_be_changed_and_has_no_gap_after_a_failed_write(store):
    entry = AuditEntry(at=NOW, actor="a", action="b", subject="c")
    store.audit(entry)
    broken = "INSERT INTO audit SELECT n, n, '', '', '', '', '', '' FROM (SELECT 1/0 AS n) AS x"
    with pytest.raises(HindsightError), store._database.write() as connection:
        connection.execute(broken)
    store.audit(entry)
    assert store.check()["problems"] == []
    for change in ("UPDATE audit SET actor = 'x'", "DELETE FROM audit", "TRUNCATE audit"):
        with pytest.raises(StoreError, match="append-only"), store._database.write() as connection:
            connection.execute(change)


def test_what_was_erased_is_gone_from_every_table(store):
    store.put(
        [make_memory(f"m{n}", f"GONEMARK {n}", ADA, entities=("GONEMARK",)) for n in range(9)]
    )
    store.append(make_said("k", "run", ADA), owner="p")
    store.put([make_memory("kept", "KEPTMARK", Scope(user="bob"))])
    receipt = store.erase(ADA, at=NOW)
    assert receipt.removed["memories"] == receipt.removed["texts"] == 9
    assert not any(receipt.remaining.values())
    assert not receipt.overwritten
    assert store.wipe(whole=True)
    assert store.count() == {"fact/active": 1}
    assert store.check()["problems"] == []
    assert store.match_text(ADA, Where(), ["gonemark"], 9) == []


def test_without_psycopg_the_extra_is_named():
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from hindsight_core import Hindsight, MissingExtraError\n"
        "try: Hindsight.open('postgresql://ada@host/memory', embedder=None)\n"
        "except MissingExtraError as error: print(error)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install 'hindsight-core[postgres]'" in out


def test_words_of_before_are_cut_anew(postgres_url, monkeypatch):
    def old_terms(said):
        return re.findall(r"[^\W_]+", said.casefold())

    said = {"jose": "Ask José about it.", "name": "getUserName needs it.", "plain": "Ask Bea."}
    asked = {"jose": "jose", "name": "user name", "plain": "bea"}
    with monkeypatch.context() as before:
        before.setattr(_postgres_schema, "MIGRATIONS", _postgres_schema.MIGRATIONS[:4])
        before.setattr(_sql_text, "terms", old_terms)
        old = PostgresStore(postgres_url)
        old.put([make_memory(name, content=text) for name, text in said.items()])
        assert old.match_text(ADA, Where(), ["jose", "user"], 9) == []
        old.close()
    store = PostgresStore(postgres_url)
    for name, words in asked.items():
        assert [hit.id for hit in store.match_text(ADA, Where(), terms(words), 9)] == [name]
    assert store.check()["problems"] == []
    schema = postgres_url.rpartition("=")[2]
    [(number,)] = administer(postgres_url, f"SELECT number FROM {schema}.version")
    assert number == len(_postgres_schema.MIGRATIONS)
    store.close()
