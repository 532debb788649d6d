"""The store contract with a vector index beside the records.

There is no Qdrant server among the packages that the tests install: they run against the client's
own engine in memory and against qdrant-edge. Against a server they run where
HINDSIGHT_TEST_QDRANT_URL names one.
"""

import os

import pytest
from qdrant_client import QdrantClient

from hindsight_core.stores import SqliteStore, open_store
from hindsight_core.stores.postgres import PostgresStore
from hindsight_core.stores.qdrant import QdrantPoints, open_qdrant
from hindsight_core.stores.qdrant_edge import EdgePoints
from hindsight_core.stores.vectors import VectorStore
from hindsight_core.testing.store_contract import StoreContract, assert_complete

SERVER = os.environ.get("HINDSIGHT_TEST_QDRANT_URL", "")


def in_memory(suite):
    """What the client's own engine does without, it warns of."""
    for said in ("Payload indexes have no effect", "Local mode performs exact"):
        suite = pytest.mark.filterwarnings(f"ignore:{said}")(suite)
    return suite


class SharedClient(QdrantClient):
    """One server for all handles of a test: it outlives them."""

    def close(self, **options):
        pass


class InMemory(StoreContract):
    @pytest.fixture(autouse=True)
    def _client(self):
        self.client = SharedClient(":memory:")

    def points(self):
        return QdrantPoints(lambda seconds: self.client, name="qdrant://memory")


@in_memory
class TestSqliteWithQdrantInMemory(InMemory):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path):
        self.place = tmp_path / "store.db"

    def make_store(self):
        return VectorStore(SqliteStore(self.place), self.points())

    def open_again(self, store):
        return self.make_store()


@in_memory
class TestPostgresWithQdrantInMemory(InMemory):
    @pytest.fixture(autouse=True)
    def _place(self, postgres_url):
        self.place = postgres_url

    def make_store(self):
        return VectorStore(PostgresStore(self.place), self.points())

    def open_again(self, store):
        return self.make_store()


class TestPostgresWithPgvector(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, postgres_url):
        self.place = postgres_url

    def make_store(self):
        return open_store(self.place, "", "pgvector")

    def open_again(self, store):
        return self.make_store()


class TestSqliteWithQdrantEdge(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path):
        self.place = tmp_path

    def make_store(self):
        return VectorStore(SqliteStore(self.place / "store.db"), EdgePoints(self.place / "vectors"))

    def open_again(self, store):
        return self.make_store()


if SERVER:

    class TestPostgresWithQdrantServer(StoreContract):
        @pytest.fixture(autouse=True)
        def _place(self, postgres_url):
            self.place = postgres_url

        def make_store(self):
            return VectorStore(PostgresStore(self.place), open_qdrant(SERVER))

        def open_again(self, store):
            return self.make_store()


@pytest.mark.parametrize(
    "suite",
    [
        TestPostgresWithPgvector,
        TestPostgresWithQdrantInMemory,
        TestSqliteWithQdrantEdge,
        TestSqliteWithQdrantInMemory,
    ],
)
def test_the_contract_is_run_whole(suite):
    assert assert_complete(StoreContract, suite) >= 60
