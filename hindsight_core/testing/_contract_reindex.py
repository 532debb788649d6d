"""The contract of `VectorIndex` for changing the embedder; needs numpy."""

from __future__ import annotations

import pytest

from hindsight_core.errors import ConfigurationError, EmbedderMismatchError
from hindsight_core.ports import IndexInfo, Store, Where
from hindsight_core.schema import Scope
from hindsight_core.testing._contract_base import ContractBase
from hindsight_core.testing.samples import make_memory, unit_vector

__all__ = ["ReindexContract"]

ADA = Scope(user="ada")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)


class ReindexContract(ContractBase):
    """What holds of every store while another embedder takes over, and after it."""

    def test_another_embedder_takes_over_in_one_step_when_it_has_every_record(
        self, store: Store
    ) -> None:
        other = IndexInfo(model="other", dimension=4, relevance=0.5, same_subject=0.7)
        reader = self.open_again(store)
        store.claim_index(INFO)
        store.put([make_memory(f"m{n}") for n in range(3)])
        store.add_vectors([(f"m{n}", unit_vector(n)) for n in range(3)])
        assert store.begin_reindex(other) == 3
        assert [name for name, _ in store.unindexed(other, 2)] == ["m0", "m1"]
        store.add_reindexed(other, [(f"m{n}", unit_vector(n, 4)) for n in range(2)])
        assert store.begin_reindex(other) == 1
        assert not store.finish_reindex(other)
        store.put([make_memory("late"), make_memory("m0", "changed", revision=1)])
        store.add_vectors([("late", unit_vector(9))])
        assert [name for name, _ in store.unindexed(other, 9)] == ["m0", "m2", "late"]
        assert store.index_info() == INFO
        assert len(reader.nearest(ADA, Where(), unit_vector(1), 9)) == 3
        late = [(name, unit_vector(5, 4)) for name in ("m0", "m2", "late")]
        store.add_reindexed(other, late)
        assert store.finish_reindex(other)
        assert store.index_info() == other
        assert store.unencoded(9) == []
        for handle in (store, reader):
            assert handle.nearest(ADA, Where(), unit_vector(1), 9) == []
            first, *rest = handle.nearest(ADA, Where(), unit_vector(1, 4), 9)
            assert (first.id, len(rest)) == ("m1", 3)
        with pytest.raises(EmbedderMismatchError):
            reader.claim_index(INFO)
        assert store.check()["problems"] == []
        reader.close()

    def test_after_a_switch_to_a_model_of_the_same_dimension_no_old_vector_is_taken(
        self, store: Store
    ) -> None:
        other = IndexInfo(model="other", dimension=8, relevance=0.5, same_subject=0.7)
        writer = self.open_again(store)
        writer.claim_index(INFO)
        writer.put([make_memory("m")])
        writer.add_vectors([("m", unit_vector(1))])
        assert writer.nearest(ADA, Where(), unit_vector(1), 1)[0].score == pytest.approx(1)
        store.begin_reindex(other)
        store.add_reindexed(other, [("m", unit_vector(2))])
        assert store.finish_reindex(other)
        writer.put([make_memory("later", "a pear")])
        with pytest.raises(EmbedderMismatchError, match="reindex"):
            writer.add_vectors([("later", unit_vector(1))])
        with pytest.raises(EmbedderMismatchError):
            writer.nearest(ADA, Where(), unit_vector(1), 1)
        with pytest.raises(EmbedderMismatchError):
            writer.cosines(ADA, ["m"], unit_vector(1))
        assert [hit.id for hit in writer.match_text(ADA, Where(), ["pear"], 1)] == ["later"]
        assert [name for name, _ in store.unencoded(9)] == ["later"]
        store.add_vectors([("later", unit_vector(3))])
        found = {hit.id: hit.score for hit in store.nearest(ADA, Where(), unit_vector(2), 9)}
        assert found["m"] == pytest.approx(1)
        assert set(found) == {"m", "later"}
        assert store.check()["problems"] == []
        writer.close()

    def test_beginning_with_a_third_embedder_gives_the_second_up(self, store: Store) -> None:
        store.claim_index(INFO)
        store.put([make_memory("m")])
        store.add_vectors([("m", unit_vector(0))])
        second = IndexInfo(model="second", dimension=4, relevance=0.5, same_subject=0.7)
        third = IndexInfo(model="third", dimension=4, relevance=0.5, same_subject=0.7)
        with pytest.raises(ConfigurationError, match="begin_reindex"):
            store.add_reindexed(second, [("m", unit_vector(1, 4))])
        store.begin_reindex(second)
        store.add_reindexed(second, [("m", unit_vector(1, 4))])
        assert store.begin_reindex(second) == 0
        assert store.begin_reindex(third) == 1
        for late in (
            lambda: store.unindexed(second, 1),
            lambda: store.add_reindexed(second, [("m", unit_vector(1, 4))]),
            lambda: store.finish_reindex(second),
        ):
            with pytest.raises(ConfigurationError, match="begin_reindex"):
                late()
        store.add_reindexed(third, [("m", unit_vector(2, 4))])
        assert store.finish_reindex(third)
        assert store.index_info() == third
        assert store.nearest(ADA, Where(), unit_vector(2, 4), 1)[0].score == pytest.approx(1)
        assert store.check()["problems"] == []
