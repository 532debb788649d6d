"""What a message asks, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.recall.asked import MAX_QUESTIONS, questions
from hindsight_core.recall.question import content_terms


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Book a table. Also, where is the office?", ["Book a table.", "where is the office?"]),
        (
            "How tall is the tower? Additionally, who built it?",
            ["How tall is the tower?", "who built it?"],
        ),
        ("他的生日是哪天？另外，会议的地点在哪里？", ["他的生日是哪天？", "会议的地点在哪里？"]),
        ("他的生日是哪天？此外 會議的地點？", ["他的生日是哪天？", "會議的地點？"]),
        ("It also rains in Bergen", ["It also rains in Bergen"]),
    ],
)
def test_a_message_is_cut_where_it_turns_to_another_question(
    message: str, asked: list[str]
) -> None:
    assert [question.text for question in questions(message)] == asked


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        (
            "The sea was lovely. What I actually wanted to ask is: which hotel was it?",
            "which hotel was it?",
        ),
        ("今天天气不错。其实我想问的是：我住哪家酒店？", "我住哪家酒店？"),
    ],
)
def test_what_a_message_takes_back_is_not_searched(message: str, meant: str) -> None:
    assert [question.text for question in questions(message)] == [meant]


def test_question_words_find_nothing_unless_nothing_else_is_there() -> None:
    assert content_terms("What is the name of my doctor?") == ("name", "doctor")
    assert content_terms("我医生的名字是什么？") == ("我医", "医生", "名字")
    assert content_terms("我醫生的名字是什麼？") == ("我医", "医生", "名字")
    assert content_terms("What is it?") == ("what", "is", "it")
    assert content_terms("哪个？") == ("哪个",)


@given(st.text(max_size=200))
def test_any_text_is_at_most_a_few_questions(message: str) -> None:
    found = questions(message)
    assert 1 <= len(found) <= MAX_QUESTIONS


@given(st.lists(st.sampled_from(["also, ", "另外，", "salt? ", "盐呢？", "pepper "]), max_size=30))
def test_a_message_of_joints_alone_does_not_multiply(parts: list[str]) -> None:
    assert len(questions("".join(parts))) <= MAX_QUESTIONS


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (
            "What is the dog's name? And what is the shed code?",
            ["What is the dog's name?", "And what is the shed code?"],
        ),
        ("狗叫什么名字？仓库的密码是多少？", ["狗叫什么名字？", "仓库的密码是多少？"]),
        ("狗叫什麼名字？還有倉庫在哪？", ["狗叫什麼名字？", "還有倉庫在哪？"]),
        (
            "When is the report due and how long does CI take?",
            ["When is the report due", "how long does CI take?"],
        ),
        ("报告什么时候交，测试要跑多久？", ["报告什么时候交", "测试要跑多久？"]),
        ("1. who runs Osaka? 2. where is the bakery?", ["who runs Osaka?", "where is the bakery?"]),
        ("（1）大阪谁负责（2）面包店在哪", ["大阪谁负责", "面包店在哪"]),
        (
            "About the release: 1) when is it due 2) which branch is frozen",
            ["About the release: when is it due", "which branch is frozen"],
        ),
    ],
)
def test_questions_beside_each_other_are_searched_apart(message: str, asked: list[str]) -> None:
    assert [question.text for question in questions(message)] == asked


@pytest.mark.parametrize(
    "message",
    [
        "Who is Bo? Where does he live?",  # the second is none without the first
        "小王是谁？他住在哪里？",
        "我要去苏州，谁住在那里？面包呢？",
        "What did Ana say and why?",
        "When and where did Caroline meet Tom?",
        "小王喜欢什么，多少钱？",
        "Which framework, FastAPI or Flask, and which database do we use?",
        "Could you help me? I need the port of the wiki.",
        "你好，请问能帮个忙吗？我想知道大阪谁负责。",
        "Hi! How are you? What is the wiki port?",
        "If the build fails, who do I call?",
        "那个住在苏州的同事，他的生日是什么时候？",
        "What happened on 2. May and on 3. June?",
        "版本 3.11.4 有什么问题？",
        "Is the threshold 3.5 or 4.2?",
        "TypeError: is it null? at foo (a.js:1)",
        "What?! Where is the wiki?",
    ],
)
def test_what_belongs_together_is_searched_together(message: str) -> None:
    assert [question.text for question in questions(message)] == [message]


def test_of_many_questions_none_is_dropped() -> None:
    many = "Where is the office? What is the wiki port? Who is my dentist? Which bank is mine?"
    found = questions(many)
    assert len(found) == MAX_QUESTIONS
    assert " ".join(question.text for question in found) == many
    listed = questions("1. 大阪谁负责 2. 面包店在哪 3. 狗叫什么 4. 银行是哪家")
    assert [question.text for question in listed][2] == "狗叫什么 银行是哪家"


def test_that_something_is_denied_tells_nothing() -> None:
    assert content_terms("When should you not book me?") == ("book",)
    assert content_terms("Why doesn't the build pass?") == ("build", "pass")
    assert content_terms("Which queue didn't work?") == ("queue", "work")
