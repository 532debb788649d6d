"""The contract of `VectorIndex`; needs numpy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.errors import ConfigurationError, EmbedderMismatchError
from hindsight_core.ports import IndexInfo, Store, Where
from hindsight_core.schema import Kind, Scope, Status
from hindsight_core.testing._contract_base import ContractBase, drawn, fresh_scope
from hindsight_core.testing.samples import NOW, make_memory, scopes, unit_vector

__all__ = ["VectorsContract"]

ANY = Where(statuses=(), include_superseded=True)
ADA = Scope(user="ada")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)


class VectorsContract(ContractBase):
    """What holds of vectors in every store."""

    def test_an_index_is_bound_to_one_embedder(self, store: Store) -> None:
        assert store.index_info() is None
        store.claim_index(INFO)
        store.claim_index(INFO)
        again = self.open_again(store)
        assert again.index_info() == INFO
        again.close()
        for other in (
            IndexInfo(model="other", dimension=8, relevance=0.5, same_subject=0.7),
            IndexInfo(model="test", dimension=9, relevance=0.5, same_subject=0.7),
        ):
            with pytest.raises(EmbedderMismatchError, match="reindex"):
                store.claim_index(other)
        assert store.index_info() == INFO

    def test_the_same_embedder_may_bring_new_thresholds(self, store: Store) -> None:
        store.claim_index(INFO)
        better = IndexInfo(model="test", dimension=8, relevance=0.4, same_subject=0.6)
        store.claim_index(better)
        assert store.index_info() == better

    def test_records_wait_for_their_vectors_oldest_first(self, store: Store) -> None:
        store.claim_index(INFO)
        store.put([make_memory(f"m{n}", f"text {n}") for n in range(4)])
        assert [name for name, _ in store.unencoded(3)] == ["m0", "m1", "m2"]
        assert "text 0" in store.unencoded(1)[0][1]
        store.add_vectors([("m0", unit_vector(0)), ("m2", unit_vector(2))])
        assert [name for name, _ in store.unencoded(9)] == ["m1", "m3"]

    @drawn
    @given(data=st.data())
    def test_the_nearest_are_exact_and_never_of_another_scope(
        self, store: Store, data: st.DataObject
    ) -> None:
        store.claim_index(INFO)
        tenant = fresh_scope().tenant
        owners = data.draw(st.lists(scopes(tenant), min_size=1, max_size=12))
        asking = data.draw(scopes(tenant))
        stored = [make_memory(f"{tenant}-{n}", scope=owner) for n, owner in enumerate(owners)]
        store.put(stored)
        store.add_vectors([(m.id, unit_vector(n)) for n, m in enumerate(stored)])
        asked = unit_vector(-1 % 2**32)
        cosines = {
            m.id: float(unit_vector(n) @ asked)
            for n, m in enumerate(stored)
            if asking.sees(m.scope)
        }
        expected = sorted(cosines, key=lambda name: -cosines[name])
        found = store.nearest(asking, Where(), asked, 5)
        assert [hit.id for hit in found] == expected[:5]
        for hit in found:
            assert hit.score == pytest.approx(cosines[hit.id], abs=1e-5)
        compared = store.cosines(asking, [m.id for m in stored], asked)
        assert compared == pytest.approx(cosines, abs=1e-5)

    @pytest.mark.parametrize(
        ("matching", "other", "where"),
        [
            ({"kind": Kind.LESSON}, {}, Where(kinds=(Kind.LESSON,))),
            ({"status": Status.ARCHIVED}, {}, Where(statuses=(Status.ARCHIVED,))),
            ({}, {"superseded_by": "x"}, Where()),
            ({"entities": ("a",)}, {"entities": ("b",)}, Where(entities=("A",))),
            ({"subject": "language"}, {}, Where(subject="Language")),
            ({"task_type": "refund"}, {}, Where(task_type="refund")),
            ({"tool_sequence": ("a", "b")}, {"tool_sequence": ("a",)}, Where(tool_sequence=("b",))),
            ({"time": NOW + timedelta(days=2)}, {}, Where(since=NOW + timedelta(days=1))),
            ({"time": NOW - timedelta(days=2)}, {}, Where(until=NOW - timedelta(days=1))),
        ],
    )
    def test_a_hard_filter_holds_for_vectors_as_well(
        self, store: Store, matching: dict[str, Any], other: dict[str, Any], where: Where
    ) -> None:
        store.claim_index(INFO)
        store.put([make_memory("yes", **matching), make_memory("no", **other)])
        store.add_vectors([("yes", unit_vector(1)), ("no", unit_vector(1))])
        assert [hit.id for hit in store.nearest(ADA, where, unit_vector(1), 9)] == ["yes"]
        assert len(store.nearest(ADA, ANY, unit_vector(1), 9)) == 2

    def test_a_change_is_seen_by_the_next_search_of_every_process(self, store: Store) -> None:
        store.claim_index(INFO)
        other = self.open_again(store)
        asked = unit_vector(1)

        def seen() -> list[list[str]]:
            return [[h.id for h in s.nearest(ADA, Where(), asked, 9)] for s in (store, other)]

        store.put([make_memory("a"), make_memory("b")])
        assert seen() == [[], []]
        store.add_vectors([("a", asked), ("b", unit_vector(2))])
        assert seen() == [["a", "b"]] * 2
        other.put([make_memory("a", status=Status.ARCHIVED, revision=1)])
        assert seen() == [["b"]] * 2
        other.put([make_memory("a", revision=2)])
        assert seen() == [["a", "b"]] * 2
        store.delete(ADA, ["a"])
        assert seen() == [["b"]] * 2
        store.put([make_memory("c")])
        other.add_vectors([("c", asked)])
        assert seen() == [["c", "b"]] * 2
        other.erase(ADA, at=NOW)
        assert seen() == [[], []]
        other.close()

    def test_a_vector_goes_when_the_text_that_it_was_made_of_changes(self, store: Store) -> None:
        store.claim_index(INFO)
        store.put([make_memory("m", "old")])
        store.add_vectors([("m", unit_vector(1))])
        store.put([make_memory("m", "old", hits=1, revision=1)])
        assert store.unencoded(9) == []
        store.put([make_memory("m", "new", revision=2)])
        assert [name for name, _ in store.unencoded(9)] == ["m"]
        assert store.nearest(ADA, Where(), unit_vector(1), 9) == []

    def test_a_vector_of_a_record_that_is_gone_is_dropped(self, store: Store) -> None:
        store.claim_index(INFO)
        store.put([make_memory("m")])
        store.add_vectors([("gone", unit_vector(0)), ("m", unit_vector(1))])
        assert store.cosines(ADA, ["gone", "m"], unit_vector(1)) == pytest.approx({"m": 1})

    def test_a_second_vector_takes_the_place_of_the_first(self, store: Store) -> None:
        store.claim_index(INFO)
        store.put([make_memory("m")])
        store.add_vectors([("m", unit_vector(0))])
        store.nearest(ADA, Where(), unit_vector(1), 1)
        store.add_vectors([("m", unit_vector(1))])
        (hit,) = store.nearest(ADA, Where(), unit_vector(1), 9)
        assert hit.score == pytest.approx(1)

    def test_a_vector_that_does_not_fit_is_refused_and_none_of_its_batch_stored(
        self, store: Store
    ) -> None:
        store.put([make_memory("a"), make_memory("b")])
        good = unit_vector(0)
        with pytest.raises(ConfigurationError, match="claim_index"):
            store.add_vectors([("a", good)])
        store.claim_index(INFO)
        for bad in (unit_vector(0, 9), good.astype("float64"), good * float("nan")):
            with pytest.raises(ConfigurationError, match="vector of b"):
                store.add_vectors([("a", good), ("b", bad)])
        assert len(store.unencoded(9)) == 2

    def test_an_empty_index_finds_nothing(self, store: Store) -> None:
        assert store.nearest(ADA, Where(), unit_vector(1), 5) == []
        assert store.cosines(ADA, ["m"], unit_vector(1)) == {}
        store.claim_index(INFO)
        assert store.nearest(ADA, Where(), unit_vector(1), 5) == []
