"""Rules and calls of any text are compared without an error and in bounded time."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hindsight_core.capture import limits_of, make_call, read_preference, weekdays_in, weekdays_of
from hindsight_core.gate import Wish
from hindsight_core.gate.commands import doing
from hindsight_core.gate.missing import named_as_missing
from hindsight_core.gate.wishes import breaks, view_of
from hindsight_core.han import simplified
from hindsight_core.schema import Preference
from hindsight_core.text import fold

WORDS = """
never don't only before after 10:00 6 pm 50 euros prod main, except in docker npm ,
别 不要 生产库 千万 十点 之前 以后 超过 30 分钟 除外 周五 一律 只 发 改 用 ，
"""
RULES = st.text(max_size=200) | st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(rule=RULES, tool=st.text(max_size=20), args=st.dictionaries(st.text(max_size=10), VALUES))
def test_any_rule_can_be_held_against_any_call(rule, tool, args):
    finding = read_preference(rule)
    wish = Wish.read("m", finding, Preference(slot="", tools=(tool,))) if finding else None
    if wish is not None:
        assert breaks(wish, view_of(make_call(tool, args))) in (True, False)


def unquoted(text):
    return text.translate(dict.fromkeys(map(ord, "\"'`")))


@settings(max_examples=150, deadline=None)
@example(text='0"0"')
@given(text=st.text(max_size=300) | RULES)
def test_bounds_days_commands_and_errors_are_read_from_any_text(text):
    # A bound of bare numbers has no unit; a number stands in the text, in digits or in Chinese.
    assert all(
        limit.unit or re.search(r"[0-9一二两三四五六七八九十百千万]", simplified(fold(text)))
        for limit in limits_of(text)
    )
    assert weekdays_of(text) <= set(range(7))
    assert weekdays_in(text) <= set(range(7))
    # A quoted word is one with what it touches, as for the shell.
    assert all(unquoted(word) in unquoted(text) for word in doing(text).split())
    assert all(name in text for name in named_as_missing(text))


def test_a_time_that_is_none_is_no_bound_of_bare_numbers():
    assert limits_of("No meetings after 29:30.") == ()
    assert limits_of("二十九点以后别开会。") == ()


def test_a_long_command_is_read_in_bounded_time():
    command = "grep 'a" * 20_000 + " && npm install"
    call = make_call("shell", {"command": command})
    finding = read_preference("Never use npm.")
    wish = Wish.read("m", finding)
    assert breaks(wish, view_of(call)) in (True, False)
