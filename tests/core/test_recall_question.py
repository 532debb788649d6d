"""What a message asks, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.recall.question import MAX_QUESTIONS, content_terms, questions


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
