"""The contract of `EventStore`: the outbox, the gate's counts, reports and the audit log."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.errors import NotFoundError, ScopeError, StaleError
from hindsight_core.events import RunEnded, ToolCalled
from hindsight_core.ports import AuditEntry, PutResult, Store
from hindsight_core.schema import Scope, ToolCall
from hindsight_core.testing._contract_base import ContractBase, drawn, fresh_scope
from hindsight_core.testing.samples import (
    NOW,
    make_call_record,
    make_memory,
    make_said,
    scopes,
    storable_texts,
)

__all__ = ["EventsContract"]

ADA = Scope(user="ada")
BOB = Scope(user="bob")


class EventsContract(ContractBase):
    """What holds of events, counts and reports in every store."""

    @drawn
    @given(texts=st.lists(storable_texts(), min_size=1, max_size=5))
    def test_events_come_back_as_they_were_in_the_order_of_arrival(
        self, store: Store, texts: list[str]
    ) -> None:
        scope = fresh_scope()
        said = [
            make_said(f"k{n}", scope.tenant, scope, text=text, at=NOW - timedelta(hours=n))
            for n, text in enumerate(texts)
        ]
        called = ToolCalled(
            run_id=scope.tenant,
            scope=scope,
            key="call",
            at=NOW,
            call=ToolCall(tool="t", args={"a": texts}, signature="s", shape="h"),
        )
        for event in (*said, called):
            assert store.append(event, owner="p")
        assert store.events(scope.tenant) == [*said, called]

    def test_an_event_is_rewritten_only_where_it_is_there(self, store: Store) -> None:
        first, second = make_said("k", text="my word is tango"), make_said("l", text="as it was")
        for event in (first, second):
            assert store.append(event, owner="p")
        covered = first.model_copy(update={"text": "my word is [redacted:password]"})
        absent = make_said("m", text="never recorded")
        of_another = make_said("l", "another run", text="not this one")
        assert store.rewrite([covered, absent, of_another]) == 1
        assert store.events("run") == [covered, second]
        assert store.events("another run") == []

    def test_a_second_event_of_the_same_key_is_dropped(self, store: Store) -> None:
        assert store.append(make_said("k", text="first"), owner="p")
        assert not store.append(make_said("k", text="second"), owner="p")
        assert not store.append(make_said("k", "another run", text="third"), owner="p")
        assert store.events("run") == [make_said("k", text="first")]
        assert store.events("another run") == []
        assert [run.pending for run in store.runs()] == [1]

    def test_events_that_are_appended_together_are_stored_all_or_none(self, store: Store) -> None:
        first, second = make_said("k"), make_said("l")
        assert store.append_all([(first, "p"), (second, "q"), (first, "p")]) == [True, True, False]
        with pytest.raises(ScopeError):
            store.append_all([(make_said("m"), "p"), (make_said("n", scope=BOB), "p")])
        assert store.events("run") == [first, second]
        assert store.append_all([]) == []

    def test_the_same_key_in_another_scope_or_session_is_another_event(self, store: Store) -> None:
        others = [ADA, Scope(user="ada", session="s"), Scope(user="ada", session="t"), BOB]
        for number, scope in enumerate(others):
            assert store.append(make_said("k", f"run{number}", scope), owner="p")

    def test_a_run_belongs_to_one_user(self, store: Store) -> None:
        store.append(make_said("k"), owner="p")
        store.append(make_said("k", scope=Scope(user="ada", agent="sub")), owner="p")
        with pytest.raises(ScopeError, match="another user"):
            store.append(make_said("k2", scope=BOB), owner="p")
        assert len(store.events("run")) == 2

    def test_runs_are_listed_oldest_first_with_what_is_pending(self, store: Store) -> None:
        late, early = NOW + timedelta(hours=1), NOW
        store.append(make_said("a", "late", at=late), owner="one")
        store.append(make_said("b", "early", BOB, at=early), owner="two")
        store.append(RunEnded(run_id="early", scope=BOB, key="end", at=late, ok=True), owner="two")
        first, second = store.runs()
        assert (first.run_id, first.scope, first.owner) == ("early", BOB, "two")
        assert (first.first_at, first.last_at) == (early, late)
        assert (first.pending, first.ended, second.pending, second.ended) == (2, True, 1, False)
        assert [run.run_id for run in store.runs(limit=1)] == ["early"]
        store.settle("early", through=2, memories=[], calls=[])
        assert [run.run_id for run in store.runs()] == ["late"]
        assert [run.run_id for run in store.runs(pending_only=False)] == ["early", "late"]

    def test_settling_marks_the_first_events_and_leaves_later_ones(self, store: Store) -> None:
        for number in range(3):
            store.append(make_said(f"k{number}"), owner="p")
        store.settle("run", through=2, memories=[], calls=[])
        assert store.runs()[0].pending == 1
        store.settle("run", through=1, memories=[], calls=[])
        assert store.runs()[0].pending == 1
        assert len(store.events("run")) == 3

    def test_settling_stores_memories_as_put_does(self, store: Store) -> None:
        store.append(make_said("k"), owner="p")
        store.put([make_memory("known", dedupe_key="d")])
        results = store.settle(
            "run",
            through=1,
            memories=[make_memory("new"), make_memory("twin", dedupe_key="d")],
            calls=[make_call_record("k", ok=False, memory_id="twin")],
        )
        assert results == [PutResult(id="new", created=True), PutResult(id="known", created=False)]
        assert store.call_stats(ADA, signature="signature")[0].memory_id == "known"

    def test_a_settlement_that_fails_changes_nothing(self, store: Store) -> None:
        store.append(make_said("k"), owner="p")
        store.put([make_memory("m")])
        with pytest.raises(StaleError):
            store.settle(
                "run",
                through=1,
                memories=[make_memory("new"), make_memory("m", revision=9)],
                calls=[make_call_record("k", ok=False)],
            )
        assert store.runs()[0].pending == 1
        assert store.get(ADA, ["new"]) == []
        assert store.call_stats(ADA, signature="signature") == []

    def test_a_run_that_is_not_there_cannot_be_settled(self, store: Store) -> None:
        with pytest.raises(NotFoundError, match="nowhere"):
            store.settle("nowhere", through=1, memories=[make_memory("m")], calls=[])
        assert store.count() == {}

    def test_settling_a_run_twice_counts_its_calls_once(self, store: Store) -> None:
        store.append(make_said("k"), owner="p")
        calls = [make_call_record("k1", ok=False), make_call_record("k2", ok=False)]
        for _ in range(3):
            store.settle("run", through=1, memories=[], calls=calls)
        assert store.call_stats(ADA, signature="signature")[0].failures == 2
        store.settle("run", through=1, memories=[], calls=[*calls, make_call_record("k3", ok=True)])
        (stats,) = store.call_stats(ADA, signature="signature")
        assert (stats.failures, stats.successes) == (0, 1)

    @drawn
    @given(data=st.data())
    def test_failures_are_counted_since_the_last_success_of_the_user(
        self, store: Store, data: st.DataObject
    ) -> None:
        tenant = fresh_scope().tenant
        outcomes = data.draw(
            st.lists(st.tuples(scopes(tenant), st.sampled_from("xy"), st.booleans()), max_size=12)
        )
        failures: dict[tuple[str, str], int] = {}
        successes: dict[tuple[str, str], int] = {}
        for number, (scope, situation, ok) in enumerate(outcomes):
            run = f"{tenant}-{number}"
            store.append(make_said(run, run, scope), owner="p")
            call = make_call_record(
                "k", ok=ok, scope=scope, minutes=number, situation=situation, run_id=run
            )
            store.settle(run, through=1, memories=[], calls=[call])
            key = (scope.user, situation)
            failures[key] = 0 if ok else failures.get(key, 0) + 1
            successes[key] = successes.get(key, 0) + ok
        for user in {user for user, _ in failures}:
            for found in (
                store.call_stats(Scope(user=user, tenant=tenant), signature="signature"),
                store.call_stats(Scope(user=user, tenant=tenant), shape="shape"),
            ):
                counted = {s.situation: (s.failures, s.successes) for s in found}
                assert counted == {
                    situation: (failures[u, situation], successes[u, situation])
                    for u, situation in failures
                    if u == user
                }

    def test_counts_tell_the_last_failure_and_the_last_success(self, store: Store) -> None:
        store.append(make_said("k"), owner="p")
        calls = [
            make_call_record("1", ok=False, minutes=1, error_class="timeout", transient=True),
            make_call_record("2", ok=True, minutes=2),
            make_call_record("3", ok=False, minutes=3, memory_id="lesson"),
            make_call_record("4", ok=False, minutes=4),
        ]
        store.settle("run", through=1, memories=[], calls=calls)
        (stats,) = store.call_stats(ADA, signature="signature")
        assert (stats.failures, stats.successes, stats.tool) == (2, 1, "tool")
        assert (stats.error_class, stats.transient) == ("validation", False)
        assert stats.memory_id == "lesson"
        assert stats.last_failure_at == NOW + timedelta(minutes=4)
        assert stats.last_success_at == NOW + timedelta(minutes=2)

    def test_a_failure_from_before_a_success_is_not_counted_since_it(self, store: Store) -> None:
        store.append(make_said("k"), owner="p")
        late = [make_call_record("1", ok=True, minutes=5), make_call_record("2", ok=False)]
        store.settle("run", through=1, memories=[], calls=late)
        (stats,) = store.call_stats(ADA, signature="signature")
        assert (stats.failures, stats.successes) == (0, 1)

    def test_nothing_is_known_of_a_call_that_was_never_made(self, store: Store) -> None:
        assert store.call_stats(ADA, signature="never") == []
        assert store.call_stats(ADA, shape="never") == []

    def test_judged_runs_that_ended_are_pruned_and_others_stay(self, store: Store) -> None:
        for run, ended in (("done", True), ("open", False), ("pending", True), ("young", True)):
            at = NOW + timedelta(days=1 if run == "young" else 0)
            store.append(make_said(run, run, at=at), owner="p")
            if ended:
                end = RunEnded(run_id=run, scope=ADA, key=f"{run}-end", at=at)
                store.append(end, owner="p")
            store.settle(run, through=1 if run == "pending" else 2, memories=[], calls=[])
        assert store.prune_events(before=NOW + timedelta(hours=1)) == 2
        kept = {run.run_id for run in store.runs(pending_only=False)}
        assert kept == {"open", "pending", "young"}

    def test_recall_reports_are_seen_by_their_scope_only(self, store: Store) -> None:
        inner = Scope(user="ada", agent="a")
        store.save_recall(ADA, "r1", "run", '{"n": 1, "text": "好"}')
        store.save_recall(ADA, "r2", "run", '{"n": 2}')
        store.save_recall(inner, "r3", "run", '{"n": 3}')
        assert store.load_recalls(ADA, recall_id="r1") == ['{"n": 1, "text": "好"}']
        assert len(store.load_recalls(ADA, run_id="run")) == 2
        assert len(store.load_recalls(inner, run_id="run")) == 3
        assert store.load_recalls(BOB, run_id="run") == []
        store.save_recall(ADA, "r1", "run", '{"n": 9}')
        assert store.load_recalls(ADA, recall_id="r1") == ['{"n": 9}']

    def test_the_audit_log_tells_newest_first(self, store: Store) -> None:
        entries = [
            AuditEntry(at=NOW, actor="guard", action=f"act{n}", subject="m", detail="为什么")
            for n in range(3)
        ]
        for entry in entries:
            store.audit(entry)
        assert store.audit_log() == entries[::-1]
        assert store.audit_log(limit=1) == [entries[2]]
        assert store.check()["problems"] == []
