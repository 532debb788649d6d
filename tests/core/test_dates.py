"""Relative dates mean days, in both languages, seen from the day on which they were said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope, dates
from hindsight_core.dates import Span, spans, without_dates
from hindsight_core.schema import Context

MONDAY = date(2026, 11, 30)
ME = Scope(user="me")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I met Ann last Tuesday.", "2026-11-24", "2026-11-24"),
        ("on the day before yesterday", "2026-11-28", "2026-11-28"),
        ("Yesterday was fine", "2026-11-29", "2026-11-29"),
        ("a couple of days ago", "2026-11-28", "2026-11-28"),
        ("two weeks ago", "2026-11-16", "2026-11-16"),
        ("next Monday", "2026-12-07", "2026-12-07"),
        ("last week", "2026-11-23", "2026-11-29"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("11 months ago", "2025-12-01", "2025-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("上周三我见了小安。", "2026-11-25", "2026-11-25"),
        ("上週三我見了小安。", "2026-11-25", "2026-11-25"),
        ("前天", "2026-11-28", "2026-11-28"),
        ("大前天", "2026-11-27", "2026-11-27"),
        ("昨晚下雨", "2026-11-29", "2026-11-29"),
        ("三天前", "2026-11-27", "2026-11-27"),
        ("十二天前", "2026-11-18", "2026-11-18"),
        ("两个月前", "2026-09-01", "2026-09-30"),
        ("下禮拜天", "2026-12-13", "2026-12-13"),
        ("上個月", "2026-10-01", "2026-10-31"),
        ("去年", "2025-01-01", "2025-12-31"),
    ],
)
def test_a_relative_date_means_the_days_that_it_meant_when_it_was_said(
    text: str, first: str, last: str
) -> None:
    assert spans(text, MONDAY) == (Span(date.fromisoformat(first), date.fromisoformat(last)),)


@pytest.mark.parametrize(
    "text",
    ["", "Tuesday", "the latest week", "half a year ago", "9999 years ago", "周三", "二十三天前后"],
)
def test_what_is_no_relative_date_means_no_day(text: str) -> None:
    assert spans(text, MONDAY) == ()


@given(st.text(max_size=60), st.dates())
def test_any_text_on_any_day_means_a_few_days_in_order(text: str, said_on: date) -> None:
    assert all(span.first <= span.last for span in spans(text, said_on))


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2200, 1, 1)), st.integers(0, 6))
def test_the_last_such_day_is_of_the_seven_before(said_on: date, day: int) -> None:
    name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[day]
    (span,) = spans(f"last {name}", said_on)
    assert span.first.weekday() == day
    assert timedelta(1) <= said_on - span.first <= timedelta(7)


@pytest.mark.parametrize(
    ("said", "noise", "question"),
    [
        (
            "Last Tuesday I bought a red bicycle.",
            "I bought a red lamp in the shop.",
            "What did Ann buy on 24 November 2026?",
        ),
        ("上周二我买了一辆红色自行车。", "我买了一盏红色的灯。", "11月24日买了什么？"),
    ],
)
def test_a_date_finds_what_named_it_relative_to_its_own_day(
    tmp_path: Path, said: str, noise: str, question: str
) -> None:
    said_at = datetime(2026, 12, 1, tzinfo=UTC) - timedelta(days=1)
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        memory.remember(ME, noise, context=Context(said_at=said_at))
        memory.remember(ME, said, context=Context(said_at=said_at))
        found = memory.recall(ME, question)
    assert found.memories[0].content == said
    assert found.block is not None
    assert "2026" not in found.block.text


@pytest.mark.parametrize(
    ("template", "question"),
    [
        ("We talked about the port of the wiki, part {n}.", "the wiki port that we had yesterday"),
        ("我们谈了维基的端口，第{n}部分。", "昨天我们谈了维基的端口吗？"),
    ],
)
def test_a_question_about_yesterday_prefers_what_is_of_yesterday(
    tmp_path: Path, template: str, question: str
) -> None:
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=lambda: now) as memory:
        for days in range(60):
            text = template.format(n=days)
            at = now - timedelta(days=days)
            memory.remember(ME, text, context=Context(said_at=at), time=at)
        found = memory.recall(ME, question)
    assert found.memories[0].content == template.format(n=1)
    first = found.report.candidates[0]
    assert first.evidence["time"] > 0


@given(
    st.text(
        alphabet="昨今明前后去天日晚夜早晨年上下这本个周星期礼拜月之以一两十 agolstnexhidyw12",
        max_size=40,
    )
)
def test_the_hint_misses_no_text_that_a_rule_would_take(text: str) -> None:
    for hint, rules in dates._rules():
        if any(rule.pattern.search(text) for rule in rules):
            assert hint.search(text)


@pytest.mark.parametrize("word", ["昨天", "yesterday ", "上周三", "3 days ago "])
def test_a_text_of_dates_alone_takes_no_time(word: str) -> None:
    found = []
    assert seconds_of(lambda: found.append(spans(word * 2_000, date(2026, 6, 16)))) < 0.5
    assert seconds_of(lambda: found.append(without_dates(word * 2_000))) < 0.5
    assert found[0]
    assert found[1] is not None
