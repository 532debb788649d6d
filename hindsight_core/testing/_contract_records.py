"""The contract of `MemoryStore`: storing, replacing, listing, counting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.errors import InvalidMemoryError, StaleError
from hindsight_core.ports import PutResult, Store, Where
from hindsight_core.schema import Kind, Scope, Status
from hindsight_core.testing._contract_base import ContractBase, drawn, fresh_scope
from hindsight_core.testing.samples import NOW, ODD_TEXTS, make_memory, memories, scopes

__all__ = ["RecordsContract"]

ANY = Where(statuses=(), include_superseded=True)
ADA = Scope(user="ada")
WRITES: tuple[Callable[[Store], object], ...] = (
    lambda store: store.put([make_memory("new")]),
    lambda store: store.put([make_memory("m", "changed", revision=1)]),
    lambda store: store.touch(ADA, ["m"], at=NOW),
    lambda store: store.delete(ADA, ["m"]),
    lambda store: store.erase(ADA, at=NOW),
)


class RecordsContract(ContractBase):
    """What holds of records in every store."""

    @drawn
    @given(data=st.data())
    def test_a_memory_comes_back_as_it_was_stored(self, store: Store, data: st.DataObject) -> None:
        scope = fresh_scope()
        memory = data.draw(memories(f"{scope.tenant}-m", scope))
        assert store.put([memory]) == [PutResult(id=memory.id, created=True)]
        assert store.get(scope, [memory.id]) == [memory]
        assert store.select(scope, ANY) == [memory]

    @pytest.mark.parametrize("text", ODD_TEXTS)
    def test_odd_text_comes_back_unchanged(self, store: Store, text: str) -> None:
        store.put([make_memory("m", text, query=text, subject=text, entities=(text,))])
        (back,) = store.get(ADA, ["m"])
        assert (back.content, back.query, back.key.entities) == (text, text, (text,))

    def test_a_lone_surrogate_is_refused_and_nothing_of_the_batch_is_stored(
        self, store: Store
    ) -> None:
        with pytest.raises(InvalidMemoryError, match="clean"):
            store.put([make_memory("good"), make_memory("bad", "half \ud83d of an emoji")])
        assert store.count() == {}

    @drawn
    @given(data=st.data())
    def test_a_scope_sees_what_it_sees_and_nothing_else(
        self, store: Store, data: st.DataObject
    ) -> None:
        tenant = fresh_scope().tenant
        owners = data.draw(st.lists(scopes(tenant), min_size=1, max_size=6))
        asking = data.draw(scopes(tenant))
        stored = [make_memory(f"{tenant}-{n}", "shared words", o) for n, o in enumerate(owners)]
        store.put(stored)
        visible = {m.id for m in stored if asking.sees(m.scope)}
        everything = [m.id for m in stored]
        assert {m.id for m in store.get(asking, everything)} == visible
        assert {m.id for m in store.select(asking, ANY)} == visible
        assert {h.id for h in store.match_text(asking, ANY, ["share", "word"], 9)} == visible
        assert sum(store.count(asking).values()) == len(visible)
        assert store.term_counts(asking, ["word"]).holding.get("word", 0) >= len(visible)
        store.touch(asking, everything, at=NOW)
        owned = [m for owner in set(owners) for m in store.select(owner, ANY)]
        assert {m.id for m in owned if m.references} == visible
        assert store.delete(asking, everything, wipe=False) == len(visible)
        left = {m.id for owner in owners for m in store.select(owner, ANY)}
        assert left == set(everything) - visible

    def test_a_second_memory_of_the_same_dedupe_key_is_not_stored(self, store: Store) -> None:
        store.put([make_memory("one", dedupe_key="key")])
        twins = [make_memory("two", dedupe_key="key"), make_memory("three", dedupe_key="key")]
        assert store.put(twins) == [PutResult(id="one", created=False)] * 2
        assert [m.id for m in store.select(ADA, ANY)] == ["one"]

    def test_the_same_dedupe_key_in_another_scope_is_another_memory(self, store: Store) -> None:
        for number, scope in enumerate((ADA, Scope(user="ada", agent="a"), Scope(user="bob"))):
            (result,) = store.put([make_memory(f"m{number}", scope=scope, dedupe_key="key")])
            assert result.created

    def test_an_empty_dedupe_key_is_no_key(self, store: Store) -> None:
        assert all(result.created for result in store.put([make_memory("a"), make_memory("b")]))

    def test_find_knows_the_keys_of_exactly_one_scope(self, store: Store) -> None:
        inner = Scope(user="ada", agent="a")
        store.put([make_memory("outer", dedupe_key="k"), make_memory("x", dedupe_key="")])
        store.put([make_memory("inner", scope=inner, dedupe_key="k", status=Status.ARCHIVED)])
        assert [m.id for m in store.find(ADA, ["k", "none", ""])] == ["outer"]
        assert [m.id for m in store.find(inner, ["k"])] == ["inner"]
        assert store.find(Scope(user="bob"), ["k"]) == []

    def test_a_replacement_needs_the_next_revision(self, store: Store) -> None:
        store.put([make_memory("m", "old")])
        for revision in (0, 2, 9):
            with pytest.raises(StaleError, match="revision"):
                store.put([make_memory("m", "new", revision=revision)])
        assert store.put([make_memory("m", "new", revision=1)]) == [
            PutResult(id="m", created=False)
        ]
        assert [m.content for m in store.get(ADA, ["m"])] == ["new"]

    def test_a_stale_replacement_stores_nothing_of_its_batch(self, store: Store) -> None:
        store.put([make_memory("m", "old")])
        with pytest.raises(StaleError):
            store.put([make_memory("first"), make_memory("m", "new", revision=7)])
        assert [m.content for m in store.select(ADA, ANY)] == ["old"]

    def test_a_replacement_leaves_the_references_that_were_counted(self, store: Store) -> None:
        store.put([make_memory("m", references=3)])
        store.touch(ADA, ["m"], at=NOW)
        store.put([make_memory("m", revision=1)])
        (memory,) = store.get(ADA, ["m"])
        assert (memory.references, memory.last_referenced_at) == (4, NOW)

    def test_a_record_of_another_user_is_never_replaced(self, store: Store) -> None:
        store.put([make_memory("m", "hers")])
        with pytest.raises(InvalidMemoryError, match="another user"):
            store.put([make_memory("m", "his", Scope(user="bob"), revision=1)])
        assert [m.content for m in store.get(ADA, ["m"])] == ["hers"]

    def test_get_keeps_the_order_asked_for_and_leaves_out_what_is_not_there(
        self, store: Store
    ) -> None:
        store.put([make_memory(name) for name in "abc"])
        assert [m.id for m in store.get(ADA, ["c", "x", "a", "c"])] == ["c", "a"]
        assert store.get(ADA, []) == []

    def test_select_lists_newest_first_and_in_pages(self, store: Store) -> None:
        store.put([make_memory(f"m{n}", created_at=NOW + timedelta(days=n % 4)) for n in range(8)])
        names = [m.id for m in store.select(ADA, ANY)]
        assert names == ["m7", "m3", "m6", "m2", "m5", "m1", "m4", "m0"]
        pages = [store.select(ADA, ANY, limit=3, offset=start) for start in (0, 3, 6, 9)]
        assert [m.id for page in pages for m in page] == names

    @pytest.mark.parametrize(
        ("matching", "other", "where"),
        [
            ({"kind": Kind.LESSON}, {}, Where(kinds=(Kind.LESSON, Kind.PATH))),
            ({"status": Status.QUARANTINED}, {}, Where(statuses=(Status.QUARANTINED,))),
            ({}, {"status": Status.ARCHIVED}, Where()),
            ({}, {"superseded_by": "x"}, Where()),
            ({"entities": ("Stripe", "x")}, {"entities": ("y",)}, Where(entities=("stripe", "z"))),
            ({"subject": "Language"}, {"subject": "Style"}, Where(subject="language")),
            ({"subject": "Tone"}, {"subject": "Style"}, Where(subject=("language", "tone"))),
            ({"task_type": "refund"}, {"task_type": "book"}, Where(task_type="refund")),
            (
                {"tool_sequence": ("a", "b", "c")},
                {"tool_sequence": ("a", "c")},
                Where(tool_sequence=("b", "a")),
            ),
            (
                {"time": NOW + timedelta(days=3)},
                {"time": NOW},
                Where(since=NOW + timedelta(days=1)),
            ),
            ({}, {"time": NOW + timedelta(microseconds=1)}, Where(since=NOW, until=NOW)),
            (
                {"time": NOW - timedelta(days=3)},
                {"created_at": NOW},
                Where(until=NOW - timedelta(days=1)),
            ),
        ],
    )
    def test_a_hard_filter_lets_through_what_it_names(
        self, store: Store, matching: dict[str, Any], other: dict[str, Any], where: Where
    ) -> None:
        store.put([make_memory("yes", "same words", **matching)])
        store.put([make_memory("no", "same words", **other)])
        assert [m.id for m in store.select(ADA, where)] == ["yes"]
        assert [h.id for h in store.match_text(ADA, where, ["same", "word"], 9)] == ["yes"]
        assert {m.id for m in store.select(ADA, ANY)} == {"yes", "no"}

    def test_touch_counts_one_reference_each_and_never_turns_the_clock_back(
        self, store: Store
    ) -> None:
        store.put([make_memory("a"), make_memory("b")])
        store.touch(ADA, ["a", "b"], at=NOW + timedelta(hours=1))
        store.touch(ADA, ["a", "a", "unknown"], at=NOW)
        counted = {m.id: (m.references, m.last_referenced_at) for m in store.select(ADA, ANY)}
        assert counted == {"a": (2, NOW + timedelta(hours=1)), "b": (1, NOW + timedelta(hours=1))}

    def test_records_are_counted_by_kind_and_status(self, store: Store) -> None:
        store.put([make_memory("a"), make_memory("b"), make_memory("c", kind=Kind.PATH)])
        store.put([make_memory("d", scope=Scope(user="bob"), status=Status.ARCHIVED)])
        assert store.count(ADA) == {"fact/active": 2, "path/active": 1}
        assert store.count() == {"fact/active": 2, "path/active": 1, "fact/archived": 1}

    @pytest.mark.parametrize("write", WRITES, ids=("insert", "replace", "touch", "delete", "erase"))
    def test_the_change_counter_grows_with_every_write(
        self, store: Store, write: Callable[[Store], object]
    ) -> None:
        store.put([make_memory("m")])
        again = self.open_again(store)
        before = again.change_counter()
        write(store)
        assert again.change_counter() > before
        again.close()
