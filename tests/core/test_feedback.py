"""What a user's next words say about how it went."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture import read_feedback


@pytest.mark.parametrize(
    "text",
    [
        "works, thanks",
        "Perfect.",
        "That's it, thank you!",
        "Great, now do the same for March.",
        "looks good to me",
        "谢谢，可以了",
        "对，就是这个流程。",
        "搞定了",
        "沒問題，謝謝",
        "很好，继续",
    ],
)
def test_praise_is_heard(text: str) -> None:
    assert read_feedback(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "still doesn't work",
        "No, that's wrong.",
        "Good code, wrong place.",
        "It fails again",
        "that isn't what I asked for",
        "还是不行",
        "不对，重来",
        "又报错了",
        "還是沒反應",
        "谢谢，但是没用",
    ],
)
def test_complaint_is_heard_even_beside_praise(text: str) -> None:
    assert read_feedback(text) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "Now book the hotel.",
        "What about Friday?",
        "Could you also send it to Ann, thanks?",
        "再帮我订一间会议室",
        "明天几点？",
        "请把报告发给我，谢谢",
    ],
)
def test_the_next_request_is_no_verdict(text: str) -> None:
    assert read_feedback(text) is None


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert read_feedback(text) in (True, False, None)


def test_a_huge_text_is_read_at_once() -> None:
    begin = time.process_time()
    read_feedback("thanks " * 200_000)
    assert time.process_time() - begin < 0.5
