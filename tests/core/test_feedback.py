"""What a user's next words say about how it went."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture import makes_it_the_way, read_feedback
from hindsight_core.capture.dialogue import LANGUAGES, TABLES, heard
from hindsight_core.capture.feedback import asks_anew


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
        "No errors anymore, thanks!",
        "Never mind, it works",
        "没有问题",
        "没报错了",
        "👍",
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
        "great, it crashed again",
        "That worked, except the date is off",
        "works on my laptop, not on the server",
        "The old one worked better",
        "Thanks for nothing",
        "Hmm, still 404",
        "it still throws 500",
        "好像还是老样子",
        "please revert",
        "太好了，又崩了",
        "不可以",
        "有问题",
        "👎",
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
        "Does it work?",
        "Is it wrong to ship on Fridays?",
        "What if it doesn't work tomorrow?",
        "Fix this bug: login doesn't work",
        "Tell me whether the test works",
        "Write a mail: 'it works, thanks'",
        "ok but why did it fail the first time?",
        "行不行？",
        "如果不行就换一个",
        "帮我看看另一个bug：登录失败了",
        "no worries",
        "My boss said it failed",
        "他说不行",
        "别再出错了",
    ],
)
def test_the_next_request_is_no_verdict(text: str) -> None:
    assert read_feedback(text) is None


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert read_feedback(text) in (True, False, None)


def test_a_huge_text_is_read_at_once() -> None:
    assert seconds_of(lambda: read_feedback("thanks " * 200_000)) < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "OK. Now refund A-1002 for Mrs. Weber.",
        "Please send the second letter to Ann in Rome",
        "现在退掉另一张订单，金额一样",
        "另外查一下李四",
    ],
)
def test_a_turn_that_asks_for_something_else_is_told(text: str) -> None:
    assert asks_anew(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes, go ahead",
        "Sorry, I meant the order A-1010",
        "bob@example.org",
        "try again with the full path, please",
        "好的",
        "打错了，应该是张三",
        "wrong id, it is the A-17 from yesterday",
        "还是不行",
    ],
)
def test_a_turn_that_corrects_or_answers_asks_for_nothing_else(text: str) -> None:
    assert not asks_anew(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_of_dialogue_has_every_table(language: str) -> None:
    text = files("hindsight_core.capture.dialogue").joinpath(f"{language}.toml").read_text("utf-8")
    assert set(tomllib.loads(text)["patterns"]) == set(TABLES)
    assert all(isinstance(heard(name, "x"), bool) for name in TABLES)


@pytest.mark.parametrize(
    "text",
    [
        "Good. Every new shop is set up like this from now on.",
        "That's the order I want each time, always the same steps.",
        "From now on, same procedure for all new tenants.",
        "很好，以后开新店照这个来。",
        "对，今后每次都按这套流程走",
        "以后开新店都照這樣來",
    ],
)
def test_a_way_is_made_the_rule(text: str) -> None:
    assert makes_it_the_way(text)
    assert read_feedback(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "Good, thanks.",
        "Do it like this: first the stock, then the till.",
        "Not like this next time, it took far too long.",
        "The same steps for the Leith shop, please.",
        "From now on call me Jo.",
        "照这个号码打过去",
        "以后别这样了，不行",
        "以后再说吧",
        "按这个顺序把三家店开了",
    ],
)
def test_a_way_is_not_made_the_rule(text: str) -> None:
    assert not makes_it_the_way(text)
