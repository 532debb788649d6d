"""Which of a user's few lessons a run is shown although its task is unlike theirs."""

import pytest

from hindsight_core import Hindsight, Kind, Scope, Settings

ME = Scope(user="ana")
TOOLS = ("enrol", "find_code")
UNLIKE = {
    "en": ("Enrol Jonas in pottery.", "Mia would love the choir on Mondays."),
    "zh": ("给小满报陶艺班。", "米雅想周一去唱歌。"),
}


@pytest.fixture
def hindsight(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as opened:
        yield opened


def refused(hindsight, task, *, tool="enrol", error="missing required field term", fixed=True):
    """A run in which a call was refused for want of a field."""
    run = hindsight.run(ME, task=task)
    run.user(task)
    args = {"name": task.split()[-1]}
    calls = [(args, error, True), *([({**args, "term": "T3"}, "done", False)] if fixed else [])]
    for number, (given, result, failed) in enumerate(calls):
        run.before_tool(tool, given, call_id=f"{number}")
        run.after_tool(tool, given, call_id=f"{number}", result=result, flagged_error=failed)
    run.finish(ok=fixed)


def shown(hindsight, task, tools=TOOLS):
    run = hindsight.run(ME, task=task)
    block = run.context(tools=tools)
    run.finish(ok=None)
    memories = [hindsight.get(ME, one) for one in block.memory_ids] if block else []
    return [memory.content for memory in memories if memory.kind is Kind.LESSON]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lesson_on_a_tool_at_hand_takes_a_seat_that_stays_free(hindsight, language):
    task, unlike = UNLIKE[language]
    refused(hindsight, task)
    (lesson,) = shown(hindsight, unlike)
    assert "term" in lesson
    assert not shown(hindsight, unlike, tools=("find_code",))
    assert not shown(hindsight, unlike, tools=())


def test_a_search_goes_by_likeness_alone(hindsight):
    refused(hindsight, UNLIKE["en"][0])
    assert not hindsight.recall(ME, UNLIKE["en"][1]).memories


def test_rules_and_what_was_called_to_mind_come_first(hindsight):
    refused(hindsight, UNLIKE["en"][0])
    for day in ("Mondays", "Tuesdays", "Fridays"):
        hindsight.remember(ME, f"Choir on {day} is for Mia's group.", source="user")
    assert not shown(hindsight, "Mia would love the choir on Mondays, Tuesdays or Fridays.")


def test_of_a_user_with_many_lessons_only_those_are_shown_that_fit(hindsight):
    for number in range(8):
        refused(hindsight, f"Task {number} of Jonas.", tool=f"enrol_{number}")
    tools = tuple(f"enrol_{number}" for number in range(8))
    assert not shown(hindsight, UNLIKE["en"][1], tools=tools)


@pytest.mark.parametrize("error", ["503 service unavailable, try again later", "nothing happens"])
def test_what_passes_or_was_of_one_state_takes_no_free_seat(hindsight, error):
    refused(hindsight, UNLIKE["en"][0], error=error, fixed=False)
    assert not shown(hindsight, UNLIKE["en"][1])


def test_a_lesson_that_is_withheld_from_a_run_stays_out(tmp_path):
    settings = Settings(holdout=0.999_999)
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, settings=settings) as hindsight:
        refused(hindsight, UNLIKE["en"][0])
        assert not shown(hindsight, UNLIKE["en"][1])
