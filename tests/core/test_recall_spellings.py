"""Dates, numbers, quantities and compounds find each other however they are written."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope, Settings
from hindsight_core.recall import shipped_synonyms
from hindsight_core.recall.spellings import other_spellings
from hindsight_core.text import terms

ME = Scope(user="me")


def finds(asked: str, known: str) -> bool:
    """Whether another spelling of something that is asked for is in what is known."""
    held = set(terms(known))
    return any(held.issuperset(other) for one in other_spellings(asked) for other in one.others)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("What did we sign on April 3rd?", "4月3日签了合同"),
        ("What did we sign on April 3rd?", "Signed on 2026-04-03."),
        ("the third meeting, 3 Apr", "the meeting of April 3"),
        ("四月三号签了什么？", "On the 3rd of April we signed."),
        ("四月三日签了什么？", "4月3日签了合同"),
        ("4月3号签了什么？", "四月三日签了合同"),
        ("What is due on 2026-07-10?", "The report is due on July 10th."),
        ("７月１０號要交什麼", "报告的截止日期是2026-07-10。"),
        ("Which room fits fourteen people?", "The room on the fourth floor seats 14."),
        ("哪个会议室能坐十四人？", "四楼会议室能坐14个人。"),
        ("a queue of thirty-five tasks", "35 tasks are allowed"),
        ("Where is the 90 s timeout set?", "proxy_read_timeout is 90s"),
        ("90秒的超时在哪里设？", "proxy_read_timeout 设为 90s"),
        ("a load of 1200 kilograms", "冷藏车载重1200公斤"),
        ("每晚拷多少，340 GB 吗", "the backup copies 340GB"),
        ("Which e-mail address do I use?", "My email is ana at example."),
        ("Which email address do I use?", "E-mail goes to ana at example."),
        ("我的 e-mail 是什么", "email 是 ana"),
        ("who is on-call?", "The oncall rota is in the wiki."),
        ("who is oncall?", "Ana is on call this week."),
        ("how do we back up the wiki", "The backup runs at two."),
        ("where are the backups", "We back it up every night."),
        ("a multi-tenant store", "The store is multitenant."),
        ("a multitenant store", "The store is multi-tenant."),
        ("the Wi-Fi password", "WiFi 密码在前台"),
    ],
)
def test_other_spellings_are_found(asked: str, known: str) -> None:
    assert finds(asked, known)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("What did we sign on April 3rd?", "Signed on April 30th."),
        ("What did we sign on April 3rd?", "5月3日签了合同"),
        ("四月三号签了什么？", "4月13日签了合同"),
        ("Which room fits fourteen people?", "The room seats 40 people."),
        ("二十五号", "the 5th floor"),
        ("Where is the 90 s timeout set?", "a limit of 90 MB"),
        ("a rebate of 12 percent", "12 people came"),
        ("the present state", "it was sent before (pre-release)"),
        ("non-stick pans", "the stick is broken"),
        ("the nonstick pan", "the stick is broken"),
        ("1200公斤", "1200 grams"),
        ("in 2026年", "2026 people"),
        ("版本 3.11.4", "3 people on day 11"),
        ("at 10:30", "ten people"),
        ("十分感谢", "an apple"),
    ],
)
def test_what_is_another_thing_is_not_found(asked: str, known: str) -> None:
    assert not finds(asked, known)


@given(st.text(alphabet="0123456789 十二三月日号apr.-/:msgkm%年公斤", max_size=80))
def test_any_text_has_few_spellings_and_none_of_them_is_empty(text: str) -> None:
    found = other_spellings(text)
    assert len(found) <= 6
    assert all(one.word and one.others and all(one.others) for one in found)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("What is due on July 10?", "The quarterly figures: 2026-07-10."),
        ("七月十号要交什么？", "The quarterly figures are due on July 10th."),
        ("哪个会议室能坐十四人？", "四楼会议室能坐14个人。"),
        ("Who has the grey car?", "Ben drives the gray vehicle."),
        ("backup 拷到哪里？", "夜间备份拷到法兰克福。"),
    ],
)
def test_by_words_alone_another_spelling_is_found(tmp_path: Path, asked: str, known: str) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        for number in range(30):
            memory.remember(ME, f"Shelf {number + 40} holds bolts for the {number}th crane.")
            memory.remember(ME, f"第{number + 40}号货架放着螺栓和第{number}台吊车的零件。")
        memory.remember(ME, known)
        assert [one.content for one in memory.recall(ME, asked).memories] == [known]


def test_bigrams_that_reach_across_words_do_not_hide_a_memory(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        memory.remember(ME, "嬰兒房的溫度要保持在二十度。")
        memory.remember(ME, "办公室的暖气只有物业能开。")
        memory.remember(ME, "客户的邮件要当天回复。")
        for asked in ("婴儿房应该几度？", "嬰兒房應該幾度？"):
            found = memory.recall(ME, asked)
            assert [one.content for one in found.memories] == ["嬰兒房的溫度要保持在二十度。"]
        # What no memory holds still tells that this is about something else.
        for asked in (
            "办公楼的电梯坏了怎么办？",
            "火星上白天的温度是多少？",
            "推荐一本讲客家菜的书",
        ):
            assert memory.recall(ME, asked).memories == ()


def test_units_and_spellings_are_synonyms_and_look_alikes_are_not() -> None:
    synonyms = shipped_synonyms()
    assert "gb" in synonyms.spellings(["gigabyte"])
    assert "color" in synonyms.spellings(["colour"])
    assert "公斤" in synonyms.spellings(["kg"])
    assert "gram" not in synonyms.spellings(["kg"])
    assert "sister" not in synonyms.spellings(["brother"])


def test_words_of_one_stem_are_no_synonyms_and_break_no_recall(tmp_path: Path) -> None:
    settings = Settings(synonyms=(("booking", "bookings"), ("工单", "工單")))
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, settings=settings) as memory:
        memory.remember(ME, "The booking is cancelled on Fridays.")
        memory.remember(ME, "工单在周五关闭。")
        assert len(memory.recall(ME, "When is the booking cancelled?").memories) == 1
        assert len(memory.recall(ME, "工單什麼時候關閉？").memories) == 1


def test_every_shipped_synonym_has_another_word() -> None:
    every = shipped_synonyms()
    for group in tomllib.loads(
        files("hindsight_core.recall").joinpath("synonyms.toml").read_text(encoding="utf-8")
    ).values():
        for words in group["groups"]:
            for word in words:
                assert every.of(terms(word)), word
