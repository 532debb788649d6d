"""The contract of `GuardStore`: the guard's own records, and what is derived from what."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hindsight_core.errors import InvalidMemoryError
from hindsight_core.ports import Store
from hindsight_core.ports_guard import GuardRecord
from hindsight_core.schema import Scope, Status
from hindsight_core.testing._contract_base import ContractBase
from hindsight_core.testing.samples import NOW, make_memory

__all__ = ["GuardContract"]

ADA, BOB = Scope(user="ada"), Scope(user="bob")
INNER = Scope(user="ada", agent="writer", session="monday")
ABROAD = Scope(user="ada", tenant="other")


def _record(record_id: str, scope: Scope = ADA, kind: str = "note", **fields: str) -> GuardRecord:
    return GuardRecord(id=record_id, scope=scope, kind=kind, at=NOW, **fields)


class GuardContract(ContractBase):
    """What holds of the guard's records in every store."""

    def test_a_record_comes_back_as_it_was_kept(self, store: Store) -> None:
        record = GuardRecord(
            id="r", scope=INNER, kind="note", at=NOW, about="m", body='{"内容": "👩🏽‍💻"}'
        )
        store.keep([record])
        assert store.kept("note", tenant="default") == [record]

    def test_records_are_listed_newest_first_by_kind_user_and_tenant(self, store: Store) -> None:
        store.keep([_record("a"), _record("b", INNER), _record("c", BOB), _record("d", ABROAD)])
        store.keep([_record("e", kind="other")])
        ids = [record.id for record in store.kept("note", tenant="default")]
        assert ids == ["c", "b", "a"]
        assert [r.id for r in store.kept("note", tenant="default", user="ada")] == ["b", "a"]
        assert [r.id for r in store.kept("note", tenant="default", limit=1)] == ["c"]
        assert [r.id for r in store.kept("note", tenant="other")] == ["d"]
        assert store.kept("note", tenant="nobody") == []
        assert [r.id for r in store.kept("note", tenant=None)] == ["d", "c", "b", "a"]

    def test_a_record_is_replaced_by_id_and_never_that_of_another_user(self, store: Store) -> None:
        store.keep([_record("a", body='{"n": 1}')])
        store.keep([_record("a", body='{"n": 2}')])
        assert [r.body for r in store.kept("note", tenant="default")] == ['{"n": 2}']
        for thief in (BOB, ABROAD):
            with pytest.raises(InvalidMemoryError, match="another user"):
                store.keep([_record("a", thief)])
        assert [r.scope for r in store.kept("note", tenant="default")] == [ADA]

    def test_records_are_dropped_inside_one_tenant(self, store: Store) -> None:
        store.keep([_record("a"), _record("b", ABROAD)])
        assert store.drop(["a", "b", "none"], tenant="default") == 1
        assert store.kept("note", tenant="default") == []
        assert len(store.kept("note", tenant="other")) == 1

    def test_erasing_a_scope_erases_its_records(self, store: Store) -> None:
        store.keep([_record("a"), _record("b", INNER), _record("c", BOB)])
        receipt = store.erase(ADA, at=NOW + timedelta(1))
        assert not any(receipt.remaining.values())
        assert [r.id for r in store.kept("note", tenant="default")] == ["c"]

    def test_deleting_a_memory_deletes_what_is_kept_about_it(self, store: Store) -> None:
        store.put([make_memory("m"), make_memory("n"), make_memory("o", scope=BOB)])
        store.keep([_record("a", about="m"), _record("b", about="n")])
        assert store.delete(ADA, ["m", "o"]) == 1
        assert [r.id for r in store.kept("note", tenant="default")] == ["b"]

    def test_the_scopes_that_hold_a_status_are_named(self, store: Store) -> None:
        store.put([make_memory("a"), make_memory("b", scope=BOB, status=Status.QUARANTINED)])
        store.put([make_memory("c", scope=ABROAD, status=Status.QUARANTINED)])
        store.put([make_memory("d", scope=INNER, status=Status.QUARANTINED)])
        assert store.scopes_holding(Status.QUARANTINED) == [BOB, ABROAD, INNER]
        assert store.scopes_holding(Status.QUARANTINED, tenant="default") == [BOB, INNER]
        assert store.scopes_holding(Status.ARCHIVED) == []

    def test_what_was_derived_is_found_at_any_remove_and_of_one_user(self, store: Store) -> None:
        store.put(
            [
                make_memory("root", '"lineage":[]'),
                make_memory("child", scope=INNER, lineage=("x", "root")),
                make_memory("grandchild", lineage=("child",)),
                make_memory("other", lineage=("x",)),
                make_memory("foreign", scope=BOB, lineage=("root",)),
            ]
        )
        assert set(store.derived(ADA, ["root"])) == {"child", "grandchild"}
        assert set(store.derived(INNER, ["child"])) == {"grandchild"}
        assert store.derived(BOB, ["child"]) == []
        assert store.derived(ADA, []) == []
