"""What people say in a few words, with and without a full stop: plain wishes, and plain talk."""

import pytest

from hindsight_core.capture import extract_preferences, read_preference, replaces

WISHES = (
    "I prefer dark mode",
    "I prefer Python",
    "I'd rather have tea",
    "I hate olives",
    "I prefer aisle seats",
    "My timezone is CET",
    "My preferred language is Dutch",
    "I use zsh",
    "Never use sudo",
    "I'm vegetarian",
    "My name is Ana",
    "Please always answer in French",
    "Use tabs, not spaces",
    "I prefer Go",
    "We use MySQL here",
    "My editor is Helix",
    "I hate cilantro",
    "I dislike long emails",
    "I work in Lisbon",
    "我用的是 fish 终端",
    "我偏好深色模式",
    "我更喜欢用 Python",
    "我的时区是 CET",
    "我叫小林",
    "我不吃香菜",
    "别用 bash",
    "以后都用中文回答",
    "我讨厌长邮件",
    "默认用公制",
)
TALK = (
    "Everything looks good to me",
    "I always get an error when I run this",
    "I always get a timeout here",
    "It always fails on Mondays",
    "This never works",
    "I never got the email",
    "你每次都报错",
    "我每次运行都报错",
    "每次都这样",
    "My manager prefers tabs",
    "Looks good, I like it",
    "I like this answer",
    "Sounds good to me",
    "That's fine with me",
    "it works for me",
    "我觉得不错",
    "I keep getting 403",
    "I can never find the settings page",
    "我从来找不到设置",
    "I want a refund",
    "I need a window seat",
    "一切都好",
    "我总是收到错误邮件",
    "What editor do you prefer?",
    "I'd like a coffee please",
    "The build keeps failing",
    "谢谢，很好",
    "再来一次",
    "帮我退款",
    "这个不错",
    "Nice, that's great",
    "ok perfect",
    "I have a question",
    "I am looking for a hotel",
)


def spoken(text: str, stop: str) -> str:
    chinese = any("\u4e00" <= sign <= "\u9fff" for sign in text)
    return text + ("。" if chinese and stop else stop)


@pytest.mark.parametrize("stop", ["", "."])
@pytest.mark.parametrize("text", WISHES)
def test_a_plain_wish_is_kept_with_and_without_a_full_stop(text, stop):
    assert extract_preferences(spoken(text, stop))


@pytest.mark.parametrize("text", TALK)
def test_satisfaction_trouble_and_requests_are_no_wish(text):
    assert not extract_preferences(text)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always reply to Bob in English.", "Always reply to Li in Chinese."),
        ("On Mondays I want the report in English.", "On Fridays I want the report in German."),
        ("I prefer a window seat on flights.", "I prefer an aisle seat on trains."),
        ("Always indent Python with 4 spaces.", "Always indent JavaScript with 2 spaces."),
        ("In the frontend repo, use pnpm.", "In the backend repo, use uv instead of poetry."),
        ("My sister moved to Lyon.", "My brother moved to Ghent."),
    ],
)
def test_a_wish_for_one_thing_replaces_none_for_another(older, newer):
    assert not replaces(read_preference(newer), read_preference(older))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always answer in German.", "From now on answer in English."),
        ("I prefer pnpm", "Use yarn from now on."),
        ("I prefer a window seat", "Actually I prefer an aisle seat"),
        ("My editor is vim", "My editor is Helix"),
        ("以后都用英文回答", "以后都用中文回答"),
    ],
)
def test_a_newer_wish_for_the_same_thing_replaces_the_older(older, newer):
    assert replaces(read_preference(newer), read_preference(older))
