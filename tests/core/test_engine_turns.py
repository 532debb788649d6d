"""What a later moment of a conversation does to what came before it: verdicts and late secrets."""

import sqlite3

import pytest

from hindsight_core import Hindsight, Kind, Scope, Status, Where

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
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for file in tmp_path.iterdir():
        assert phrase.encode() not in file.read_bytes(), file.name
