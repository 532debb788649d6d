"""Two-stage recall of lessons: the hard key, the weights, the threshold, the number of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope
from hindsight_core.ports import IndexInfo
from hindsight_core.recall.lessons import LessonKey, match_lesson
from hindsight_core.schema import Kind, Lesson, Mistake, Source, Trigger
from hindsight_core.testing.samples import make_memory
from hindsight_core.text import keywords

ME = Scope(user="ana")
TASK = "Book a table for the team dinner"
INFO = IndexInfo(model="m", dimension=8, relevance=0.34, same_subject=0.64)


def lesson(memory_id="m", task=TASK, tools=("book", "confirm"), task_type=None, **fields):
    return make_memory(
        memory_id,
        f"`{tools[0] if tools else ''}` failed in {memory_id}",
        kind=Kind.LESSON,
        source=Source.TOOL,
        query=task,
        task_type=task_type,
        tool_sequence=tools,
        lesson=Lesson(
            trigger=Trigger(
                task_type=task_type, tool_sequence=tools, context_keywords=keywords(task)
            ),
            mistake=Mistake(action="a", consequence="b"),
        ),
        **fields,
    )


@pytest.mark.parametrize(
    ("key", "context", "tools", "score"),
    [
        (LessonKey(called=("book", "confirm")), 1.0, 1.0, 1.0),
        (LessonKey(called=("book", "list", "confirm")), 1.0, 1.0, 1.0),
        (LessonKey(called=("confirm", "book")), 1.0, 0.5, 0.85),
        (LessonKey(called=("book",)), 1.0, 0.5, 0.85),
        (LessonKey(tools=frozenset({"confirm", "book", "x"})), 1.0, 1.0, 1.0),
        (LessonKey(tools=frozenset({"book"})), 1.0, 0.5, 0.85),
        (LessonKey(task_type="dinner"), 1.0, None, 1.0),
    ],
)
def test_the_tool_sequence_weighs_three_tenths_and_the_context_the_rest(key, context, tools, score):
    match = match_lesson(lesson(), keywords(TASK), key)
    assert (match.context, match.tools) == (context, tools)
    assert match.score == pytest.approx(score)


@pytest.mark.parametrize(
    ("asked", "context"),
    [
        ("Book a table for the team dinner", 1.0),
        ("Book a table for the board dinner", 2 * 3 / 8),
        ("Book a flight", 2 * 1 / 6),
        ("Deploy the shop", 0.0),
    ],
)
def test_the_context_is_what_the_keywords_have_in_common(asked, context):
    match = match_lesson(lesson(), keywords(asked), LessonKey())
    assert match.context == pytest.approx(context)


@pytest.mark.parametrize(
    ("cosine", "context"), [(0.34, 0.5), (0.49, 0.75), (0.64, 1.0), (0.9, 1.0), (0.17, 0.25)]
)
def test_a_cosine_counts_on_the_scale_of_its_embedder(cosine, context):
    match = match_lesson(lesson(), ("other",), LessonKey(), cosine=cosine, info=INFO)
    assert match.context == pytest.approx(context)


@given(
    own=st.lists(st.sampled_from("abcd"), max_size=6).map(tuple),
    called=st.lists(st.sampled_from("abcd"), max_size=8).map(tuple),
    cosine=st.floats(-1, 1),
)
def test_a_score_is_between_nothing_and_one(own, called, cosine):
    match = match_lesson(
        lesson(tools=own), keywords(TASK), LessonKey(called=called), cosine=cosine, info=INFO
    )
    assert 0 <= match.score <= 1


@pytest.mark.parametrize(
    ("fields", "key", "fits"),
    [
        ({"task_type": "dinner"}, LessonKey(task_type="dinner"), True),
        ({"task_type": "dinner"}, LessonKey(task_type="travel"), False),
        ({"task_type": "dinner"}, LessonKey(), True),
        ({}, LessonKey(task_type="travel"), True),
        ({}, LessonKey(tools=frozenset({"book"})), True),
        ({}, LessonKey(tools=frozenset({"confirm"})), False),
        ({}, LessonKey(called=("book",)), True),
        ({"tools": ()}, LessonKey(tools=frozenset({"x"})), True),
    ],
)
def test_a_lesson_of_another_type_or_about_a_tool_that_is_not_there_is_out(fields, key, fits):
    assert key.fits(lesson(**fields)) is fits


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


@pytest.mark.parametrize(
    ("learnt", "near", "far"),
    [
        (TASK, "Book a table for the board dinner", "Book a flight to Oslo for the board"),
        ("为团队晚餐订一张桌子", "为董事会晚餐订一张桌子", "为董事会订去奥斯陆的机票"),
    ],
)
def test_all_below_the_threshold_is_nothing(hs, learnt, near, far):
    hs.store.put([lesson(scope=ME, task=learnt)])
    tools = ("book", "confirm")
    (match,) = hs.lessons(ME, near, tools=tools)
    assert match.score >= 0.6
    assert hs.lessons(ME, far, tools=tools) == []
    assert hs.lessons(ME, "", tools=tools) == []


def test_at_most_three_are_recalled_and_the_best_first(hs):
    tools = [("book",), ("book", "a"), ("book", "a", "b"), ("book", "a", "b", "c")]
    hs.store.put([lesson(f"m{n}", scope=ME, tools=own) for n, own in enumerate(tools)])
    found = hs.lessons(ME, TASK, tools=("book",))
    assert [match.memory.id for match in found] == ["m0", "m1", "m2"]
    assert [match.score for match in found] == pytest.approx([1.0, 0.85, 0.8])


def test_no_lesson_of_another_user_is_recalled(hs):
    hs.store.put([lesson(scope=Scope(user="ben"))])
    assert hs.lessons(ME, TASK, tools=("book", "confirm")) == []


def learn(hs, task_type=None):
    run = hs.run(ME, task=TASK, task_type=task_type)
    run.after_tool("book", {"time": "8pm"}, result="time must be HH:MM", flagged_error=True)
    run.after_tool("book", {"time": "20:00"}, result="booked")
    run.finish()


def test_a_run_is_not_shown_lessons_about_tools_that_it_has_not(hs):
    learn(hs)
    assert hs.run(ME, task=TASK).context(tools=["book", "list"]) is not None
    assert hs.run(ME, task=TASK).context(tools=["list"]) is None
    assert hs.run(ME, task=TASK).context() is not None


def test_a_run_is_not_shown_lessons_of_another_type_of_task(hs):
    learn(hs, "dinner")
    assert hs.run(ME, task=TASK, task_type="dinner").context() is not None
    assert hs.run(ME, task=TASK, task_type="travel").context() is None


def test_the_report_says_why_a_lesson_was_left_out(hs):
    learn(hs)
    run = hs.run(ME, task=TASK)
    run.user(TASK)
    run.context(tools=["list"])
    report = hs.recalls(ME)[-1]
    assert any("a tool that this run has not" in one.reason for one in report.candidates)


def test_the_keywords_of_a_chinese_task_are_kept():
    assert keywords("为团队晚餐订一张桌子")[:2] == ("为团", "团队")
    assert len(keywords("订" + "桌子椅子晚餐午餐" * 20)) <= 24
