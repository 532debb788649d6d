"""The contract of `LedgerStore` and `LeaseStore`: lines of the ledger, whose they are, leases."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.errors import StaleError
from hindsight_core.ports import Store
from hindsight_core.ports_ledger import MemoryUse, Verdict
from hindsight_core.schema import Scope
from hindsight_core.testing._contract_base import ContractBase, drawn, fresh_scope
from hindsight_core.testing.samples import NOW, make_memory, make_said, scopes

__all__ = ["LedgerContract"]

ADA = Scope(user="ada")
BOB = Scope(user="bob")


def _line(run_id: str = "run", memory_id: str = "m", **fields: Any) -> MemoryUse:
    made: dict[str, Any] = {"scope": ADA, "verdict": Verdict.TAKEN, "good": True}
    made |= {"at": NOW, "events": 1}
    return MemoryUse(run_id=run_id, memory_id=memory_id, **(made | fields))


def _settle(store: Store, *lines: MemoryUse) -> None:
    for line in lines:
        store.append(make_said(line.run_id, line.run_id, line.scope), owner="p")
        store.settle(line.run_id, through=1, memories=[], calls=[], uses=[line])


class LedgerContract(ContractBase):
    """What holds of the ledger in every store."""

    @drawn
    @given(data=st.data())
    def test_a_line_of_the_ledger_comes_back_to_its_user_alone(
        self, store: Store, data: st.DataObject
    ) -> None:
        tenant = fresh_scope().tenant
        scope = data.draw(scopes(tenant))
        line = _line(
            f"{tenant}-run",
            scope=scope,
            verdict=data.draw(st.sampled_from(Verdict)),
            good=data.draw(st.none() | st.booleans()),
            withheld=data.draw(st.booleans()),
            repeats=data.draw(st.integers(0, 9)),
            events=data.draw(st.integers(0, 99)),
        )
        _settle(store, line)
        other = data.draw(scopes(tenant))
        expected = [line] if other.user == scope.user else []
        assert list(store.uses(other, run_id=line.run_id)) == expected
        assert sum(count.runs for count in store.count_uses(other)) == len(expected)

    def test_a_line_takes_the_place_of_the_earlier_one_of_its_run_and_memory(
        self, store: Store
    ) -> None:
        first, second = _line(), _line(good=False, verdict=Verdict.NEITHER, events=4)
        other = _line("another run", at=NOW + timedelta(hours=1))
        _settle(store, first, other, second)
        assert list(store.uses(ADA)) == [second, other]
        assert list(store.uses(ADA, run_id="run")) == [second]
        assert list(store.uses(ADA, memory_id="m")) == [second, other]
        assert list(store.uses(ADA, memory_id="n")) == []

    def test_lines_are_counted_by_what_they_say(self, store: Store) -> None:
        lines = [
            _line("1"),
            _line("2"),
            _line("3", good=None),
            _line("4", withheld=True),
            _line("5", scope=BOB),
        ]
        _settle(store, *lines)
        counted = {(c.good, c.withheld): c.runs for c in store.count_uses(ADA)}
        assert counted == {(True, False): 2, (None, False): 1, (True, True): 1}
        assert sum(count.runs for count in store.count_uses()) == 5

    def test_the_ledger_goes_with_its_memory_and_with_its_scope(self, store: Store) -> None:
        inner = Scope(user="ada", agent="a")
        store.put([make_memory("m"), make_memory("n")])
        _settle(store, _line("1"), _line("2", "n"), _line("3", "n", scope=inner))
        store.delete(ADA, ["m"])
        assert [line.run_id for line in store.uses(ADA)] == ["2", "3"]
        store.erase(inner, at=NOW)
        assert [line.run_id for line in store.uses(ADA)] == ["2"]
        store.erase(ADA, at=NOW)
        assert list(store.uses(ADA)) == []
        assert list(store.count_uses()) == []

    def test_a_settlement_that_fails_leaves_the_ledger_as_it_was(self, store: Store) -> None:
        store.put([make_memory("m")])
        _settle(store, _line())
        with pytest.raises(StaleError):
            store.settle(
                "run",
                through=1,
                memories=[make_memory("m", revision=7)],
                calls=[],
                uses=[replace(_line(), good=False)],
            )
        assert list(store.uses(ADA)) == [_line()]

    def test_a_settlement_does_not_bring_back_what_was_erased_meanwhile(self, store: Store) -> None:
        store.put([make_memory("m")])
        store.append(make_said("k"), owner="p")
        store.delete(ADA, ["m"])
        with pytest.raises(StaleError):
            store.settle("run", through=1, memories=[make_memory("m", revision=1)], calls=[])
        assert store.get(ADA, ["m"]) == []
        assert store.runs()[0].pending == 1

    def test_a_lease_is_held_by_one_until_it_ends_or_is_given_back(self, store: Store) -> None:
        hour = timedelta(hours=1)
        never = NOW - timedelta(days=9)

        def take(owner: str, now: datetime, since: datetime = never) -> bool:
            return store.lease("work", owner, now=now, until=now + hour, since=since)

        assert take("a", NOW)
        assert not take("b", NOW + hour / 2)
        assert take("a", NOW + hour / 2)
        assert take("b", NOW + 2 * hour)
        store.release("work", "a", done_at=NOW + 2 * hour)
        assert not take("a", NOW + 2 * hour)
        store.release("work", "b", done_at=NOW + 2 * hour)
        assert not take("a", NOW + 3 * hour, since=NOW + hour)
        assert take("a", NOW + 3 * hour, since=NOW + 3 * hour)
        assert store.lease("another", "c", now=NOW, until=NOW + hour, since=never)
