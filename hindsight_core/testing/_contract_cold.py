"""The contract of cold storage: in no index, and restorable; needs numpy."""

from __future__ import annotations

from typing import Final

from hindsight_core.ports import IndexInfo, Store, Where
from hindsight_core.schema import Scope, Status
from hindsight_core.testing._contract_base import ContractBase
from hindsight_core.testing.samples import make_memory, unit_vector

__all__ = ["ColdContract"]

ANY: Final = Where(statuses=(), include_superseded=True)
ADA: Final = Scope(user="ada")
INFO: Final = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)


class ColdContract(ContractBase):
    """What holds of records in cold storage in every store."""

    def test_what_is_in_cold_storage_is_in_no_index_until_it_is_restored(
        self, store: Store
    ) -> None:
        store.claim_index(INFO)
        asked = unit_vector(1)
        store.put([make_memory("a", "a pear"), make_memory("b", "a pear")])
        store.add_vectors([("a", asked), ("b", asked)])
        store.put([make_memory("a", "a pear", status=Status.COLD, revision=1)])
        store.put([make_memory("c", "a pear", status=Status.COLD)])
        store.add_vectors([("a", asked), ("c", asked)])
        assert [hit.id for hit in store.match_text(ADA, ANY, ["pear"], 9)] == ["b"]
        assert store.term_counts(ADA, ["pear"]).holding == {"pear": 1}
        assert [hit.id for hit in store.nearest(ADA, ANY, asked, 9)] == ["b"]
        assert store.cosines(ADA, ["a", "c"], asked) == {}
        assert store.unencoded(9) == []
        cold = store.select(ADA, Where(statuses=(Status.COLD,)))
        assert {memory.id for memory in cold} == {"a", "c"}
        assert store.check()["problems"] == []
        store.put([make_memory("a", "a pear", revision=2)])
        assert {hit.id for hit in store.match_text(ADA, ANY, ["pear"], 9)} == {"a", "b"}
        assert [name for name, _ in store.unencoded(9)] == ["a"]
        assert store.delete(ADA, ["a", "b", "c"]) == 3
        assert store.check()["problems"] == []
