"""The store contract, run against a real PostgreSQL server."""

import pytest

from hindsight_core.stores.postgres import PostgresStore
from hindsight_core.testing.store_contract import StoreContract, assert_complete


class TestPostgresStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, postgres_url):
        self.place = postgres_url

    def make_store(self):
        return PostgresStore(self.place)

    def open_again(self, store):
        return PostgresStore(self.place)


def test_the_contract_is_run_whole():
    assert assert_complete(StoreContract, TestPostgresStore) >= 60
