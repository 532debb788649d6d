"""Vectors in an index beside the store: down, lost, erased, and never across scopes."""

import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import QdrantClient

from hindsight_core import Hindsight, Scope
from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Kind, Status
from hindsight_core.stores import SqliteStore, open_points, open_store
from hindsight_core.stores.points import Point, PointFilter, PointIndexError
from hindsight_core.stores.qdrant import QdrantPoints, open_qdrant
from hindsight_core.stores.qdrant_edge import EdgePoints
from hindsight_core.stores.vectors import VectorStore
from hindsight_core.testing.samples import NOW, make_memory, scopes, unit_vector

ADA = Scope(user="ada")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)
ANY = Where(statuses=(), include_superseded=True)


class Unreliable:
    """An index that can be put down and up again, and that counts what it was asked."""

    def __init__(self, index):
        self.index, self.down, self.asked = index, False, []

    def __getattr__(self, name):
        found = getattr(self.index, name)
        if not callable(found):
            return found

        def ask(*given):
            self.asked.append(name)
            if self.down and name != "close":
                raise PointIndexError("qdrant://test does not answer")
            return found(*given)

        return ask


class Embedder:
    """Gives each text the vector of its first number."""

    info = INFO

    def passages(self, texts):
        import numpy as np

        return np.array([self.query(text) for text in texts])

    def query(self, text):
        return unit_vector(int(next((word for word in text.split() if word.isdigit()), "0")))


@pytest.fixture
def points(tmp_path):
    return Unreliable(EdgePoints(tmp_path / "vectors"))


@pytest.fixture
def store(tmp_path, points, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._points_telling._PAUSE", 0.0)
    store = VectorStore(SqliteStore(tmp_path / "store.db"), points)
    store.claim_index(INFO)
    yield store
    points.down = False
    store.close()


def fill(store, count, scope=ADA, first=0, **fields):
    numbers = range(first, first + count)
    store.put([make_memory(f"{scope.user}{n}", f"text {n}", scope, **fields) for n in numbers])
    store.add_vectors([(f"{scope.user}{n}", unit_vector(n)) for n in numbers])


def found(store, number, limit=3, where=ANY, scope=ADA):
    return [hit.id for hit in store.nearest(scope, where, unit_vector(number), limit)]


def held(store, points):
    return points.index.count(store._teller.collection(1))


def test_the_memory_opens_with_an_index_by_its_url_and_by_the_environment(tmp_path, monkeypatch):
    place, folder = str(tmp_path / "m.db"), f"qdrant-edge://{tmp_path}/v"
    with Hindsight.open(place, embedder=Embedder(), vectors=folder) as memory:
        memory.remember(ADA, "apples are 7 today")
        assert memory.flush()
        assert memory.health().untold == 0
    monkeypatch.setenv("HINDSIGHT_VECTORS", folder)
    with Hindsight.open(place, embedder=Embedder()) as memory:
        assert [m.content for m in memory.recall(ADA, "pears at 7").memories]
        assert memory.store.check()["indexed vectors"] == 1
    with Hindsight.open(place, embedder=Embedder(), vectors="") as memory:
        assert not hasattr(memory.store, "untold")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("pinecone://x", "pinecone://...: no such backend. Use qdrant://host"),
        ("localhost:6333", "without a scheme"),
        ("qdrant://", "without a host"),
        ("qdrant://host:port", "the port"),
        ("qdrant://host:99999", "the port"),
        ("qdrant://host/path", "path is not understood"),
        ("qdrant://host?colour=red", "colour"),
        ("qdrant://host?replicas=none", "replicas=none must be a whole number"),
        ("qdrant://:s3cret@host?shards=0", "shards=0 must"),
        ("qdrant-edge://folder", "name a folder"),
        ("qdrant-edge:///", "name a folder"),
    ],
)
def test_a_url_that_cannot_be_used_says_why_and_shows_no_secret(url, said, tmp_path):
    for refuse in (open_points, lambda url: open_store(f"sqlite:///{tmp_path}/m.db", None, url)):
        with pytest.raises(ConfigurationError) as raised:
            refuse(url)
        assert said in str(raised.value)
        assert "s3cret" not in str(raised.value)


def test_pgvector_beside_a_file_says_that_it_belongs_to_postgresql(tmp_path):
    with pytest.raises(ConfigurationError, match="extension of PostgreSQL"):
        open_store(f"sqlite:///{tmp_path}/m.db", None, "pgvector")


def test_the_name_of_a_server_shows_no_key():
    assert open_qdrant("qdrants://:s3cret@db.example:1?timeout=3").name == "qdrants://db.example:1"


@pytest.mark.swallows
def test_a_server_that_is_down_leaves_words_and_health_says_so(tmp_path):
    place = str(tmp_path / "m.db")
    with Hindsight.open(place, embedder=Embedder(), vectors="qdrant://127.0.0.1:1") as memory:
        memory.remember(ADA, "apples are 7 today")
        assert memory.flush()
        recalled = memory.recall(ADA, "apples")
        assert [m.content for m in recalled.memories] == ["apples are 7 today"]
        health = memory.health()
        assert not health.ok
        assert "qdrant://127.0.0.1:1 does not answer" in health.vectors_error
        assert (health.untold, health.unencoded, health.store_error) == (1, 0, "")


def test_what_is_written_while_the_index_is_down_is_told_it_afterwards(store, points):
    fill(store, 3)
    points.down = True
    fill(store, 3, first=3)
    store.put([make_memory("ada0", "text 0", status=Status.ARCHIVED, revision=1)])
    store.delete(ADA, ["ada1"])
    assert store.vectors_error
    assert found(store, 4, 1) == ["ada4"]  # what it was not told is compared by the store
    assert (store.untold(), store.unerased()) == (5, 1)
    points.down = False
    assert store.tell()
    assert (store.untold(), store.unerased(), store.vectors_error) == (0, 0, "")
    assert held(store, points) == 5
    assert store.check()["problems"] == []
    assert found(store, 1, 9, Where()) == [one for one in found(store, 1, 9) if one != "ada0"]


def test_a_change_of_status_is_seen_by_a_search_before_the_index_knows(store, points):
    fill(store, 40)
    points.down = True
    store.put([make_memory("ada7", "text 7", status=Status.QUARANTINED, revision=1)])
    points.down = False
    assert "ada7" not in found(store, 7, 40, Where())
    assert found(store, 7, 1, Where(statuses=(Status.QUARANTINED,))) == ["ada7"]


def test_an_erasure_reaches_the_index_and_the_receipt_counts_it(store, points):
    fill(store, 5)
    fill(store, 4, Scope(user="bob"))
    receipt = store.erase(ADA, at=NOW)
    assert receipt.removed["indexed vectors"] == 5
    assert not any(receipt.remaining.values())
    assert held(store, points) == 4
    store.delete(Scope(user="bob"), ["bob0", "bob1"])
    assert held(store, points) == 2


def test_an_erasure_that_the_index_did_not_hear_of_remains_in_the_receipt_until_it_did(
    store, points
):
    fill(store, 5)
    points.down = True
    assert store.erase(ADA, at=NOW).remaining["indexed vectors"] == 5
    assert held(store, points) == 5
    points.down = False
    assert store.tell()
    assert held(store, points) == 0
    assert store.erase(ADA, at=NOW).remaining["indexed vectors"] == 0


def test_forgetting_by_id_counts_in_the_receipt(tmp_path, points):
    store = VectorStore(SqliteStore(tmp_path / "store.db"), points)
    with Hindsight.open(store=store, embedder=Embedder()) as memory:
        one = memory.remember(ADA, "apples are 7 today")
        assert memory.flush()
        receipt = memory.forget(ADA, one.id)
        assert (receipt.removed["indexed vectors"], receipt.remaining["indexed vectors"]) == (1, 0)
        assert held(store, points) == 0


def test_a_collection_that_was_deleted_is_filled_again(store, points):
    fill(store, 30)
    store.tell()
    points.index.drop(store._teller.collection(1))
    assert found(store, 9, 1) == ["ada9"]
    assert store.tell()
    assert held(store, points) == 30
    points.index.drop(store._teller.collection(1))
    fill(store, 1, first=30)
    assert store.tell()
    assert held(store, points) == 31


def test_an_index_that_missed_too_many_deletions_is_filled_anew(store, points, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._sql_vectors._KEPT_TOMBSTONES", 3)
    fill(store, 20)
    points.down = True
    store.delete(ADA, [f"ada{n}" for n in range(10)])
    fill(store, 1, first=20)
    points.down = False
    assert store.tell()
    assert held(store, points) == 11
    store.delete(ADA, [f"ada{n}" for n in range(10, 15)])
    points.asked.clear()
    assert store.tell()
    assert held(store, points) == 6
    assert store.check()["problems"] == []


def test_a_reindexed_store_leaves_no_vector_of_the_old_embedder(store, points):
    other = IndexInfo(model="other", dimension=4, relevance=0.5, same_subject=0.7)
    fill(store, 600)
    store.begin_reindex(other)
    store.add_reindexed(other, [(f"ada{n}", unit_vector(n, 4)) for n in range(600)])
    store.delete(ADA, ["ada0"])
    assert store.finish_reindex(other)
    assert held(store, points) == 0
    assert points.index.count(store._teller.collection(2)) == 599
    points.asked.clear()
    assert [h.id for h in store.nearest(ADA, ANY, unit_vector(5, 4), 1)] == ["ada5"]
    assert "upsert" not in points.asked


def test_an_index_that_lacks_points_is_a_problem_that_names_the_way_out(store, points):
    fill(store, 3)
    points.index.delete(store._teller.collection(1), [1])
    (problem,) = store.check()["problems"]
    assert "holds 2 of 3 vectors. Delete its collection" in problem


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_whatever_an_index_holds_no_search_crosses_scopes(data, tmp_path_factory):
    """The index is made to lie: every point claims every scope."""
    owners = data.draw(st.lists(scopes("t"), min_size=1, max_size=10))
    asking = data.draw(scopes("t"))
    folder = tmp_path_factory.mktemp("lies")
    points = EdgePoints(folder / "v")
    with closing(VectorStore(SqliteStore(folder / "store.db"), points)) as store:
        store.claim_index(INFO)
        stored = [make_memory(f"m{n}", scope=owner) for n, owner in enumerate(owners)]
        store.put(stored)
        store.add_vectors([(m.id, unit_vector(n)) for n, m in enumerate(stored)])
        place = store._search.place(asking, INFO)
        collection = store._teller.collection(1)
        visible = [m.id for m in stored if asking.sees(m.scope)]
        for lie in place.scopes:
            points.upsert(
                collection,
                [
                    Point(n + 1, unit_vector(n), lie, "fact", "active", False, 0, 1.0)
                    for n in range(len(stored))
                ],
            )
        hits = store.nearest(asking, Where(), unit_vector(1), 20)
        assert sorted(hit.id for hit in hits) == sorted(visible)


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
@pytest.mark.filterwarnings("ignore:Local mode performs exact")
@pytest.mark.parametrize("kind", ["edge", "client"])
def test_an_index_filters_by_scope_kind_status_time_and_numbers(kind, tmp_path):
    client = QdrantClient(":memory:") if kind == "client" else None
    points = QdrantPoints(lambda _: client, name="q") if client else EdgePoints(tmp_path / "v")
    assert points.make("c", 8)
    assert not points.make("c", 8)
    rows = [
        Point(1, unit_vector(1), 5, "fact", "active", False, 1_000, 0.9),
        Point(2, unit_vector(1), 6, "fact", "active", False, 2_000, 0.9),
        Point(3, unit_vector(1), 5, "lesson", "archived", True, 3_000, 0.4),
    ]
    points.upsert("c", rows)

    def search(scopes=(5,), rids=None, **where):
        which = PointFilter(scopes=scopes, where=Where(**where), rids=rids)
        return sorted(points.search("c", unit_vector(1), which, 9))

    every = {"statuses": (), "include_superseded": True}
    assert search() == [1]
    assert search(**every) == [1, 3]
    assert search((5, 6), **every) == [1, 2, 3]
    assert search((7,), **every) == []
    assert search(kinds=(Kind.LESSON,), **every) == [3]
    assert search((5, 6), statuses=(Status.ARCHIVED,), include_superseded=True) == [3]
    assert search(rids=[3], **every) == [3]
    assert search(rids=[], **every) == []
    assert search((5, 6), since=NOW) == []
    assert search((5, 6), until=NOW) == [1, 2]
    assert points.count("c", [5]) == 2
    points.delete_scopes("c", [5])
    points.delete("c", [99])
    assert points.count("c") == 1
    points.drop("c")
    points.drop("c")
    assert points.count("c") == 0
    points.close()
    points.close()


OTHER = """
import sys
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore
from hindsight_core.stores.qdrant_edge import EdgePoints
from hindsight_core.stores.vectors import VectorStore
from hindsight_core.testing.samples import make_memory, unit_vector
store = VectorStore(SqliteStore(sys.argv[1]), EdgePoints(sys.argv[2]))
store.claim_index(IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7))
store.put([make_memory("theirs", "text 77")])
store.add_vectors([("theirs", unit_vector(77))])
print([h.id for h in store.nearest(Scope(user="ada"), Where(), unit_vector(77), 1)])
print("belongs to another process" in store.vectors_error)
"""


def test_a_second_process_leaves_the_folder_alone_and_compares_vectors_itself(
    store, points, tmp_path
):
    fill(store, 3)
    done = subprocess.run(
        [sys.executable, "-c", OTHER, tmp_path / "store.db", tmp_path / "vectors"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == ["['theirs']", "True"]
    assert found(store, 77, 1) == ["theirs"]
    assert store.tell()
    assert held(store, points) == 4


KILLED = """
import os, sys
from hindsight_core.ports import IndexInfo
from hindsight_core.stores import SqliteStore
from hindsight_core.stores.qdrant_edge import EdgePoints
from hindsight_core.stores.vectors import VectorStore
from hindsight_core.testing.samples import make_memory, unit_vector

class Dying(EdgePoints):
    def upsert(self, collection, points):
        super().upsert(collection, points)
        if points[0].rid > 1_000:
            os.kill(os.getpid(), 9)

store = VectorStore(SqliteStore(sys.argv[1]), Dying(sys.argv[2]))
store.claim_index(IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7))
store.put([make_memory(f"ada{n}", f"text {n}") for n in range(1_500)])
store.add_vectors([(f"ada{n}", unit_vector(n)) for n in range(1_500)])
"""


def test_a_process_that_is_killed_while_it_tells_leaves_the_rest_to_the_next(tmp_path):
    place = [tmp_path / "store.db", tmp_path / "vectors"]
    assert subprocess.run([sys.executable, "-c", KILLED, *place]).returncode == -9
    store = VectorStore(SqliteStore(place[0]), EdgePoints(place[1]))
    store.claim_index(INFO)
    assert store.untold() == 1_500
    assert found(store, 800, 1) == ["ada800"]
    assert store.tell()
    assert store.check()["indexed vectors"] == 1_500
    assert store.check()["problems"] == []
    store.close()
