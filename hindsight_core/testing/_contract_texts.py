"""The contract of text search and of erasure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.ports import Store, Where
from hindsight_core.schema import Context, Kind, Scope
from hindsight_core.testing._contract_base import ContractBase, drawn, fresh_scope
from hindsight_core.testing.samples import (
    NOW,
    make_call_record,
    make_memory,
    make_said,
    scopes,
    storable_texts,
)
from hindsight_core.text import clean, terms

__all__ = ["TextsContract"]

ANY = Where(statuses=(), include_superseded=True)
ADA = Scope(user="ada")


class TextsContract(ContractBase):
    """What holds of finding by words, and of forgetting, in every store."""

    @pytest.mark.parametrize(
        ("stored", "asked"),
        [
            ("I always book the window seats", "booking a window seat"),
            ("退款政策是三十天", "退款要多久"),
            ("請幫我改到下週二開會", "下週二"),
            ("ＡＰＩ version ２", "api 2"),
            ("the café in Zürich", "CAFÉ"),
        ],
    )
    def test_words_are_found_in_either_language(
        self, store: Store, stored: str, asked: str
    ) -> None:
        store.put([make_memory("hit", stored), make_memory("miss", "quite unrelated")])
        assert [h.id for h in store.match_text(ADA, Where(), terms(asked), 5)] == ["hit"]

    @drawn
    @given(text=storable_texts())
    def test_every_text_with_a_word_in_it_finds_itself(self, store: Store, text: str) -> None:
        scope = fresh_scope()
        store.put([make_memory(f"{scope.tenant}-m", text, scope)])
        cut = terms(clean(text))
        found = store.match_text(scope, ANY, cut, 5)
        assert [h.id for h in found] == ([f"{scope.tenant}-m"] if cut else [])
        assert all(h.coverage == pytest.approx(1) and h.score > 0 for h in found)

    def test_two_words_that_the_index_cannot_tell_apart_are_both_counted(
        self, store: Store
    ) -> None:
        store.put([make_memory("m", "a" * 70)])
        words = ["a" * 70, "a" * 80, "a" * 64]
        assert store.term_counts(ADA, words).holding == dict.fromkeys(words, 1)
        assert [hit.id for hit in store.match_text(ADA, Where(), words, 5)] == ["m"]

    def test_what_covers_more_of_the_rarer_words_ranks_first(self, store: Store) -> None:
        store.put([make_memory(f"common{n}", "the printer is broken") for n in range(8)])
        store.put([make_memory("half", "the scanner is broken")])
        store.put([make_memory("whole", "the scanner driver is broken")])
        first, second, *rest = store.match_text(ADA, Where(), terms("scanner driver broken"), 20)
        assert (first.id, second.id) == ("whole", "half")
        assert first.score > second.score > max(hit.score for hit in rest)
        assert first.coverage == pytest.approx(1)
        assert 1 > second.coverage > max(hit.coverage for hit in rest) > 0

    def test_a_word_that_nothing_holds_lowers_the_coverage(self, store: Store) -> None:
        store.put([make_memory("m", "printer")])
        (hit,) = store.match_text(ADA, Where(), ["printer", "unheard"], 5)
        assert 0 < hit.coverage < 1
        assert store.match_text(ADA, Where(), ["unheard"], 5) == []
        assert store.match_text(ADA, Where(), [], 5) == []

    def test_who_said_it_and_what_came_before_is_found_but_weighs_less(self, store: Store) -> None:
        said = Context(speaker="Melanie", said_at=NOW, before="shall we talk about pottery")
        store.put([make_memory("around", "yes I would love to", context=said)])
        store.put([make_memory("inside", "yes I would love pottery")])
        assert [h.id for h in store.match_text(ADA, Where(), terms("melanie"), 5)] == ["around"]
        hits = store.match_text(ADA, Where(), terms("pottery"), 5)
        assert [h.id for h in hits] == ["inside", "around"]

    def test_no_more_than_the_limit_comes_back(self, store: Store) -> None:
        store.put([make_memory(f"m{n}", "same words") for n in range(9)])
        assert len(store.match_text(ADA, Where(), terms("same words"), 4)) == 4

    def test_terms_are_counted_in_what_the_scope_sees(self, store: Store) -> None:
        store.put([make_memory("a", "apple pear"), make_memory("b", "apple")])
        store.put([make_memory("c", "apple", Scope(user="ada", agent="x"))])
        counts = store.term_counts(ADA, ["appl", "pear", "plum"])
        assert counts.holding["appl"] >= 2
        assert counts.holding["pear"] >= 1
        assert counts.total >= counts.holding["appl"]
        assert "plum" not in counts.holding

    def test_a_replacement_is_found_by_its_new_words_only(self, store: Store) -> None:
        store.put([make_memory("m", "old habits")])
        assert store.match_text(ADA, Where(), ["habit"], 5)
        store.put([make_memory("m", "fresh ideas", revision=1)])
        assert store.match_text(ADA, Where(), ["habit"], 5) == []
        assert [h.id for h in store.match_text(ADA, Where(), terms("ideas"), 5)] == ["m"]

    def test_what_another_process_wrote_is_found_at_once(self, store: Store) -> None:
        other = self.open_again(store)
        assert other.match_text(ADA, Where(), ["pear"], 5) == []
        store.put([make_memory("m", "a pear")])
        assert [h.id for h in other.match_text(ADA, Where(), ["pear"], 5)] == ["m"]
        store.delete(ADA, ["m"])
        assert other.match_text(ADA, Where(), ["pear"], 5) == []
        other.close()

    def test_deleting_takes_the_record_its_words_and_its_key(self, store: Store) -> None:
        store.put([make_memory("m", "a pear", dedupe_key="k"), make_memory("n", "a plum")])
        assert store.delete(ADA, ["m", "m", "unknown"]) == 1
        assert store.delete(ADA, ["m"]) == 0
        assert store.get(ADA, ["m"]) == []
        assert store.match_text(ADA, Where(), ["pear"], 5) == []
        assert store.put([make_memory("again", "a pear", dedupe_key="k")])[0].created

    def test_deleting_takes_the_recall_reports_that_name_the_record(self, store: Store) -> None:
        store.put([make_memory("m1"), make_memory("m2")])
        store.save_recall(ADA, "r1", "run", '{"candidates": [{"memory_id": "m1"}]}')
        store.save_recall(ADA, "r2", "run", '{"candidates": [{"memory_id": "m2"}]}')
        store.delete(ADA, ["m1"])
        assert store.load_recalls(ADA, recall_id="r1") == []
        assert len(store.load_recalls(ADA, recall_id="r2")) == 1

    @drawn
    @given(data=st.data())
    def test_erasing_a_scope_takes_what_is_inside_it_and_nothing_else(
        self, store: Store, data: st.DataObject
    ) -> None:
        tenant = fresh_scope().tenant
        owners = data.draw(st.lists(scopes(tenant), min_size=1, max_size=5, unique=True))
        gone = data.draw(scopes(tenant))
        for n, owner in enumerate(owners):
            store.put([make_memory(f"{tenant}-{n}", "words", owner)])
            store.append(make_said(f"{tenant}-{n}", f"{tenant}-{n}", owner), owner="p")
            store.save_recall(owner, f"{tenant}-{n}", f"{tenant}-{n}", "{}")
        inside = {
            n
            for n, owner in enumerate(owners)
            if owner.user == gone.user
            and gone.agent in (None, owner.agent)
            and gone.session in (None, owner.session)
        }
        receipt = store.erase(gone, at=NOW)
        assert not any(receipt.remaining.values())
        assert receipt.removed["memories"] == len(inside)
        assert (receipt.scope, receipt.at) == (gone, NOW)
        for n, owner in enumerate(owners):
            kept = 0 if n in inside else 1
            assert len(store.get(owner, [f"{tenant}-{n}"])) == kept
            assert len(store.events(f"{tenant}-{n}")) == kept
            assert len(store.load_recalls(owner, recall_id=f"{tenant}-{n}")) == kept

    def test_erasing_a_user_takes_his_call_counts_and_spares_those_of_others(
        self, store: Store
    ) -> None:
        for user in ("ada", "bob"):
            scope = Scope(user=user, agent="a", session="s")
            store.append(make_said("k", user, scope), owner="p")
            call = make_call_record("k", ok=False, scope=scope, run_id=user)
            store.settle(user, through=1, memories=[make_memory(user, "x", scope)], calls=[call])
        store.erase(ADA, at=NOW)
        assert store.call_stats(ADA, signature="signature") == []
        assert store.call_stats(Scope(user="bob"), signature="signature")[0].failures == 1
        assert store.count() == {f"{Kind.FACT}/active": 1}
        assert store.check()["problems"] == []

    def test_what_was_erased_may_be_learnt_again(self, store: Store) -> None:
        store.put([make_memory("m", "a pear", dedupe_key="k")])
        store.append(make_said("k"), owner="p")
        store.erase(ADA, at=NOW)
        assert store.append(make_said("k"), owner="p")
        assert store.put([make_memory("m", "a pear", dedupe_key="k")])[0].created
        assert [h.id for h in store.match_text(ADA, Where(), ["pear"], 5)] == ["m"]
