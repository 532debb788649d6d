"""Which calls plainly break a rule of the user, in English and Chinese."""

import pytest

from hindsight_core.capture import make_call, read_preference
from hindsight_core.gate import Wish
from hindsight_core.gate.wishes import breaks, view_of


def broken(rule, tool, args, **near):
    finding = read_preference(rule)
    assert finding is not None
    wish = Wish.read("m1", finding, **near)
    return wish is not None and breaks(wish, view_of(make_call(tool, args)))


@pytest.mark.parametrize(
    ("rule", "tool", "args"),
    [
        ("Always use pnpm, not npm.", "shell", {"command": "npm install left-pad"}),
        ("Never touch prod.", "set_flag", {"env": "prod", "flag": "new-cart"}),
        ("Never push to main.", "git_push", {"branch": "main"}),
        ("Seats: always the window, never the aisle.", "choose_seat", {"kind": "aisle"}),
        (
            "I never ship uninsured, always quote with insurance.",
            "quote_shipping",
            {"insured": False},
        ),
        ("No bullets in my minutes, ever.", "publish_minutes", {"style": "bullets"}),
        (
            "以后周报只发项目群，不要发全员群。",
            "send",
            {"chat": "全员群", "text": "周报（第 3 周）"},
        ),
        ("以后別再訂火車票。", "訂火車票", {"日期": "2031-04-08"}),
        ("发票抬头一律写公司，不要开个人抬头。", "开发票", {"抬头": "个人"}),
    ],
)
def test_a_call_that_plainly_breaks_a_rule_is_seen(rule, tool, args):
    assert broken(rule, tool, args)


@pytest.mark.parametrize(
    ("rule", "tool", "args"),
    [
        ("Always use pnpm, not npm.", "shell", {"command": "pnpm install left-pad"}),
        ("Never touch prod.", "set_flag", {"env": "staging", "flag": "new-cart"}),
        ("Never push to main.", "git_push", {"branch": "main-menu"}),
        ("Never push to main.", "git_push", {"branch": "fix", "message": "merge of main"}),
        ("Never push to main.", "git_pull", {"branch": "main"}),
        ("Never ground coffee, whole beans please.", "add", {"item": "ground cinnamon"}),
        ("以后周报只发项目群，不要发全员群。", "send", {"chat": "全员群", "text": "周五停电"}),
        ("报表金额一律精确到元，别换算成万元。", "gen_report", {"unit": "元"}),
    ],
)
def test_what_only_resembles_the_rule_is_left_alone(rule, tool, args):
    assert not broken(rule, tool, args)


@pytest.mark.parametrize(
    ("service", "env", "expected"),
    [
        ("checkout", "production", True),
        ("checkout", "staging", False),
        ("image-cache", "production", False),
    ],
)
def test_an_exception_in_the_rule_is_respected(service, env, expected):
    rule = "Don't restart anything in production, with one exception: image-cache."
    assert broken(rule, "restart_service", {"service": service, "env": env}) is expected


def test_an_exception_in_chinese_is_respected():
    rule = "以后办公用品不要直接下单；打印纸除外。"
    assert broken(rule, "采购下单", {"物品": "白板笔"}, tools=["采购下单"])
    assert not broken(rule, "采购下单", {"物品": "打印纸"}, tools=["采购下单"])


def test_where_only_one_thing_will_do_another_in_the_same_argument_breaks_the_rule():
    rule = "For the seat: always take the window."
    near = {"tools": ["choose_seat"], "arguments": ["choose_seat/kind"]}
    assert broken(rule, "choose_seat", {"kind": "middle"}, **near)
    assert not broken(rule, "choose_seat", {"kind": "window"}, **near)
    assert not broken("I like the window seat.", "choose_seat", {"kind": "middle"}, **near)
