"""The store contract, run against the embedded store."""

import pytest

from hindsight_core.stores import SqliteStore
from hindsight_core.testing.store_contract import (
    ContractBase,
    StoreContract,
    assert_complete,
)


class TestSqliteStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path):
        self.place = tmp_path / "store.db"

    def make_store(self):
        return SqliteStore(self.place)

    def open_again(self, store):
        return SqliteStore(store.path)


def test_the_contract_is_run_whole():
    assert assert_complete(StoreContract, TestSqliteStore) >= 60


def test_an_empty_contract_is_a_failure():
    with pytest.raises(AssertionError, match="no scenario"):
        assert_complete(ContractBase, TestSqliteStore)


@pytest.mark.parametrize("mark", [pytest.mark.skip, pytest.mark.xfail])
def test_a_scenario_that_is_not_run_is_a_failure(mark):
    removed = type("Removed", (TestSqliteStore,), {StoreContract.scenarios()[0]: None})
    marked = type("Marked", (TestSqliteStore,), {"pytestmark": [mark]})
    for suite in (removed, marked):
        with pytest.raises(AssertionError, match=suite.__name__):
            assert_complete(StoreContract, suite)
