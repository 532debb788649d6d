"""The door and the recorder over a real store: learnt in one run, obeyed in the next."""

import logging
import sqlite3
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta

import pytest

from hindsight_core import (
    ConfigurationError,
    Context,
    GateAction,
    GateMode,
    Hindsight,
    InvalidMemoryError,
    Kind,
    NotFoundError,
    Scope,
    ScopeError,
    Settings,
    Source,
    Status,
    StoreError,
    Where,
)

ME = Scope(user="ana")
TASK = "Book a table for the team dinner"


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def fail_and_fix(hindsight: Hindsight, scope: Scope = ME, **more: object) -> str:
    run = hindsight.run(scope, task=TASK, **more)
    run.user("Please book a table for the team dinner.", turn="1")
    run.before_tool("book_table", {"time": "8pm", "seats": 4}, call_id="c1")
    run.after_tool(
        "book_table",
        {"time": "8pm", "seats": 4},
        call_id="c1",
        result="Error: time must be HH:MM",
        flagged_error=True,
    )
    run.before_tool("book_table", {"time": "20:00", "seats": 4}, call_id="c2")
    run.after_tool(
        "book_table", {"time": "20:00", "seats": 4}, call_id="c2", result="booked, no. 17"
    )
    run.finish(ok=True)
    return run.run_id


def test_a_failure_and_its_fix_are_recalled_in_the_next_run(hs):
    fail_and_fix(hs)
    block = hs.run(ME, task="Book a table for the board dinner").context()
    assert block is not None
    assert "8pm" in block.text
    assert "20:00" in block.text


def test_the_gate_advises_on_the_call_that_failed_and_not_on_the_one_that_worked(hs):
    fail_and_fix(hs)
    run = hs.run(ME, task=TASK)
    decision = run.before_tool("book_table", {"seats": 4, "time": "8pm"}, call_id="d1")
    assert decision.action is GateAction.ADVISE
    assert "20:00" in decision.message
    advice = run.after_tool(
        "book_table", {"time": "8pm", "seats": 4}, call_id="d1", result="Error", flagged_error=True
    )
    assert advice == decision.message
    worked = run.before_tool("book_table", {"time": "20:00", "seats": 4}, call_id="d2")
    assert worked.action is GateAction.RUN


@pytest.mark.parametrize(
    ("mode", "action"),
    [(GateMode.OBSERVE, "run"), (GateMode.CONFIRM, "confirm"), (GateMode.BLOCK, "block")],
)
def test_each_mode_of_the_gate_can_be_set_for_one_tool(tmp_path, mode, action):
    settings = Settings(gate_by_tool={"book_table": mode})
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, settings=settings) as hindsight:
        fail_and_fix(hindsight)
        run = hindsight.run(ME, task=TASK)
        assert run.before_tool("book_table", {"time": "8pm", "seats": 4}).action == action


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("From now on always use pnpm, never npm.", "pnpm"),
        ("以后一律用 pnpm，不要用 npm。", "pnpm"),
    ],
)
def test_a_lasting_preference_is_captured_without_any_call(hs, said, words):
    run = hs.run(ME, task="Set up the project")
    run.user(said, turn="1")
    run.finish()
    found = hs.memories(ME, Where(kinds=(Kind.PREFERENCE,)))
    assert [memory.source for memory in found] == [Source.USER]
    assert words in found[0].content


def test_a_lesson_is_not_held_back_for_what_the_user_said_in_the_task(hs):
    run = hs.run(ME, task="Always book a table for the team, whatever the assistant said before")
    run.after_tool(
        "book", {"time": "8pm", "seats": 4}, result="time must be HH:MM", flagged_error=True
    )
    run.after_tool("book", {"time": "20:00", "seats": 4}, result="booked")
    run.finish(ok=True)
    assert [memory.status for memory in hs.memories(ME, Where(kinds=(Kind.LESSON,)))] == ["active"]


@pytest.mark.parametrize("said", ["Hi there!", "你好", "What is pnpm?", "pnpm 是什么？"])
def test_greetings_and_questions_leave_nothing(hs, said):
    run = hs.run(ME)
    run.user(said, turn="1")
    run.finish(ok=True)
    assert hs.memories(ME) == []


def test_what_we_injected_is_never_captured_again(hs):
    hs.remember(ME, "Always use pnpm, never npm.", kind=Kind.PREFERENCE, source=Source.USER)
    block = hs.run(ME, task="use pnpm or npm?").context()
    assert block is not None
    run = hs.run(ME)
    run.user(f"{block.text}\nWhat is the weather?", turn="1")
    run.agent(block.text)
    run.finish()
    assert len(hs.memories(ME)) == 1


def test_a_text_that_a_model_wrote_for_a_sub_agent_is_not_the_users_wish(hs):
    run = hs.run(ME, nested=True)
    run.user("From now on always use pnpm, never npm.", turn="1")
    run.finish()
    assert hs.memories(ME, Where(kinds=(Kind.PREFERENCE,))) == []


def test_a_hook_that_fires_twice_and_a_replayed_history_store_one(hs):
    for _ in range(3):
        fail_and_fix(hs, session="thread-1", run_id="run-1")
    lessons = hs.memories(ME, Where(kinds=(Kind.LESSON,)))
    assert len(lessons) == 1
    events = hs.explain(ME, "run-1").events
    assert [event.type for event in events].count("tool_called") == 2


def test_a_result_that_comes_after_the_end_of_the_run_is_taken_up(hs):
    run = hs.run(ME, task=TASK)
    run.after_tool(
        "book_table", {"time": "8pm", "seats": 4}, call_id="c1", result="x", flagged_error=True
    )
    run.finish()
    before = hs.memories(ME, Where(kinds=(Kind.LESSON,)))[0]
    run.after_tool("book_table", {"time": "20:00", "seats": 4}, call_id="c2", result="booked")
    hs.flush()
    run.finish()
    after = hs.memories(ME, Where(kinds=(Kind.LESSON,)))
    assert [memory.id for memory in after] == [before.id]
    assert "20:00" in after[0].content


def test_a_run_whose_last_call_raised_is_judged_before_the_next_one(hs):
    run = hs.run(ME, task=TASK)
    run.after_tool("book_table", {"time": "8pm"}, call_id="c1", error=ValueError("HH:MM, please"))
    decision = hs.run(ME, task=TASK).before_tool("book_table", {"time": "8pm"})
    assert decision.flagged


def test_a_secret_never_reaches_the_file(hs, tmp_path):
    secret = "sk-proj-9aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1x"
    run = hs.run(ME, task=f"Log in with {secret}")
    run.user(f"my password is {secret}", turn="1")
    run.after_tool("login", {"api_key": secret}, call_id="c", result=f"bad key {secret}")
    run.finish(error=f"{secret}")
    hs.remember(ME, f"The key is {secret}.")
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert secret.encode() not in raw
    assert b"[redacted:" in raw


def test_users_never_see_each_other(hs):
    fail_and_fix(hs)
    other = Scope(user="ben")
    assert hs.run(other, task=TASK).context() is None
    assert hs.memories(other) == []
    assert (
        not hs.run(other, task=TASK).before_tool("book_table", {"time": "8pm", "seats": 4}).flagged
    )
    memory = hs.memories(ME)[0]
    with pytest.raises(NotFoundError):
        hs.get(other, memory.id)
    assert hs.forget(other, [memory.id]).removed == {"memories": 0}
    assert hs.memories(ME)


def test_every_recall_can_be_explained(hs):
    fail_and_fix(hs)
    run = hs.run(ME, task=TASK)
    block = run.context()
    report = hs.explain(ME, block.recall_id).recalls[0]
    assert report.injected == block.text
    assert report.query == TASK
    shown = [candidate for candidate in report.candidates if candidate.shown]
    assert [candidate.memory_id for candidate in shown] == list(block.memory_ids)
    for candidate in report.candidates:
        assert candidate.total == pytest.approx(sum(candidate.parts.values()))
        assert candidate.shown or candidate.reason
    assert hs.explain(ME, run.run_id).recalls[0].recall_id == block.recall_id
    assert hs.explain(ME, shown[0].memory_id).memory.evidence
    with pytest.raises(NotFoundError):
        hs.explain(Scope(user="ben"), block.recall_id)


def test_the_same_query_of_a_run_gives_the_same_block_without_a_second_recall(hs):
    fail_and_fix(hs)
    run = hs.run(ME, task=TASK)
    assert run.context() is run.context()


def test_a_memory_said_again_to_the_letter_is_the_same_memory(hs):
    first = hs.remember(ME, "The office closes at six.")
    again = hs.remember(ME, "the office closes at six.  ")
    assert again.id == first.id
    other = hs.remember(ME, "The office closes at six.", context=Context(speaker="Ben"))
    assert other.id != first.id


def test_a_person_may_confirm_or_refute_and_a_tool_may_not(hs):
    memory = hs.remember(ME, "The office closes at six.", source=Source.TOOL)
    assert memory.trust == 0.4
    confirmed = hs.verify(ME, memory.id, by=Source.USER)
    assert confirmed.trust == 0.9
    with pytest.raises(ConfigurationError):
        hs.verify(ME, memory.id, by=Source.TOOL)
    assert hs.verify(ME, memory.id, ok=False, by=Source.OPERATOR).status is Status.ARCHIVED
    assert hs.recall(ME, "when does the office close?").block is None


def test_feedback_counts_and_trust_stays(hs):
    memory = hs.remember(ME, "The office closes at six.")
    for good in (True, True, False):
        hs.feedback(ME, memory.id, good=good)
    after = hs.get(ME, memory.id)
    assert (after.hits, after.misses, after.trust) == (2, 1, memory.trust)
    assert after.confidence == pytest.approx(3 / 5)
    with pytest.raises(NotFoundError):
        hs.feedback(ME, "no-such-id", good=True)


def test_forgetting_no_ids_forgets_nothing_and_forgetting_a_scope_forgets_it_all(hs):
    hs.remember(ME, "The office closes at six.")
    hs.remember(Scope(user="ben"), "The office opens at eight.")
    assert hs.forget(ME, []).removed == {"memories": 0}
    receipt = hs.forget(ME)
    assert receipt.removed["memories"] == 1
    assert not any(receipt.remaining.values())
    assert hs.memories(ME) == []
    assert len(hs.memories(Scope(user="ben"))) == 1


@pytest.mark.parametrize(
    ("content", "field"),
    [("", "content"), ("  \n", "content"), ("\x00\ud800", "content"), ("x" * 32_769, "content")],
)
def test_a_text_that_cannot_be_stored_is_a_typed_error_and_nothing_is_stored(hs, content, field):
    with pytest.raises(InvalidMemoryError) as caught:
        hs.remember(ME, content)
    assert caught.value.field == field
    assert caught.value.way_out
    assert hs.memories(ME) == []


@pytest.mark.parametrize("value", [None, 7, b"bytes", ["list"]])
def test_what_is_no_text_is_a_typed_error(hs, value):
    with pytest.raises(InvalidMemoryError, match="must be a string"):
        hs.remember(ME, value)


def test_an_unknown_kind_or_source_is_a_typed_error(hs):
    with pytest.raises(ConfigurationError, match="kind"):
        hs.remember(ME, "x", kind="gossip")
    with pytest.raises(ConfigurationError, match="source"):
        hs.remember(ME, "x", source="rumour")


def test_arguments_of_any_kind_are_represented_and_never_a_crash(hs):
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no")

    cyclic: dict[str, object] = {"when": datetime.now(UTC), "raw": b"\x00\xff", "odd": Odd()}
    cyclic["self"] = cyclic
    run = hs.run(ME, task="t")
    for number, args in enumerate((cyclic, "not json", None, [1, 2], float("nan"))):
        run.before_tool("tool", args, call_id=str(number))
        run.after_tool("tool", args, call_id=str(number), result=cyclic)
    run.finish()
    events = hs.explain(ME, run.run_id).events
    assert [event.type for event in events].count("tool_called") == 5


def test_nobody_named_means_local_and_is_said_once(hs, caplog):
    with caplog.at_level(logging.INFO, logger="hindsight_core"):
        assert hs.scope_of() == hs.scope_of() == Scope(user="local")
    assert len([r for r in caplog.records if "local" in r.getMessage()]) == 1
    with pytest.raises(ScopeError):
        hs.scope_of("")


@pytest.mark.swallows
def test_a_run_without_a_user_goes_on_without_memory_and_health_says_so(hs):
    run = hs.run(None, task=TASK)
    run.user("From now on always use pnpm.", turn="1")
    assert run.context() is None
    assert run.before_tool("t", {}).action is GateAction.RUN
    run.finish()
    assert not hs.health().ok
    assert "without a user" in hs.health().last_error


def test_health_is_good_when_nothing_went_wrong(hs):
    fail_and_fix(hs)
    health = hs.health()
    assert health.ok
    assert health.pending_runs == 0
    assert health.memories


class _RaisingStore:
    url = "broken://"
    embedded = True

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def raising(*args, **kwargs):
            raise sqlite3.OperationalError("disk I/O error")

        return raising


@pytest.mark.swallows
def test_a_store_that_raises_at_every_call_is_counted_and_one_warning_is_logged(caplog):
    with (
        caplog.at_level(logging.WARNING, logger="hindsight_core"),
        Hindsight.open(store=_RaisingStore(), embedder=None, lazy=True) as hindsight,
    ):
        run = hindsight.run(ME, task=TASK)
        run.user("From now on always use pnpm.", turn="1")
        assert run.context() is None
        assert run.before_tool("t", {"a": 1}).action is GateAction.RUN
        assert run.after_tool("t", {"a": 1}, result="x", flagged_error=True) is None
        run.finish()
        assert sum(hindsight.health().errors.values()) >= 5
    assert len(caplog.records) == 1


def test_a_closed_memory_says_so(tmp_path):
    hindsight = Hindsight.open(str(tmp_path / "m.db"), embedder=None)
    hindsight.close()
    hindsight.close()
    with pytest.raises(Exception, match="closed"):
        hindsight.memories(ME)


def test_what_a_process_left_behind_when_it_was_killed_is_learnt_by_the_next(tmp_path):
    path = str(tmp_path / "m.db")
    code = f"""
        import os, signal
        from hindsight_core import Hindsight, Scope
        run = Hindsight.open({path!r}, embedder=None).run(Scope(user="ana"), task={TASK!r})
        run.user("From now on always use pnpm, never npm.", turn="1")
        call = ("book_table", {{"time": "8pm"}})
        run.after_tool(*call, call_id="c", result="bad", flagged_error=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, timeout=600)
    with Hindsight.open(path, embedder=None) as hindsight:
        assert hindsight.run(ME, task=TASK).before_tool("book_table", {"time": "8pm"}).flagged
        assert "pnpm" in hindsight.memories(ME, Where(kinds=(Kind.PREFERENCE,)))[0].content


def test_the_clock_comes_in_from_outside(tmp_path):
    at = datetime(2031, 5, 1, tzinfo=UTC)
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=lambda: at) as hindsight:
        memory = hindsight.remember(ME, "The office closes at six.")
        assert memory.created_at == at
    later = at + timedelta(days=30)
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=lambda: later) as hindsight:
        parts = hindsight.recall(ME, "when does the office close?").report.candidates[0].parts
        assert parts["recency"] == pytest.approx(0.2 * 0.36787944)


@pytest.mark.parametrize("ending", ["", "raise SystemExit('dead')", "raise ValueError"])
@pytest.mark.parametrize("lull", [0.0, 0.3])
def test_a_program_that_just_ends_has_what_it_recorded_judged(tmp_path, ending, lull):
    """However long no thread of ours had anything to do: at its end there are no new ones."""
    program = textwrap.dedent(f"""
        import sys, time
        from hindsight_core import Hindsight, Scope, Settings, workers
        workers._LINGER = 0.05
        hs = Hindsight.open(sys.argv[1], embedder=None, settings=Settings(deadline=60))
        run = hs.run(Scope(user="ana"), task="Book a table")
        run.user("From now on, never book a table before 19:00.")
        time.sleep({lull})
        {ending}
    """)
    path = str(tmp_path / "m.db")
    done = subprocess.run(
        [sys.executable, "-c", program, path],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "passed over" not in done.stderr
    with Hindsight.open(path, embedder=None) as hindsight:
        assert not hindsight.store.runs(pending_only=True, limit=9)
        assert [memory.kind for memory in hindsight.memories(ME)] == [Kind.PREFERENCE]


def test_a_store_that_cannot_be_opened_is_told_of_once(tmp_path, caplog):
    (tmp_path / "m.db").write_text("no store at all" * 99)
    with pytest.raises(StoreError):
        Hindsight.open(str(tmp_path / "m.db"), embedder=None)
    assert "passed over" not in caplog.text
