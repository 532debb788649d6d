"""What has to come first, and ways that were taken back: which lessons and paths a run leaves."""

from __future__ import annotations

import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.capture import judge_run
from hindsight_core.schema import Kind, Status
from tests.core.test_judge_run import Script, lessons

SCOPE = Scope(user="ann")


def paths(events):
    return [one for one in judge_run(events).candidates if one.kind is Kind.PATH]


@pytest.mark.parametrize(
    ("task", "tool", "args", "error", "first", "given", "words"),
    [
        (
            "Rotate the key of the shop",
            "key.rotate",
            {"shop": "north"},
            "423 Locked: vault sealed, run vault.unseal before",
            "vault.unseal",
            {"vault": "v1"},
            "call `vault.unseal` first, with 'v1'",
        ),
        (
            "Centrifuge the samples",
            "spin",
            {"rpm": 3000},
            "cannot start, close the lid first",
            "lid_close",
            {},
            "call `lid_close` first, then",
        ),
        ("把样品离心", "离心", {"转速": 3000}, "请先关闭舱盖", "关舱", {}, "先调用 `关舱`，再"),
    ],
)
def test_what_has_to_come_first_is_the_lesson(task, tool, args, error, first, given, words):
    run = Script(task).tool(tool, args, error, flagged_error=True)
    run.tool(first, given, "done").tool(tool, args, "done")
    (lesson,) = lessons(run.end())
    assert words in lesson.value.content
    assert lesson.lesson is not None
    assert not lesson.lesson.mistake.transient
    assert lesson.lesson.correction is not None
    assert lesson.lesson.correction.precondition == first


def test_a_call_that_worked_when_it_was_tried_again_needs_nothing_before_it():
    run = Script().tool("pay", {"sum": 5}, "503 busy, try again later", flagged_error=True)
    run.tool("note", {"text": "waiting"}, "done").tool("pay", {"sum": 5}, "paid")
    (lesson,) = lessons(run.end())
    assert lesson.lesson is not None
    assert lesson.lesson.mistake.transient


def play(hindsight, name, *calls):
    """Record a run of calls (tool, arguments, result, failed); tell which were flagged."""
    run = hindsight.run(SCOPE, run_id=name, task=f"Task {name}")
    flagged = []
    for number, (tool, args, result, failed) in enumerate(calls):
        call = {"name": tool, "args": args, "call_id": str(number)}
        flagged.append(run.before_tool(**call).flagged)
        run.after_tool(**call, result=result, flagged_error=failed)
    run.finish(ok=True)
    assert hindsight.flush(30)
    return flagged


LOCKED = "409 Conflict: the queue is open, call queue.lock before"
LOCK = ("queue.lock", {"queue": "fast"}, "locked", False)


def move(job, result="moved", failed=False):
    return ("queue.move", {"job": job, "to": "fast"}, result, failed)


def test_a_call_without_what_has_to_come_first_is_flagged_in_any_run(tmp_path):
    with Hindsight.open(str(tmp_path / "s.db")) as hindsight:
        play(hindsight, "a", move(7, LOCKED, True), LOCK, move(7))
        assert play(hindsight, "b", move(8, LOCKED, True), LOCK, move(8)) == [True, False, False]
        assert play(hindsight, "c", LOCK, move(7)) == [False, False]
        assert play(hindsight, "d", LOCK, move(9)) == [False, False]
        assert play(hindsight, "e", move(7, LOCKED, True), LOCK, move(7)) == [True, False, False]


def test_a_success_without_what_had_to_come_first_takes_the_lesson_back(tmp_path):
    with Hindsight.open(str(tmp_path / "s.db")) as hindsight:
        play(hindsight, "a", move(7, LOCKED, True), LOCK, move(7))
        assert play(hindsight, "b", move(7)) == [True]
        assert play(hindsight, "c", move(9)) == [False]
        known = hindsight.memories(SCOPE)
    assert not [m for m in known if m.kind is Kind.LESSON and m.status is Status.ACTIVE]


@pytest.mark.parametrize(
    ("did", "args", "said", "undid"),
    [
        (
            "cart.add",
            {"item": "nuts", "count": 2},
            "Take the nuts out, I never eat them",
            "cart.remove",
        ),
        ("file_delete", {"path": "a.txt"}, "Oh no, I still need that!", "file_restore"),
        ("卖出", {"物品": "古剑"}, "古剑是我的收藏啊，不许卖", "回购"),
    ],
)
def test_a_way_that_was_taken_back_is_no_path(did, args, said, undid):
    given = {name: value for name, value in args.items() if isinstance(value, str)}
    run = Script("Tidy up").tool(did, args, "done").user(said).tool(undid, given, "done")
    assert paths(run.end()) == []


def test_what_opens_and_closes_within_a_turn_is_a_path():
    run = Script("Water the lawn").tool("valve_open", {"zone": "lawn"}, "open")
    run.tool("valve_close", {"zone": "lawn"}, "closed")
    assert len(paths(run.end())) == 1


def test_requests_that_have_nothing_in_common_are_no_common_path():
    run = Script("Plan the lesson of Iris").tool("lesson_plan", {"pupil": "Iris"}, "planned")
    run.user("And what does a new set of strings cost?").tool("price", {"item": "strings"}, "9.50")
    assert paths(run.end()) == []
    run = Script("Find the order of Iris").tool("find_order", {"name": "Iris"}, "order K-77")
    run.user("Then please send it to her new address").tool("ship", {"order": "K-77"}, "sent")
    assert len(paths(run.end())) == 1
