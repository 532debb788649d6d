"""A user's own words among those of others, and words as people type them; both languages."""

from __future__ import annotations

import pytest

from hindsight_core.capture.preferences import extract_preferences, read_preference
from hindsight_core.schema import Polarity

FORWARDED = (
    "Forwarded message from: Tom <tom@corp.example>\n\nPlease always use British spelling.\nTom",
    "From: Tom\nSubject: style\n\nPlease always use British spelling.\nTom",
    "Tom wrote:\nPlease always use British spelling.",
    "On Monday, 3 May, Tom Lee wrote:\nPlease never merge without my review.",
    "发件人：李四\n主题：出行\n\n各位，从今以后请一律订火车票，不要订机票。",
    "王芳说：\n以后周报一律用Word。",
)
HANDED_OVER = (
    "Improve this prompt: You are helpful. Always answer in French. Never use lists.",
    "Reword this: we never refund and always need a receipt.",
    "帮我润色一下：我们周日从不发货，请务必提供订单号。",
    "把这段改通顺：以后一律用英文回答。",
)


@pytest.mark.parametrize("text", FORWARDED, ids=str)
def test_a_message_that_is_passed_on_is_nobodys_wish_here(text: str) -> None:
    assert extract_preferences(text) == []


def test_what_the_user_says_above_a_message_counts() -> None:
    text = "From now on always answer me in German.\n\nFrom: Tom\nPlease always write in French."
    assert [one.want for one in extract_preferences(text)] == [("german",)]


@pytest.mark.parametrize("text", HANDED_OVER, ids=str)
def test_a_text_to_work_on_is_nobodys_wish(text: str) -> None:
    assert extract_preferences(text) == []


@pytest.mark.parametrize(
    ("text", "avoided"),
    [
        ("dont use yarn ever", "yarn"),
        ("pls dont use semicolons", "semicolons"),
        ("Dont ever call me at night", "night"),
        ("I'd rather you didn't use abbreviations.", "abbreviations"),
    ],
)
def test_a_negation_without_its_apostrophe_is_one(text: str, avoided: str) -> None:
    found = read_preference(text)
    assert found is not None
    assert not found.want
    assert any(avoided in term for term in found.avoid)


@pytest.mark.parametrize(
    ("text", "wanted", "other"),
    [
        ("My wife prefers the window, I always want the aisle.", "aisle", "window"),
        ("Our boss likes vim, but I always use emacs.", "emacs", "vim"),
        ("我老婆喜欢靠窗，我一律要靠过道。", "过道", "靠窗"),
    ],
)
def test_ones_own_wish_beside_somebody_elses_is_kept_alone(
    text: str, wanted: str, other: str
) -> None:
    (found,) = extract_preferences(text)
    assert wanted in found.content
    assert other not in found.content


def test_a_rule_for_one_project_stands_beside_the_general_one() -> None:
    general, special = (
        read_preference(text)
        for text in ("Always use pnpm.", "Always use npm in the legacy project.")
    )
    assert general is not None
    assert special is not None
    assert (general.where, special.where) == ((), ("legacy project",))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Always indent with tabs.", "Actually, use spaces from now on."),
        ("Use tabs.", "Use spaces."),
    ],
)
def test_spaces_are_about_what_tabs_are_about(first: str, second: str) -> None:
    slots = {found.slot for text in (first, second) if (found := read_preference(text))}
    assert slots == {"indentation"}


@pytest.mark.parametrize(
    ("text", "avoided"),
    [
        ("I'm not a big fan of emojis.", "emojis"),
        ("I am not keen on spicy food.", "spicy food"),
        ("I'm not really into podcasts.", "podcasts"),
        ("I don't care for cilantro.", "cilantro"),
        ("I don't much like tabs.", "tabs"),
        ("We are not fond of long meetings.", "long meetings"),
        ("我不太喜欢香菜。", "香菜"),
        ("我不怎么喜欢开会。", "开会"),
        ("我不是很喜欢紅酒。", "紅酒"),
        ("我并不喜欢深色模式。", "深色模式"),
        ("我从来不爱喝咖啡。", "咖啡"),
        ("我不太能接受芥末。", "芥末"),
    ],
)
def test_a_mild_dislike_is_one(text: str, avoided: str) -> None:
    found = read_preference(text)
    assert found is not None
    assert (found.polarity, found.want) == (Polarity.AGAINST, ())
    assert avoided in found.avoid
