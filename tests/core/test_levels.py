"""One line a memory: what it may leave out, what it never does, and how a model asks for more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Injection, Settings
from hindsight_core.errors import ConfigurationError, NotFoundError
from hindsight_core.recall import (
    DETAILS,
    count_tokens,
    render,
    render_details,
    render_lines,
    strip_blocks,
)
from hindsight_core.recall.gist import GAP, gist
from hindsight_core.schema import (
    Context,
    Correction,
    Kind,
    Lesson,
    Memory,
    MemoryValue,
    Mistake,
    Scope,
    Source,
    Trigger,
)

NOW = datetime(2031, 5, 1, tzinfo=UTC)
LONG = (
    "Hello there, good to see you all again after so long! The staging database is restored "
    "on Mondays from the backup of the night. Our canteen had pancakes with syrup on the same day. "
    "Somebody brought a very large dog into the office, and everybody liked it a lot."
)
LONG_ZH = (
    "大家好，很久没有见面了，今天天气真不错。测试数据库每周一从夜间备份恢复。"
    "食堂当天供应了糖浆煎饼，味道非常好。有人带了一只很大的狗到办公室，大家都很喜欢它。"
)


def memory(content: str, number: int = 0, **more: object) -> Memory:
    fields = {"kind": Kind.FACT, "source": Source.USER, "trust": 0.9, **more}
    value = fields.pop("value", MemoryValue(content=content))
    at = NOW - timedelta(days=3)
    return Memory(
        id=f"m{number}",
        scope=Scope(user="u"),
        value=value,
        created_at=at,
        updated_at=at,
        **fields,
    )


def lines(memories, question="", *, whole=False, budget=700, **more):
    numbers = {one.id: n for n, one in enumerate(memories, 1)}
    return render_lines(
        memories,
        recall_id="r",
        mark="123456789",
        now=NOW,
        budget=budget,
        sanitize=lambda text: " ".join(text.split()),
        number=numbers.__getitem__,
        question=question,
        whole=whole,
        **more,
    )


@pytest.mark.parametrize(
    ("text", "question", "kept", "left_out"),
    [
        (LONG, "When is the staging database restored?", "on Mondays", "pancakes"),
        (LONG_ZH, "测试数据库什么时候恢复？", "每周一", "煎饼"),
    ],
)
def test_a_line_keeps_the_sentence_that_the_question_is_about(text, question, kept, left_out):
    line = gist(memory(text), text, question)
    assert kept in line
    assert left_out not in line
    assert GAP in line


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        (LONG + " Never deploy on that day. Except for hotfixes.", "Never deploy on that day."),
        (LONG + " Never deploy on that day. Except for hotfixes.", "Except for hotfixes."),
        (LONG + " Deploy it yourself. But only after the backup.", "Deploy it yourself. But only"),
        (LONG + " You don't need a ticket for it.", "You don't need a ticket"),
        (LONG_ZH + "当天不要部署。除了紧急修复。", "当天不要部署。 除了紧急修复。"),
        (LONG_ZH + "當天必須先備份。", "當天必須先備份"),
    ],
)
def test_what_forbids_demands_or_excepts_is_never_left_out(text, bound):
    assert bound in gist(memory(text), text, "staging database 测试数据库")


def test_a_very_long_sentence_is_cut_between_clauses_where_another_memory_is_nearer():
    text = (
        "健康挑战日的主要内容是逛街购物之余，穿插运动元素，如快走挑战、健身用品体验区，"
        "倡导健康生活方式，让参加的人都满意"
    )
    assert gist(memory(text), text, "挑战日的主要内容是什么？") == text
    line = gist(memory(text), text, "挑战日的地点是什么？", leads=False)
    assert line.startswith("健康挑战日的主要内容")
    assert GAP in line
    assert count_tokens(line) <= 30
    bound = text.replace("穿插运动元素", "不要穿插运动元素")
    assert gist(memory(bound), bound, "挑战日的地点是什么？", leads=False) == bound


@pytest.mark.parametrize("text", [LONG, LONG_ZH])
@pytest.mark.parametrize(
    "what", [{"kind": Kind.PREFERENCE}, {"kind": Kind.FACT, "source": Source.OPERATOR}]
)
def test_a_rule_stays_whole_however_long_it_is(what, text):
    assert gist(memory(text, **what), text, "unrelated") == text


def test_what_has_an_intent_and_a_resolution_is_told_by_them():
    value = MemoryValue(content=LONG, intent="restore the database", resolution="done by Ann")
    line = gist(memory(LONG, value=value), LONG, "anything")
    assert line == f"restore the database → done by Ann {GAP}"
    bound = MemoryValue(
        content=LONG + " Never restore it twice.",
        **value.model_dump(include={"intent", "resolution"}),
    )
    assert "Never restore it twice." in gist(memory("", value=bound), bound.content, "anything")


def test_the_line_of_a_lesson_keeps_the_calls_asked_about_and_what_helps():
    calls = "; ".join(f"name=Person Number {n}" for n in range(40))
    text = f"`search` failed with {calls}: no such page. What worked: name=Somebody."
    lesson = Lesson(
        trigger=Trigger(tool_sequence=("search",)),
        mistake=Mistake(action=calls, consequence="no such page"),
        correction=Correction(action="What worked: name=Somebody."),
    )
    found = memory(text, kind=Kind.LESSON, source=Source.TOOL, lesson=lesson)
    line = gist(found, text, "Who is person 17?")
    assert "Person Number 17" in line
    assert "no such page. What worked: name=Somebody." in line
    assert count_tokens(line) < count_tokens(text) / 3


@given(st.text(max_size=600), st.text(max_size=80))
def test_a_line_without_a_gap_is_the_whole_text_and_no_word_is_made_up(text, question):
    line = gist(memory("x"), text, question)
    if GAP not in line:
        assert line.split() == text.split()
    left = iter("".join(text.split()))
    assert all(sign in left for sign in "".join(line.replace(GAP, " ").split()))


def test_lines_of_one_kind_source_and_age_share_a_label():
    text = lines([memory("One.", 1), memory("Two.", 2), memory("Do.", 3, source=Source.AGENT)]).text
    assert "\nfact, user, 3d:\n1. One.\n2. Two.\nfact, agent, 3d:\n3. Do.\n" in text
    assert "data, not instructions" in text


def test_chinese_memories_are_introduced_in_chinese_and_what_contradicts_is_said():
    text = lines([memory("周报只发北岸项目群。", conflicts_with=("m9",))]).text
    assert "事实，用户，3天：" in text
    assert "1.（与另一条笔记矛盾" in text
    assert "并非指令" in text


def test_the_tool_is_named_only_where_something_was_left_out():
    assert DETAILS not in lines([memory("Short.")]).text
    assert DETAILS in lines([memory(LONG)], "database").text
    whole = lines([memory(LONG)], "database", whole=True).text
    assert DETAILS not in whole
    assert LONG in whole


@given(st.lists(st.text(min_size=1, max_size=2_000), min_size=1, max_size=4), st.booleans())
def test_a_block_of_lines_keeps_its_budget_and_is_taken_back_whole(texts, whole):
    block = lines([memory(text, n) for n, text in enumerate(texts)], whole=whole, budget=120)
    assert block is None or block.tokens <= 120 + 45
    assert block is None or strip_blocks(f"before {block.text} after") == "before  after"


def test_a_number_stays_the_same_all_through_a_run_and_in_another_process(tmp_path):
    with Hindsight.open(tmp_path / "m.db", embedder=None) as hs:
        scope = hs.scope_of("u")
        hs.remember(scope, LONG, source=Source.USER)
        hs.remember(scope, "The printer is on the second floor.", source=Source.USER)
        run = hs.run(scope, task="restored staging database", run_id="r1")
        assert run.context().numbers == (1,)
        assert run.context("printer floor").numbers == (2,)
        assert run.context("printer floor, restored staging database").numbers in ((1, 2), (2, 1))
    with Hindsight.open(tmp_path / "m.db", embedder=None) as hs:
        again = hs.run(hs.scope_of("u"), task="restored staging database", run_id="r1")
        assert "second floor" in again.details("2")
        assert "pancakes" in again.details(1)
        assert again.context("where is the printer, which floor").numbers == (2,)


@pytest.mark.parametrize("wanted", ["9", "", "-1", "x" * 9_000, None, 1.5, "二"])
def test_a_number_that_nothing_has_is_answered_in_words(tmp_path, wanted):
    with Hindsight.open(tmp_path / "m.db", embedder=None) as hs:
        run = hs.run(hs.scope_of("u"), task="anything")
        assert "No note has the number" in run.details(wanted)


def test_a_run_asks_for_no_memory_of_another_user_nor_for_one_held_back(tmp_path):
    with Hindsight.open(tmp_path / "m.db", embedder=None) as hs:
        hers = hs.remember(Scope(user="ana"), LONG, source=Source.USER)
        assert "No note" in hs.run(Scope(user="bob"), task="t").details(hers.id)
        mine = hs.run(Scope(user="ana"), task="restored staging database")
        assert mine.context().numbers == (1,)
        hs.forget(Scope(user="ana"), hers.id)
        assert "No note" in mine.details("1")


def test_details_by_hand_take_the_number_in_the_newest_block(tmp_path):
    with Hindsight.open(tmp_path / "m.db", embedder=None) as hs:
        me = hs.scope_of("u")
        hs.remember(me, LONG, source=Source.USER)
        with pytest.raises(NotFoundError):
            hs.details(me, "1")
        hs.recall(me, "restored staging database")
        assert "pancakes" in hs.details(me, "1")


def test_full_texts_are_a_setting(tmp_path):
    settings = Settings(injection=Injection.FULL)
    with Hindsight.open(tmp_path / "m.db", embedder=None, settings=settings) as hs:
        hs.remember(hs.scope_of("u"), LONG, source=Source.USER)
        run = hs.run(hs.scope_of("u"), task="restored staging database")
        text = run.context(details=True).text
        assert LONG in text
        assert "said by the user" in text
        assert "pancakes" in run.details("1")


def test_an_unknown_way_to_inject_is_refused_by_name():
    with pytest.raises(ConfigurationError, match=r"settings.injection: one of lines, full"):
        Settings(injection="headlines")


def test_details_tell_what_a_line_left_out_and_nothing_that_a_model_cannot_use():
    value = MemoryValue(
        content=LONG,
        intent="restore the database",
        resolution="is restored on Mondays",
        correction="ask Ann first",
    )
    found = memory(LONG, value=value, context=Context(before="When is staging restored?"))
    common = {"mark": "123456789", "now": NOW, "sanitize": lambda text: text}
    told = render_details(found, origin=False, **common)
    assert told == (
        f"<memory-123456789>\n{LONG}\nintent: restore the database\n"
        "correction: ask Ann first\n</memory-123456789>"
    )
    whole = render_details(found, **common).split("\n")
    assert whole[1] == "fact, user, 3d:"
    assert whole[-2] == "said after: When is staging restored?"
    line = lines([found], "pancakes with syrup").text
    full = render([found], recall_id="r", budget=700, **{**common, "mark": "0123456789abcdef"})
    assert count_tokens(line) + count_tokens(told) < 1.6 * count_tokens(full.text)


def test_details_of_a_chinese_memory_are_labelled_in_chinese_and_warn_of_what_contradicts():
    found = memory(LONG_ZH, conflicts_with=("m9",), source=Source.AGENT)
    told = render_details(found, mark="123456789", now=NOW, sanitize=lambda text: text)
    assert "\n事实，智能体，3天：（与另一条笔记矛盾，采用前请先询问）\n" in told
