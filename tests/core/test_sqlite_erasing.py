"""What was forgotten is not in the file any more, nor in the log beside it."""

import random
import threading
from datetime import timedelta

import pytest

from hindsight_core.events import RunEnded, ToolCalled
from hindsight_core.ports import AuditEntry, IndexInfo, Where
from hindsight_core.schema import Context, Evidence, Scope, ToolCall
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import (
    NOW,
    make_call_record,
    make_memory,
    make_said,
    unit_vector,
)

ADA, BOB = Scope(user="ada-lovelace"), Scope(user="bob")
INNER = Scope(user="ada-lovelace", agent="writer", session="monday")


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "store.db")
    store.claim_index(IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7))
    yield store
    store.close()


def raw(store):
    """Everything that the store's files hold; the store is closed, for its locks' sake."""
    store.close()
    return b"".join(file.read_bytes() for file in store.path.parent.iterdir())


def live(store, scope, mark):
    """Put a mark into every place of the store that holds a text."""
    store.put(
        [
            make_memory(
                f"id{mark}{number}",
                f"content{mark} 内容{mark} number {number}",
                scope,
                query=f"query{mark}",
                subject=f"subject{mark}",
                entities=(f"entity{mark}",),
                tool_sequence=(f"tool{mark}",),
                task_type=f"task{mark}",
                dedupe_key=f"key{mark}{number}",
                context=Context(speaker=f"speaker{mark}", before=f"before{mark}"),
                evidence=(Evidence(run_id=f"run{mark}"),),
            )
            for number in range(3)
        ]
    )
    store.add_vectors([(f"id{mark}0", unit_vector(1))])
    store.append(make_said(f"say{mark}", f"run{mark}", scope, text=f"said{mark}"), owner="p")
    called = ToolCall(tool=f"called{mark}", args={"a": f"arg{mark}"}, signature="s", shape="h")
    event = ToolCalled(
        run_id=f"run{mark}", scope=scope, key=f"call{mark}", at=NOW, call=called, result=f"re{mark}"
    )
    store.append(event, owner="p")
    call = make_call_record(f"call{mark}", ok=False, scope=scope, signature=f"signature{mark}")
    store.settle(f"run{mark}", through=2, memories=[], calls=[call])
    store.save_recall(scope, f"recall{mark}", f"run{mark}", f'{{"memory_id":"id{mark}0"}}')


def churn(store, seed):
    """Write, replace and delete for a while, so that SQLite moves cells about."""
    chance, alive = random.Random(seed), {}
    for number in range(250):
        name = f"churn{seed}x{number}"
        if alive and chance.random() < 0.4:
            victim = chance.choice(sorted(alive))
            if chance.random() < 0.5:
                store.delete(BOB, [victim], wipe=False)
                del alive[victim]
            else:
                alive[victim] += 1
                text = "changed " * chance.randint(1, 90)
                store.put([make_memory(victim, text, BOB, revision=alive[victim])])
        else:
            store.put([make_memory(name, "filled " * chance.randint(1, 90), BOB)])
            alive[name] = 0


def test_erasing_a_user_leaves_no_trace_in_the_files(store):
    live(store, BOB, "KEPTMARK")
    churn(store, 1)
    for number, scope in enumerate((ADA, INNER)):
        live(store, scope, f"GONEMARK{number}")
        churn(store, 2 + number)
    receipt = store.erase(ADA, at=NOW)
    assert receipt.removed["memories"] == receipt.removed["texts"] == 6
    assert (receipt.removed["events"], receipt.removed["runs"]) == (4, 2)
    assert (receipt.removed["calls"], receipt.removed["recalls"]) == (2, 2)
    assert receipt.removed["vectors"] == 2
    assert not any(receipt.remaining.values())
    assert store.check()["problems"] == []
    left = raw(store).lower()
    for gone in (b"gonemark", b"ada-lovelace", b"writer", b"monday"):
        assert gone not in left
    for place in (b"content", b"query", b"entity", b"said", b"arg", b"signature", b"recall"):
        assert place + b"keptmark" in left


def test_erasing_an_agent_takes_his_scope_only(store):
    live(store, ADA, "WIDEMARK")
    live(store, INNER, "GONEMARK")
    store.erase(Scope(user="ada-lovelace", agent="writer"), at=NOW)
    left = raw(store).lower()
    assert b"gonemark" not in left
    assert b"contentwidemark" in left


def test_a_run_of_several_agents_counts_right_when_one_of_them_is_erased(store):
    scopes = [ADA, INNER, ADA, INNER, ADA]
    for number, scope in enumerate(scopes):
        store.append(make_said(f"k{number}", "run", scope), owner="p")
    store.settle("run", through=2, memories=[], calls=[])
    store.erase(INNER, at=NOW)
    assert [event.key for event in store.events("run")] == ["k0", "k2", "k4"]
    assert store.runs()[0].pending == 2
    assert store.check()["problems"] == []


def test_a_run_that_belongs_to_an_erased_agent_goes_with_all_its_events(store):
    for number, scope in enumerate((INNER, ADA)):
        store.append(make_said(f"k{number}", "run", scope), owner="p")
    assert store.erase(INNER, at=NOW).removed["events"] == 2
    assert store.events("run") == []
    assert store.check()["problems"] == []


def test_a_forgotten_memory_leaves_no_trace_in_the_files(store):
    live(store, ADA, "KEPTMARK")
    live(store, ADA, "GONEMARK")
    store.append(RunEnded(run_id="runGONEMARK", scope=ADA, key="end", at=NOW), owner="p")
    store.settle("runGONEMARK", through=3, memories=[], calls=[])
    churn(store, 5)
    assert store.delete(ADA, [f"idGONEMARK{number}" for number in range(3)]) == 3
    assert store.check()["problems"] == []
    left = raw(store).lower()
    for place in ("id", "content", "内容", "query", "subject", "entity", "speaker", "said", "arg"):
        assert f"{place}gonemark".encode() not in left
        assert f"{place}keptmark".encode() in left


def test_a_replayed_history_does_not_bring_back_what_was_forgotten(store):
    said = make_said("k", "run", ADA)
    end = RunEnded(run_id="run", scope=ADA, key="end", at=NOW)
    assert store.append(said, owner="p")
    assert store.append(end, owner="p")
    learnt = make_memory("m", scope=ADA, evidence=(Evidence(run_id="run"),))
    store.settle("run", through=2, memories=[learnt], calls=[])
    store.delete(ADA, ["m"])
    assert store.events("run") == []
    assert store.runs(pending_only=False) == []
    assert not store.append(said, owner="p")
    assert not store.append(end, owner="p")


def test_of_a_run_that_goes_on_only_what_was_said_and_judged_is_forgotten(store):
    for key in ("k1", "k2", "k3"):
        store.append(make_said(key, "run", ADA, text=f"said {key}", before="b"), owner="p")
    learnt = make_memory("m", scope=ADA, evidence=(Evidence(run_id="run"),))
    store.settle("run", through=2, memories=[learnt], calls=[])
    store.delete(ADA, ["m"])
    assert [event.text for event in store.events("run")] == ["", "", "said k3"]
    assert store.runs()[0].pending == 1


def test_another_users_run_of_the_same_name_is_not_touched(store):
    store.append(make_said("k", "run", BOB), owner="p")
    store.settle("run", through=1, memories=[], calls=[])
    store.put([make_memory("m", scope=ADA, evidence=(Evidence(run_id="run"),))])
    store.delete(ADA, ["m"])
    assert [event.text for event in store.events("run")] == ["said under k"]


def test_old_reports_of_recalls_make_room_for_new_ones(store, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._sql_reports._KEPT", 3)
    for number in range(6):
        store.save_recall(ADA, f"r{number}", "run", f'{{"n": {number}}}')
        store.save_recall(BOB, f"r{number}", "run", "{}")
    assert store.load_recalls(ADA, run_id="run") == ['{"n": 3}', '{"n": 4}', '{"n": 5}']


def free_pages(store):
    with store._database.exclusive() as connection:
        return connection.execute("PRAGMA freelist_count").fetchone()[0]


@pytest.mark.parametrize("forget", ["delete", "erase"])
def test_no_page_of_what_was_forgotten_stays_in_the_file(store, forget):
    store.put([make_memory(f"m{n}", "x" * 2_000, ADA) for n in range(100)])
    store.delete(ADA, ["m0"], wipe=False)
    store.delete(ADA, [f"m{n}" for n in range(1, 50)], wipe=False)
    assert free_pages(store) > 0
    if forget == "delete":
        store.delete(ADA, ["m50"])
    else:
        store.erase(ADA, at=NOW)
    assert free_pages(store) == 0
    assert store.path.with_name("store.db-wal").stat().st_size == 0


def test_a_text_index_of_many_pages_is_merged_whole_step_by_step(store, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._sqlite_wiping._MERGED_PAGES", 4)
    for batch in range(8):
        words = [f"{n * 7919 % 99991:x}" for n in range(batch * 5_000, batch * 5_000 + 5_000)]
        store.put([make_memory(f"m{batch}x{n}", " ".join(words[n::50]), ADA) for n in range(50)])
    store.delete(ADA, ["m0x0"])
    with store._database.read() as connection:
        segments = "SELECT count(DISTINCT segid) FROM texts_idx"
        assert connection.execute(segments).fetchone() == (1,)


def test_compacting_gives_the_space_of_deleted_records_back(store):
    store.put([make_memory(f"m{n}", "x" * 2_000, ADA) for n in range(300)])
    store.delete(ADA, [f"m{n}" for n in range(299)], wipe=False)
    store.wipe(whole=True)
    assert store.path.stat().st_size < 400_000
    assert [memory.id for memory in store.select(ADA, Where())] == ["m299"]


def test_the_audit_log_cannot_be_changed(store):
    store.audit(AuditEntry(at=NOW, actor="user", action="forget", subject="3 ids"))
    for statement in ("UPDATE audit SET actor = 'nobody'", "DELETE FROM audit"):
        with (
            pytest.raises(Exception, match="append-only"),
            store._database.write() as connection,
        ):
            connection.execute(statement)


@pytest.mark.parametrize(
    ("tampering", "problem"),
    [
        ("DROP TRIGGER audit_is_never_changed; UPDATE audit SET actor = 'x'", "does not follow"),
        ("DROP TRIGGER audit_is_never_deleted; DELETE FROM audit WHERE seq = 1", "does not follow"),
        ("DELETE FROM words WHERE rid = 1", "without a text"),
        ("UPDATE words SET own = ' 1xother ' WHERE rid = 1", "text index"),
        ("UPDATE scopes SET documents = 9", "counted wrongly"),
        ("DELETE FROM unencoded", "neither encoded nor waiting"),
        ("UPDATE vectors SET vector = x'00'", "wrong length"),
        ("UPDATE memories SET body = '{'", "not readable"),
        ("UPDATE runs SET total = 9", "counted wrongly"),
        ("PRAGMA foreign_keys = OFF; DELETE FROM runs", "does not exist"),
    ],
)
def test_check_tells_what_does_not_fit(store, tampering, problem):
    store.put([make_memory("m", scope=ADA), make_memory("n", scope=ADA)])
    store.add_vectors([("m", unit_vector(1))])
    store.append(make_said("k", "run", ADA), owner="p")
    for number in range(2):
        store.audit(AuditEntry(at=NOW + timedelta(number), actor="a", action="b", subject="c"))
    assert store.check()["problems"] == []
    with store._database.exclusive() as connection:
        connection.executescript(tampering)
    problems = store.check()["problems"]
    assert any(problem in line for line in problems), problems


def test_a_large_store_is_erased_in_slices_and_the_receipt_says_what_is_left_to_compact(
    store, monkeypatch
):
    monkeypatch.setattr("hindsight_core.stores._sqlite_wiping._SMALL", 0)
    monkeypatch.setattr("hindsight_core.stores._sql_erasure._AT_ONCE", 7)
    store.put([make_memory(f"m{n}", f"GONEMARK {n} " + "x" * 900, ADA) for n in range(50)])
    store.put([make_memory("kept", "KEPTMARK", BOB)])
    before = store.change_counter()
    receipt = store.erase(ADA, at=NOW)
    assert store.change_counter() - before > 50 // 7
    assert receipt.removed["memories"] == receipt.removed["texts"] == 50
    assert not receipt.overwritten
    assert not any(receipt.remaining.values())
    assert free_pages(store) > 0
    assert store.wipe(whole=True)
    assert free_pages(store) == 0
    assert store.count() == {"fact/active": 1}
    assert store.check()["problems"] == []
    left = raw(store).lower()
    assert b"gonemark" not in left
    assert b"keptmark" in left


def test_what_is_written_while_a_scope_is_erased_is_erased_or_kept_whole(store, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._sql_erasure._AT_ONCE", 1)
    other = SqliteStore(store.path)
    store.put([make_memory(f"m{n}", "a pear", ADA) for n in range(40)])

    def write():
        for number in range(40):
            other.put([make_memory(f"late{number}", "a pear", ADA)])

    writing = threading.Thread(target=write)
    writing.start()
    store.erase(ADA, at=NOW)
    writing.join()
    assert all(memory.id.startswith("late") for memory in store.select(ADA, Where(), limit=99))
    assert store.check()["problems"] == []
    other.close()
