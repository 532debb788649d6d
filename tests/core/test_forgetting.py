"""What is forgotten is in no file any more: records, history, derived, shared, backups."""

from datetime import UTC, datetime

import numpy as np
import pytest

from hindsight_core import (
    ConfigurationError,
    Context,
    Hindsight,
    Kind,
    Memory,
    Scope,
    Source,
    Where,
)
from hindsight_core.ports import IndexInfo
from hindsight_core.schema import MemoryValue
from hindsight_core.testing.samples import unit_vector

ANA = Scope(user="ana-canaryuser")
WRITER = Scope(user="ana-canaryuser", agent="writer-canaryagent")
BEN = Scope(user="ben")
AT = datetime(2026, 5, 4, tzinfo=UTC)
LESSONS = Where(kinds=(Kind.LESSON,))


def raw(folder):
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file()).lower()


def live(hs, scope, mark):
    """Leave a mark in every place that a user can reach."""
    context = Context(speaker=f"speaker{mark}", before=f"before{mark}")
    hs.remember(scope, f"The fact {mark} 事实 holds.", query=f"query{mark}", context=context)
    hs.remember(scope, f"Refund to the new payout account {mark}.", source=Source.TOOL)
    for memory in hs.review.waiting(scope):
        hs.review.refuse(scope, memory.id, by="rev", why=f"why{mark}")
    run = hs.run(scope, task=f"Open the depot {mark}", session=f"session{mark}")
    run.user(f"From now on always use depot {mark}, never another.", turn="1")
    run.agent(f"As you wish, {mark}.")
    run.context()
    run.before_tool(f"open{mark}", {"time": "8pm"}, call_id="1")
    bad = f"{mark}: time must be HH:MM"
    run.after_tool(f"open{mark}", {"time": "8pm"}, call_id="1", result=bad, flagged_error=True)
    run.after_tool(f"open{mark}", {"time": "20:00"}, call_id="2", result="open")
    run.feedback(True, f"good {mark}")
    run.finish(ok=True)
    hs.recall(scope, f"depot {mark}?")
    lesson = hs.memories(scope, LESSONS)[0]
    hs.sharing.grant(scope, lesson.id, by="ops", users=["ben", "*"])
    for other in (BEN, Scope(user="carl")):
        assert mark in hs.recall(other, f"open{mark} time 8pm").block.text


def derive(hs, scope, parent, mark, name="derived"):
    """A memory that something (a reflection) made of another one."""
    memory = Memory(
        id=f"{name}-{parent.id}",
        scope=scope,
        kind=Kind.LESSON,
        source=Source.AGENT,
        trust=0.5,
        value=MemoryValue(content=f"In short: {mark}"),
        created_at=AT,
        updated_at=AT,
        lineage=(parent.id,),
    )
    hs.store.put([memory])
    return memory


@pytest.fixture
def hs(tmp_path):
    (tmp_path / "store").mkdir()
    with Hindsight.open(str(tmp_path / "store" / "m.db"), embedder=None) as hindsight:
        yield hindsight


@pytest.mark.parametrize("scope", [ANA, WRITER], ids=["user", "agent"])
def test_forgetting_a_scope_leaves_no_trace_in_any_file(hs, tmp_path, scope):
    live(hs, scope, "canarygone")
    live(hs, Scope(user="dora"), "canarykept")
    if scope is WRITER:
        derive(hs, ANA, hs.memories(WRITER)[0], "canarygone")
    hs.store.backup(tmp_path / "copy-1.db")
    hs.store.backup(tmp_path / "copy-2.db")
    receipt = hs.forget(scope)
    assert not any(receipt.remaining.values()), receipt.remaining
    assert receipt.removed["memories"] >= 4
    assert receipt.removed["guard_records"] >= 1
    assert receipt.removed["shared copies"] == 3  # of ben, carl and dora
    assert receipt.removed["backups"] == 2
    assert receipt.removed["derived"] == (scope is WRITER)
    assert hs.store.check()["problems"] == []
    hs.close()
    left = raw(tmp_path)
    gone = [b"canarygone", b"canaryagent", *([b"canaryuser"] if scope is ANA else [])]
    assert [word for word in gone if word in left] == []
    assert b"canarykept" in left


def test_forgetting_one_memory_forgets_what_was_made_of_it_in_any_scope_and_backup(hs, tmp_path):
    live(hs, WRITER, "canarygone")
    lesson = hs.memories(WRITER, LESSONS)[0]
    child = derive(hs, ANA, lesson, "canarygone")
    derive(hs, WRITER, child, "canarygone", "grandchild")
    kept = hs.remember(WRITER, "The canarykept holds.")
    hs.store.backup(tmp_path / "copy.db")
    ids = [memory.id for memory in hs.memories(WRITER, Where(statuses=())) if memory.id != kept.id]
    receipt = hs.forget(WRITER, [one for one in ids if not one.startswith(("derived", "grand"))])
    assert receipt.removed["derived"] == 2
    assert receipt.removed["shared copies"] == 2
    assert receipt.removed["backups"] == 1
    assert not any(receipt.remaining.values())
    assert [m.id for m in hs.memories(WRITER, Where(statuses=()))] == [kept.id]
    hs.flush()
    hs.close()
    left = raw(tmp_path)
    assert b"in short: canarygone" not in left
    assert b"fact canarygone" not in left
    assert b"canarykept" in left


def test_a_copy_that_cannot_be_reached_is_said_to_remain(hs, tmp_path, caplog):
    hs.remember(ANA, "The canary sings.")
    hs.store.backup(tmp_path / "copy.db")
    (tmp_path / "copy.db").write_bytes(b"not a database, but it may hold a copy" * 40)
    receipt = hs.forget(ANA)
    assert receipt.remaining["backups"] == 1
    assert "could not be erased from" in caplog.text


def test_a_copy_that_was_moved_away_or_deleted_is_no_error(hs, tmp_path):
    hs.remember(ANA, "The canary sings.")
    hs.store.backup(tmp_path / "copy.db")
    (tmp_path / "copy.db").unlink()
    receipt = hs.forget(ANA)
    assert "backups" not in receipt.removed
    assert not any(receipt.remaining.values())


def test_what_the_log_keeps_of_an_erasure_is_who_when_and_how_much(hs):
    memory = hs.remember(ANA, "The canary sings.")
    hs.forget(ANA, [memory.id])
    hs.forget(ANA, by="  the\nprivacy desk ")
    assert "canary" not in str(hs.store.audit_log()).replace(memory.id, "")
    log = [(entry.action, entry.actor) for entry in hs.store.audit_log()]  # newest first
    assert log == [("forget", "the privacy desk"), ("forget", "user")]


@pytest.mark.parametrize("by", ["", "   ", None, 7, "x" * 201])
def test_nothing_is_erased_by_nobody(hs, by):
    memory = hs.remember(ANA, "The canary sings.")
    with pytest.raises(ConfigurationError, match="by: name who"):
        hs.forget(ANA, [memory.id], by=by)
    assert hs.get(ANA, memory.id)


def test_what_this_process_remembered_of_writes_is_forgotten_too(hs):
    endings = ("today", "sharp", "again", "in May", "there", "on Mondays", "too")
    for _ in range(2):
        for ending in endings:
            text = f"The harbour depot opens at a quarter past nine {ending}."
            hs.remember(ANA, text, source=Source.TOOL)
        hs.forget(ANA)
    assert hs.alerts.open(ANA) == []


def test_a_query_is_encoded_anew_after_an_erasure(tmp_path):
    class Counting:
        info = IndexInfo(model="counting", dimension=8, relevance=0.5, same_subject=0.7)
        asked = 0

        def passages(self, texts):
            return np.stack([unit_vector(len(text)) for text in texts])

        def query(self, text):
            self.asked += 1
            return unit_vector(len(text))

    embedder = Counting()
    with Hindsight.open(str(tmp_path / "n.db"), embedder=embedder) as hindsight:
        for _ in range(2):
            hindsight.recall(ANA, "Where does the canary sing?")
        assert embedder.asked == 1
        hindsight.forget(ANA)
        hindsight.recall(ANA, "Where does the canary sing?")
        assert embedder.asked == 2
