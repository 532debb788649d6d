"""Kinds of sentences that strangers wrote: others' habits, one event, a rule in passing."""

import pytest

from hindsight_core.capture import extract_preferences, replaces
from hindsight_core.schema import Polarity


@pytest.mark.parametrize(
    "text",
    [
        "A guy on my team only ever eats soup.",
        "Some lady at the market always sings.",
        "The lads downstairs never close the gate.",
        "湖南人做菜都爱放辣椒。",
        "我们班主任最烦上课吃东西。",
        "楼下大爷天天早上打太极。",
    ],
)
def test_what_others_do_is_no_wish_of_the_user(text) -> None:
    assert not extract_preferences(text)


@pytest.mark.parametrize(
    "text",
    [
        "The budget for the housewarming gift is 45, don't go over.",
        "We land at 23:10, so nothing that shuts before midnight.",
        "Answer the claim from Ostrand, we offer 40 percent.",
        "No mustard on this one please.",
        "那几行先空着，我核实了再填。",
        "这一节就别加插图了。",
        "记一下下周要交物业费，十五号前。",
    ],
)
def test_what_holds_for_one_event_is_no_lasting_wish(text) -> None:
    assert not extract_preferences(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ten kilos of rice, and wholegrain only from now on.", "wholegrain"),
        ("My memos must fit one page, no more.", "one page"),
        ("这类的以后都别放了，轻快点的那种就挺好", "别放"),
        ("合同标题从今天起改成 English，编号照旧。", "English"),
    ],
)
def test_a_rule_in_passing_is_kept(text, told) -> None:
    assert any(told in one.content for one in extract_preferences(text))


@pytest.mark.parametrize(
    "text", ["No glass bottles please.", "No glass bottles please, they break."]
)
def test_no_thing_please_is_against_the_thing(text) -> None:
    [found] = extract_preferences(text)
    assert found.polarity is Polarity.AGAINST
    assert found.avoid == ("glass bottles",)
    assert not found.want


def test_a_new_address_takes_the_place_of_the_old_one() -> None:
    [old] = extract_preferences("快递以后都寄到槐树街 8 号 2 单元。")
    [new] = extract_preferences("东西以后都寄到梧桐苑 6 栋 301，旧地址别再用了。")
    assert replaces(new, old)


def test_what_is_wanted_no_more_takes_the_place_of_what_was_wanted() -> None:
    [old] = extract_preferences("订花给大厅，我喜欢茉莉，闻着舒服。")
    [new] = extract_preferences("往后大厅都换成文竹，茉莉不要了。")
    assert replaces(new, old)


@pytest.mark.parametrize("text", ["Roof tiles to Perth, by rail.", "那两箱不要了，退掉吧。"])
def test_a_terse_order_is_no_lasting_wish(text) -> None:
    assert not extract_preferences(text)
