"""What people say in a few words, with and without a full stop: plain wishes, and plain talk."""

import pytest

from hindsight_core.capture import extract_preferences, read_preference, replaces
from hindsight_core.recall import shipped_synonyms

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


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("我出差都坐高铁，一等座靠过道。", "以后出差改坐飞机，别再订火车票。"),
        ("我寄文件都走顺丰，到付。", "以后寄文件改走京东，别再下顺丰的单。"),
        ("注释一律用英文，美式拼写。", "来了新同事，注释从现在起改写中文，别再生成英文的。"),
        ("發貨單的重量填克，不填公斤。", "系統升級了，發貨單的重量改填公斤，別再填克。"),
        ("I always go by train, second class.", "From now on I fly, don't book trains any more."),
        ("I ship documents with FastPost.", "Ship documents with NordMail, never FastPost again."),
    ],
)
def test_a_correction_that_ends_what_was_wanted_replaces_it_whatever_the_slot(older, newer):
    spellings = shipped_synonyms().spellings
    assert replaces(read_preference(newer), read_preference(older), spellings=spellings)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("周一的报告用英文写。", "周五的报告用中文写。"),
        ("我喜欢坐高铁。", "我妹妹不坐高铁了，别再给她订火车票。"),
        ("周报用邮件发。", "别再给王总发邮件。"),
    ],
)
def test_a_correction_of_something_else_replaces_nothing(older, newer):
    spellings = shipped_synonyms().spellings
    assert not replaces(read_preference(newer), read_preference(older), spellings=spellings)


@pytest.mark.parametrize(
    "text",
    [
        "注释从现在起改写中文，别再生成英文的。",
        "版本说明从这一版起改写中文，不再写英文的。",
        "报告从下周一开始一律发邮件。",
        "Starting next week write code comments in English, no more German ones.",
    ],
)
def test_a_date_from_which_on_a_wish_holds_makes_it_no_passing_one(text):
    assert extract_preferences(text)


@pytest.mark.parametrize("text", ["把这段话改写成英文", "帮我改写中文简历"])
def test_what_is_to_be_rewritten_is_no_lasting_wish(text):
    assert not extract_preferences(text)


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("No meetings before 10:00.", "No meetings after 18:00.", False),
        ("No meetings before 10:00.", "No meetings before 11:00.", True),
        ("上午十点之前不要给我排会。", "晚上六点以后别安排会议。", False),
        ("会议不要超过 30 分钟。", "会议不要超过 45 分钟。", True),
    ],
)
def test_a_bound_replaces_the_bound_on_its_own_side(older, newer, expected):
    assert replaces(read_preference(newer), read_preference(older)) is expected
