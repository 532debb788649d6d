"""Which of a user's statements take the place of which: what is about something else stays."""

from __future__ import annotations

import pytest

from hindsight_core import Hindsight, Scope, Status, Where
from hindsight_core.capture import read_preference, replaces

ME = Scope(user="ana")
EVERYTHING = Where(statuses=tuple(Status), include_superseded=True)


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def talk(hs, *texts):
    """Say each text in a run of its own, of one conversation; return what stands after."""
    for number, text in enumerate(texts):
        run = hs.run(ME, task="work", session="talk")
        run.user(text, turn=str(number))
        run.finish(ok=True)
        assert hs.flush(60)
    return {memory.content for memory in hs.memories(ME)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "From now on, never book a table before 19:00.",
            "From now on, always show results in a table.",
        ),
        ("Always use tabs in Go.", "Use 4 spaces in Python."),
        ("Answer in German.", "Write code comments in English."),
        ("Always write code comments in English.", "Always answer in German."),
        ("Always use dark mode charts.", "Always use a light theme for slides."),
        ("Always use miles for running.", "Use kilometres for cycling."),
        ("I use vim for config files.", "I use PyCharm for Python."),
        ("Use npm for the website.", "Use pnpm for the app."),
        ("Never call me before 9:00.", "Call me Bob."),
        ("Use tabs.", "Actually, use 4 spaces in Python."),
        ("以后写Go用tab", "Python用四个空格"),
        ("以後寫Go用tab", "Python用四個空格"),
        ("以后回答都用中文。", "代码注释一律用英文。"),
        ("图表一律用深色主题。", "幻灯片一律用浅色主题。"),
        ("以后订桌都不要早于19点。", "以后结果都用表格展示。"),
    ],
)
def test_one_slot_is_no_ground_to_put_a_rule_for_something_else_away(one, other):
    assert not replaces(read_preference(other), read_preference(one))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always use tabs in Go.", "From now on use spaces in Go."),
        ("Always use dark mode for slides.", "Light mode for slides from now on."),
        ("Always use tabs in Go.", "Actually, back to spaces from now on."),
        ("I work at Acme.", "I work at Initech now."),
        ("Oat milk always.", "Soy milk from now on."),
        ("以后写Go都用tab缩进。", "写Go改用空格缩进。"),
        ("以后都用npm", "以后都改用pnpm，不要用npm"),
    ],
)
def test_a_newer_rule_for_the_same_thing_takes_the_older_ones_place(older, newer):
    assert replaces(read_preference(newer), read_preference(older))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "From now on, never book a table before 19:00.",
            "From now on, always show results in a table.",
        ),
        ("Always use tabs in Go.", "Use 4 spaces in Python."),
        ("Always use dark mode charts.", "Always use a light theme for slides."),
        ("以后写Go都用tab。", "以后写Python都用四个空格。"),
    ],
)
def test_rules_for_two_things_both_stand(hs, one, other):
    assert talk(hs, one, other) == {one, other}


@pytest.mark.parametrize(
    ("both", "newer", "left", "gone"),
    [
        ("My name is Ana and I live in Lisbon.", "I moved to Berlin.", "Ana", "Lisbon"),
        ("I live in Lisbon and I work at Acme.", "I moved to Berlin.", "Acme", "Lisbon"),
        ("我叫小林，我住在北京。", "我住在上海。", "小林", "北京"),
    ],
)
def test_of_two_facts_in_one_sentence_only_the_one_that_changed_is_replaced(
    hs, both, newer, left, gone
):
    standing = talk(hs, both, newer)
    assert newer in standing
    assert any(left in text for text in standing)
    assert not any(gone in text for text in standing)


def test_a_stored_sentence_that_says_more_is_not_put_away_for_a_part():
    both, newer = "My name is Ana and I live in Lisbon.", "I moved to Berlin."
    assert not replaces(read_preference(newer), read_preference(both))


@pytest.mark.parametrize(
    ("older", "newer", "gone"),
    [
        (
            "The sign-off is 'Yours truly', always, and Ida checks it.",
            "From now on the sign-off is 'Kind regards', don't use 'Yours truly' any more.",
            True,
        ),
        (
            "The sign-off is 'Yours truly', always, and Ida checks it.",
            "From now on the greeting is 'Dear members', don't use 'Hi all' any more.",
            False,
        ),
        ("团队外出都坐大巴。", "往后团队外出改坐高铁，大巴就不要订了。", True),
        ("团队外出都坐大巴。", "往后开会改用圆桌，投影就不要开了。", False),
    ],
)
def test_who_turns_against_what_was_wanted_by_its_name_takes_its_place(older, newer, gone):
    assert replaces(read_preference(newer), read_preference(older)) is gone


def test_each_statement_that_gave_way_stands_in_the_audit_log(hs):
    talk(hs, "Always answer in German.", "From now on answer in English.")
    old, new = sorted(hs.memories(ME, EVERYTHING), key=lambda memory: memory.created_at)
    assert old.superseded_by == new.id
    entry = next(e for e in hs.store.audit_log() if e.action == "supersede")
    assert entry.subject == new.id
    assert old.id in entry.detail
