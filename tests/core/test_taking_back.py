"""What a user takes back in conversation: corrected, put away at his word, never stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope, Source, Status, Where
from hindsight_core.capture import (
    asks_for_erasure,
    extract_preferences,
    forgotten,
    names,
    read_reply,
    reworded,
    reworded_act,
)

ME = Scope(user="ana")
EVERYTHING = Where(statuses=tuple(Status), include_superseded=True)


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def say(hs, *texts, nested=False):
    for text in texts:
        run = hs.run(ME, task="work", session="talk")
        run.user(text, turn=f"{text} {nested}", nested=nested)
        run.finish(ok=True)
        assert hs.flush(60)
    return {memory.content for memory in hs.memories(ME)}


CORRECTIONS = [
    ("Always use npm.", "No, not npm. pnpm!", "Always use pnpm."),
    ("Always use metric units.", "No, imperial units please.", "Always use imperial units."),
    ("Always draw charts in blue.", "Hmm, make that green.", "Always draw charts in green."),
    ("Always use tabs.", "Sorry, I meant spaces.", "Always use spaces."),
    ("Always answer in German.", "No, English please.", "Always answer in English."),
    ("以后图表用蓝色", "还是用绿色吧", "以后图表用绿色"),
    ("以後圖表用藍色", "還是用綠色吧", "以後圖表用綠色"),
    ("以后用空格缩进", "不是空格，是tab", "以后用tab缩进"),
    ("以後用空格縮進", "不是空格，是tab", "以後用tab縮進"),
    ("我住在北京", "我搬到上海了", "我搬到上海了"),
    (
        "Always ship parcels to Harbour Street 5.",
        "Actually ship them to Mill Lane 9 from now on.",
        "Actually ship parcels to Mill Lane 9 from now on.",
    ),
    ("I work at Acme", "I work at Initech now.", "I work at Initech now."),
    ("Always use npm, never yarn.", "No, yarn please.", "Always use yarn, never npm."),
]


@pytest.mark.parametrize(("first", "then", "left"), CORRECTIONS)
def test_a_short_correction_takes_the_place_of_what_it_corrects(hs, first, then, left):
    assert say(hs, first, then) == {left}
    old, new = sorted(hs.memories(ME, EVERYTHING), key=lambda memory: memory.created_at)
    assert old.superseded_by == new.id
    assert new.supersedes == (old.id,)
    assert [e.subject for e in hs.store.audit_log() if e.action == "supersede"] == [new.id]


def test_a_user_may_go_back_to_what_he_had_corrected(hs):
    first, second = "Always use npm.", "Always use pnpm."
    assert say(hs, first, "No, not npm. pnpm!") == {second}
    assert say(hs, "No, npm please.") == {first}
    assert say(hs, "Sorry, I meant pnpm.") == {second}
    assert len(hs.memories(ME, EVERYTHING)) == 2


def test_judging_a_turn_again_changes_and_tells_nothing_more(hs):
    runs = []
    for text in (
        "Always use npm.",
        "No, not npm. pnpm!",
        "Forget what I said about pnpm.",
        "Delete everything you know about me.",
    ):
        run = hs.run(ME, task="work", session="talk")
        run.user(text, turn=text)
        run.finish(ok=True)
        assert hs.flush(60)
        runs.append(run)
    before = [memory.model_dump() for memory in hs.memories(ME, EVERYTHING)]
    log = hs.store.audit_log()
    for run in runs:
        run.after_tool("noop", {}, result="late")
        run.finish(ok=True)
    assert hs.flush(60)
    assert [memory.model_dump() for memory in hs.memories(ME, EVERYTHING)] == before
    assert hs.store.audit_log() == log


def test_a_correction_in_the_same_run_is_read_as_well(hs):
    run = hs.run(ME, task="work")
    run.user("Always use npm.", turn="1")
    run.user("No, not npm. pnpm!", turn="2")
    run.finish(ok=True)
    assert hs.flush(60)
    assert [memory.content for memory in hs.memories(ME)] == ["Always use pnpm."]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Always answer in German.", "Make that two pizzas."),
        ("Always answer in German.", "No, the other one please."),
        ("Always answer in German.", "Make that green."),
        ("Never use red in charts.", "Make it green."),
        ("我住在北京", "我搬到上海了吗？"),
        ("我住在北京", "我同事搬到上海了"),
        ("以后都用中文回答", "还是用绿色吧"),
    ],
)
def test_a_reply_about_something_else_changes_nothing(hs, first, then):
    assert first in say(hs, first, then)


def test_words_that_name_no_value_are_not_exchanged():
    assert reworded("Never deploy before you are sure.", read_reply("Not sure, maybe.")) is None


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ("forget what I said about pnpm", {"Always answer in German."}),
        ("Forget what I said about German.", {"I prefer pnpm over npm."}),
        ("忘掉我说的关于pnpm的话", {"Always answer in German."}),
        ("忘掉我說的關於pnpm的話", {"Always answer in German."}),
        ("把我说的关于pnpm的话都忘了吧。", {"Always answer in German."}),
        (
            "Please forget that I like tea.",
            {"Always answer in German.", "I prefer pnpm over npm."},
        ),
        ("忘掉我说的关于的的话", {"Always answer in German.", "I prefer pnpm over npm."}),
    ],
)
def test_what_a_user_asks_to_forget_is_put_away_and_the_request_is_not_stored(hs, what, left):
    before = {"Always answer in German.", "I prefer pnpm over npm."}
    assert say(hs, *sorted(before)) == before
    assert say(hs, what) == left
    archived = hs.memories(ME, Where(statuses=(Status.ARCHIVED,)))
    assert {memory.content for memory in archived} == before - left
    told = [e for e in hs.store.audit_log() if e.action == "archive"]
    assert [(e.actor, e.subject) for e in told] == [("user", memory.id) for memory in archived]


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("Forget that I drink coffee.", {"I drink coffee."}),
        ("Forget that I don't drink coffee.", {"I don't drink coffee."}),
        ("Forget what I said about coffee.", {"I drink coffee.", "I don't drink coffee."}),
        ("忘记我爱喝咖啡这件事", {"我爱喝咖啡。"}),
        ("忘掉我不爱喝咖啡这一点吧", {"我不爱喝咖啡。"}),
        ("忘掉我说的关于咖啡的话", {"我爱喝咖啡。", "我不爱喝咖啡。"}),
    ],
)
def test_a_statement_to_be_forgotten_is_not_its_contrary(what, named):
    said = {"I drink coffee.", "I don't drink coffee.", "我爱喝咖啡。", "我不爱喝咖啡。"}
    (wanted,) = forgotten(what)
    assert {one for one in said if names(wanted, one)} == named


def test_what_was_put_away_can_be_brought_back(hs):
    say(hs, "Always answer in German.", "Forget what I said about German.")
    [archived] = hs.memories(ME, Where(statuses=(Status.ARCHIVED,)))
    assert hs.restore(ME, archived.id).status is Status.ACTIVE


def test_only_the_users_own_word_puts_anything_away(hs):
    say(hs, "Always answer in German.")
    hs.remember(ME, "German holidays differ by state.", source=Source.TOOL)
    other = Scope(user="bo")
    run = hs.run(other, task="work")
    run.user("Forget what I said about German.", turn="1")
    run.agent("Forget what I said about German.", turn="2")
    run.finish(ok=True)
    assert hs.flush(60)
    assert say(hs, "Forget what I said about German.", nested=True) == {
        "Always answer in German.",
        "German holidays differ by state.",
    }
    assert say(hs, "Forget what I said about German.") == {"German holidays differ by state."}


@pytest.mark.parametrize(
    "text",
    [
        "Please delete everything you know about me.",
        "Forget everything about me.",
        "Can you delete all the data you have on me?",
        "把关于我的一切都删掉",
        "把關於我的一切都刪掉",
    ],
)
def test_a_wish_for_erasure_is_told_to_the_operator_and_erases_nothing_by_itself(hs, text, caplog):
    assert say(hs, "Always answer in German.", text) == {"Always answer in German."}
    entry = next(e for e in hs.store.audit_log() if e.action == "erasure asked for")
    assert entry.actor == "user"
    assert "forget --all" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget that I like tea.",
        "Delete everything in the build folder.",
        "I forget what I said about pnpm.",
        "> forget what I said about pnpm",
        '"Please delete everything you know about me."',
        "别忘了我说的关于pnpm的话",
        "删掉所有日志",
    ],
)
def test_other_talk_of_forgetting_takes_nothing_back(text):
    assert not asks_for_erasure(text) or text.startswith('"')
    assert forgotten(text) == []


def test_a_new_wish_beside_what_is_forgotten_is_kept():
    text = "Forget what I said about German. Always answer in English."
    assert forgotten(text) == ["German"]
    assert [one.content for one in extract_preferences(text)] == ["Always answer in English."]


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_breaks_the_reading_of_replies(content, text):
    reply = read_reply(text)
    if reply is not None:
        reworded(content, reply)
    reworded_act(content, text)
    forgotten(text)
    asks_for_erasure(text)
