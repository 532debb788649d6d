"""Which tool did what another could not: told by the place, and by what the user had asked for."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_core.capture import judge_run, make_call
from hindsight_core.events import RunEnded, RunStarted, ToolCalled
from hindsight_core.schema import Kind, Scope


def learnt(task, failed, error, later, answer):
    def base(count):
        at = datetime(2031, 4, 1, 9, tzinfo=UTC) + timedelta(seconds=count)
        return {"run_id": "r", "scope": Scope(user="ann"), "key": f"r-{count}", "at": at}

    events = [
        RunStarted(**base(0), task=task),
        ToolCalled(**base(1), call=make_call(*failed), result=error, flagged_error=True),
        ToolCalled(**base(2), call=make_call(*later), result=answer),
        RunEnded(**base(3), ok=True),
    ]
    (lesson,) = (one for one in judge_run(events).candidates if one.kind is Kind.LESSON)
    return lesson.value.content


UNKNOWN = "curl: (6) Could not resolve host: handbook.lab.example"
PAGE = ("http_get", {"url": "https://handbook.lab.example/acids"})


@pytest.mark.parametrize(
    ("task", "later"),
    [
        ("What does the handbook say of spilt acid?", ("handbook_find", {"q": "spilt acid"})),
        ("handbook 上酸液泄漏怎么处理", ("handbook_find", {"q": "酸液泄漏"})),
    ],
)
def test_a_tool_named_after_the_place_that_answered_the_request_is_the_way(task, later):
    assert "`handbook_find`" in learnt(task, PAGE, UNKNOWN, later, "Rinse for ten minutes.")


@pytest.mark.parametrize(
    ("task", "failed", "later"),
    [
        # another part of the request
        ("Handbook on acids, and the weather in Oslo", PAGE, ("weather_get", {"city": "Oslo"})),
        ("handbook 上酸液怎么处理，再查奥斯陆天气", PAGE, ("weather_get", {"city": "奥斯陆"})),
        # what the user did not ask for
        ("What does the handbook say of spilt acid?", PAGE, ("handbook_find", {"q": "holidays"})),
        ("handbook 上酸液泄漏怎么处理", PAGE, ("handbook_find", {"q": "放假安排"})),
        # a deed is no look
        ("Note leaks in the handbook", PAGE, ("handbook_delete", {"entry": "leaks"})),
    ],
)
def test_a_tool_that_did_something_else_is_not(task, failed, later):
    assert f"`{later[0]}`" not in learnt(task, failed, UNKNOWN, later, "fine")
