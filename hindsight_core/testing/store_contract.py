"""The contract that every store keeps, as a suite to run against one's own backend.

Needs pytest and hypothesis, and numpy for the vectors. A backend's test file is this:

    class TestMyStore(StoreContract):
        def make_store(self): return MyStore(new_and_empty_place())
        def open_again(self, store): return MyStore(store.place)

    def test_the_contract_is_run_whole():
        assert assert_complete(StoreContract, TestMyStore) == len(StoreContract.scenarios())
"""

from __future__ import annotations

from typing import Final

import pytest

_NAMES: Final = (
    "cold",
    "events",
    "guard",
    "ledger",
    "records",
    "reflection",
    "reindex",
    "texts",
    "vectors",
)
_PARTS: Final = tuple(f"hindsight_core.testing._contract_{part}" for part in _NAMES)
pytest.register_assert_rewrite(*_PARTS)  # which has to come before they are imported

from hindsight_core.ports import Store, Where  # noqa: E402
from hindsight_core.schema import Scope  # noqa: E402
from hindsight_core.testing._contract_base import ContractBase, assert_complete  # noqa: E402
from hindsight_core.testing._contract_cold import ColdContract  # noqa: E402
from hindsight_core.testing._contract_events import EventsContract  # noqa: E402
from hindsight_core.testing._contract_guard import GuardContract  # noqa: E402
from hindsight_core.testing._contract_ledger import LedgerContract  # noqa: E402
from hindsight_core.testing._contract_records import RecordsContract  # noqa: E402
from hindsight_core.testing._contract_reflection import ReflectionContract  # noqa: E402
from hindsight_core.testing._contract_reindex import ReindexContract  # noqa: E402
from hindsight_core.testing._contract_texts import TextsContract  # noqa: E402
from hindsight_core.testing._contract_vectors import VectorsContract  # noqa: E402
from hindsight_core.testing.samples import make_memory, make_said  # noqa: E402

__all__ = [
    "ColdContract",
    "ContractBase",
    "EventsContract",
    "GuardContract",
    "LedgerContract",
    "RecordsContract",
    "ReflectionContract",
    "ReindexContract",
    "StoreContract",
    "TextsContract",
    "VectorsContract",
    "assert_complete",
]


class StoreContract(
    RecordsContract,
    TextsContract,
    EventsContract,
    VectorsContract,
    ReindexContract,
    GuardContract,
    LedgerContract,
    ColdContract,
    ReflectionContract,
):
    """Everything that `hindsight_core.ports.Store` promises.

    A subclass says how to make a store (`make_store`) and how to open a second handle to one
    (`open_again`); a backend that does one part only takes the contract of that part.
    """

    def test_what_was_written_is_there_after_closing_and_opening(self, store: Store) -> None:
        store.put([make_memory("m", "a pear")])
        store.append(make_said("k"), owner="p")
        again = self.open_again(store)
        store.close()
        scope = Scope(user="ada")
        assert [memory.id for memory in again.get(scope, ["m"])] == ["m"]
        assert [hit.id for hit in again.match_text(scope, Where(), ["pear"], 5)] == ["m"]
        assert again.events("run") == [make_said("k")]
        assert again.check()["problems"] == []
        again.close()

    def test_closing_twice_is_no_error(self, store: Store) -> None:
        store.close()
        store.close()

    def test_a_store_says_where_it_is_and_whether_it_is_of_one_machine(self, store: Store) -> None:
        assert "://" in store.url
        assert isinstance(store.embedded, bool)
