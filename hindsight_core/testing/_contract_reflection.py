"""The contract of `ReflectionStore`: the queue of runs, and the budget that processes share."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hindsight_core.errors import StaleError
from hindsight_core.events import RunEnded, RunStarted
from hindsight_core.ports import Store
from hindsight_core.ports_reflection import Spent
from hindsight_core.schema import Scope
from hindsight_core.testing._contract_base import ContractBase
from hindsight_core.testing.samples import NOW, make_memory, make_said

__all__ = ["ReflectionContract"]

ADA = Scope(user="ada")
_HOUR = timedelta(hours=1)


def _run(store: Store, run_id: str, *, ended: bool = True, judged: bool = True) -> None:
    events = 1
    store.append(make_said(f"said in {run_id}", run_id), owner="p")
    if ended:
        events += 1
        end = RunEnded(run_id=run_id, scope=ADA, key=f"end of {run_id}", at=NOW, ok=True)
        store.append(end, owner="p")
    if judged:
        store.settle(run_id, through=events, memories=[], calls=[])


def _waiting(store: Store) -> list[str]:
    return [run.run_id for run in store.unreflected(100)]


class ReflectionContract(ContractBase):
    """What holds of reflection in every store."""

    def test_only_runs_that_have_ended_and_are_judged_wait(self, store: Store) -> None:
        _run(store, "over")
        _run(store, "goes on", ended=False)
        _run(store, "not judged", judged=False)
        assert _waiting(store) == ["over"]

    def test_a_run_is_taken_off_the_queue_with_what_it_taught_or_not_at_all(
        self, store: Store
    ) -> None:
        _run(store, "a")
        _run(store, "b")
        (result,) = store.reflect(["a"], [make_memory("m", "a pear")], at=NOW)
        assert result.created
        assert _waiting(store) == ["b"]
        with pytest.raises(StaleError):
            store.reflect(["b", "a"], [make_memory("n", "an apple")], at=NOW)
        assert _waiting(store) == ["b"]
        assert store.get(ADA, ["n"]) == []

    def test_a_memory_that_changed_meanwhile_leaves_the_runs_on_the_queue(
        self, store: Store
    ) -> None:
        store.put([make_memory("m", "a pear")])
        _run(store, "a")
        stale = make_memory("m", "a plum").model_copy(update={"revision": 7})
        with pytest.raises(StaleError):
            store.reflect(["a"], [stale], at=NOW)
        assert _waiting(store) == ["a"]

    def test_the_runs_of_a_session_are_found_by_its_exact_name_and_scope(
        self, store: Store
    ) -> None:
        def begin(run_id: str, scope: Scope, session: str | None) -> None:
            started = RunStarted(
                run_id=run_id, scope=scope, key=f"start of {run_id}", at=NOW, session=session
            )
            store.append(started, owner="p")

        odd = 'a_%\\"会话'
        begin("one", ADA, odd)
        begin("two", ADA.model_copy(update={"session": odd}), None)
        begin("near", ADA, 'axx\\"会话')
        begin("bob's", Scope(user="bob"), odd)
        begin("an agent's", ADA.model_copy(update={"agent": "x"}), odd)
        store.append(make_said(f'"session":"{odd}"', "says so"), owner="p")
        assert [run.run_id for run in store.session_runs(ADA, odd)] == ["one", "two"]
        seen = store.session_runs(Scope(user="ada", agent="x"), odd)
        assert [run.run_id for run in seen] == ["one", "two", "an agent's"]
        assert store.session_runs(ADA, "none") == []

    def test_erasing_a_user_takes_the_marks_along(self, store: Store) -> None:
        _run(store, "a")
        store.reflect(["a"], [], at=NOW)
        store.erase(ADA, at=NOW)
        assert _waiting(store) == []
        store.reflect(["a"], [], at=NOW)  # there is no mark of a run that is not there

    def test_a_budget_is_never_exceeded_and_frees_itself_with_time(self, store: Store) -> None:
        most = Spent(calls=2, tokens=100)

        def spend(tokens: int, minutes: int) -> bool:
            at = NOW + timedelta(minutes=minutes)
            return store.spend(at=at, since=at - _HOUR, tokens=tokens, most=most)

        assert spend(60, 0)
        assert not spend(41, 1)
        assert spend(40, 2)
        assert not spend(0, 3)
        assert store.spent(NOW) == Spent(calls=2, tokens=100)
        assert spend(60, 61)
        assert store.spent(NOW + timedelta(minutes=1)) == Spent(calls=2, tokens=100)

    def test_two_handles_share_one_queue_and_one_budget(self, store: Store) -> None:
        other = self.open_again(store)
        try:
            _run(store, "a")
            other.reflect(["a"], [], at=NOW)
            with pytest.raises(StaleError):
                store.reflect(["a"], [], at=NOW)
            most = Spent(calls=1, tokens=10)
            assert store.spend(at=NOW, since=NOW - _HOUR, tokens=1, most=most)
            assert not other.spend(at=NOW, since=NOW - _HOUR, tokens=1, most=most)
        finally:
            other.close()
