"""Polarity: what one text says and the other denies."""

from __future__ import annotations

import pytest
from cpu_kit import seconds_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.guard.conflicts_polarity import polarity, same_polarity
from hindsight_core.schema import Polarity


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Use bash for scripts.", "Do not use bash for scripts."),
        ("Deploy on Monday.", "Deploy on Tuesday."),
        ("The timeout is 15 minutes.", "The timeout is 50 minutes."),
        ("The gate is open at night.", "The gate is closed at night."),
        ("She likes tea.", "She dislikes tea."),
        ("The endpoint accepts CSV.", "The endpoint rejects CSV."),
        ("用 bash 写脚本。", "不要用 bash 写脚本。"),
        ("周一部署。", "周二部署。"),
        ("超时是十五分钟。", "超时是五十分钟。"),
        ("晚上门是开着的。", "晚上门是关着的。"),
        ("客户喜欢打电话。", "客户讨厌打电话。"),
        ("報告用繁體字。", "報告用簡體字。"),
    ],
)
def test_texts_that_say_the_opposite_have_no_common_polarity(a: str, b: str) -> None:
    assert not same_polarity(a, b)
    assert not same_polarity(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Never use bash for scripts.", "Do not use bash for scripts."),
        ("The timeout is 5 minutes.", "The timeout is 300 s."),
        ("I do not like tea.", "I dislike tea."),
        ("Not only Python but also Rust.", "Python and also Rust."),
        ("不要用 bash 写脚本。", "脚本别用 bash 写。"),
        ("超时是五分钟。", "超时是300秒。"),
        ("不但支持 CSV，也支持 JSON。", "支持 CSV，也支持 JSON。"),
        ("報告要簡短。", "报告要简短。"),
    ],
)
def test_texts_that_say_the_same_in_other_words_have_one_polarity(a: str, b: str) -> None:
    assert same_polarity(a, b)
    assert same_polarity(b, a)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use tabs.", Polarity.FOR),
        ("Never use tabs.", Polarity.AGAINST),
        ("I don't dislike tabs.", Polarity.FOR),
        ("用制表符缩进。", Polarity.FOR),
        ("禁止用制表符缩进。", Polarity.AGAINST),
        ("...", Polarity.NEUTRAL),
        ("", Polarity.NEUTRAL),
    ],
)
def test_polarity_tells_a_wish_from_a_prohibition(text: str, expected: Polarity) -> None:
    assert polarity(text) is expected


@settings(deadline=None)
@given(st.text(max_size=200))
def test_every_text_agrees_with_itself(text: str) -> None:
    assert same_polarity(text, text)


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_polarity_is_symmetric(a: str, b: str) -> None:
    assert same_polarity(a, b) == same_polarity(b, a)


@pytest.mark.parametrize("sign", ["a", "不", "9", "9,", "十", "don't ", "\ud800", "\x00", "的 "])
def test_a_huge_text_takes_no_longer_than_its_beginning(sign: str) -> None:
    assert seconds_of(lambda: same_polarity(sign * 100_000, sign * 99_999 + "x")) < 2.0
