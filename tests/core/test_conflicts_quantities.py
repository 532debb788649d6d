"""Numbers, times and dates in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.guard.conflicts_quantities import quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a timeout of 300 s", [(300, "time")]),
        ("five minutes", [(300, "time")]),
        ("1,500 ms", [(1.5, "time")]),
        ("two weeks", [(14 * 86_400, "time")]),
        ("at 22:30", [(1_350, "clock")]),
        ("at 3 pm", [(900, "clock")]),
        ("€150 a night", [(150, "money")]),
        ("5 megabytes", [(5e6, "size")]),
        ("20 %", [(20, "percent")]),
        ("on 2031-05-01", [(20_310_501, "date")]),
        ("两小时", [(7_200, "time")]),
        ("三十天", [(30 * 86_400, "time")]),
        ("凌晨两点半", [(150, "clock")]),
        ("三百二十元", [(320, "money")]),
        ("五兆", [(5e6, "size")]),
        ("26℃", [(26, "degree")]),
        ("2031年5月1", [(20_310_501, "date")]),
        ("五分鐘", [(300, "time")]),
    ],
)
def test_quantities_are_read_in_common_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(q.value, q.dimension) for q in quantities(text)] == [
        (pytest.approx(value), dimension) for value, dimension in expected
    ]


@pytest.mark.parametrize("text", ["一起去", "万一下雨", "统一格式", "千万别动", "no one", ""])
def test_words_that_merely_hold_a_numeral_are_none(text: str) -> None:
    assert [q for q in quantities(text) if q.dimension] == []


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    quantities(text)


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_a_plain_number_keeps_its_value(number: int) -> None:
    assert [q.value for q in quantities(f"exactly {number} rows")] == [number]
