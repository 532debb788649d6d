"""Which later call is the fix of one that failed, and which is another task."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture import judge_outcome, make_call
from hindsight_core.capture.pairing.corrections import corrects
from hindsight_core.capture.pairing.same_aim import same_aim
from hindsight_core.events import ToolCalled
from hindsight_core.schema import Scope


def aims_alike(tool, failed, error, worked, asked=""):
    def called(args, result):
        return ToolCalled(
            run_id="r",
            scope=Scope(user="u"),
            key="k",
            at=datetime(2031, 1, 1, tzinfo=UTC),
            call=make_call(tool, args),
            result=result,
        )

    outcome = judge_outcome(tool, failed, raised=False, flagged_error=True, result=error)
    return same_aim(called(failed, error), outcome, called(worked, "done"), asked)


def shell(command):
    return {"command": command}


@pytest.mark.parametrize(
    ("tool", "failed", "error", "worked"),
    [
        ("refund", {"no": "B-71", "sum": 5}, "B-71 already refunded", {"no": "B-72", "sum": 5}),
        (
            "退费",
            {"单号": "K301", "金额": 8},
            "该单已退款，不能重复退款",
            {"单号": "K302", "金额": 8},
        ),
        (
            "drop_rows",
            {"table": "staff", "if": "n=3"},
            "not allowed",
            {"table": "tmp", "if": "n=3"},
        ),
        ("get_page", {"page_id": "P-1"}, "not found", {"page_id": "P-9"}),
        ("get_row", {"id": 17}, "no such row", {"id": 99}),
        ("read", {"path": "/srv/keys"}, "Permission denied", {"path": "/srv/motd"}),
        ("读取", {"路径": "/库/薪水.csv"}, "没有权限", {"路径": "/库/食谱.csv"}),
        ("查人", {"姓名": "王小明"}, "用户不存在", {"姓名": "王小红"}),
        ("find_person", {"name": "Maria Lopez"}, "no such person", {"name": "Maria Weber"}),
        ("mail", {"to": "bobx.org", "text": "hi"}, "bad address", {"to": "cy@y.org", "text": "hi"}),
        ("pay", {"to": "acc1", "sum": 900}, "insufficient funds", {"to": "acc2", "sum": 1}),
        ("bash", shell("git push origin main"), "failed to push", shell("git push origin topic")),
        ("bash", shell("pip install abc"), "no matching package", shell("pip install flask")),
        ("bash", shell("curl http://bill/refund"), "404", shell("curl http://auth/health")),
        ("bash", shell("pytest t/test_a.py"), "1 failed", shell("pytest t/test_b.py")),
        ("bash", shell("kubectl delete pod x"), "Forbidden", shell("kubectl get pods")),
        ("bash", shell("rm /var/lib/x"), "Permission denied", shell("ls /var/lib/x")),
        ("sql", {"q": "select nme from users"}, "no column nme", {"q": "select id from orders"}),
    ],
)
def test_another_thing_is_another_task(tool, failed, error, worked):
    assert not aims_alike(tool, failed, error, worked)


@pytest.mark.parametrize(
    ("tool", "failed", "error", "worked"),
    [
        ("get_row", {"no": "a1001"}, "not found", {"no": "A-1001"}),
        ("find_person", {"name": "Jon Smiht"}, "no such person", {"name": "Jon Smith"}),
        ("read", {"path": "site.yml"}, "no such file", {"path": "conf/site.yml"}),
        ("读取", {"路径": "周报.docx"}, "文件不存在", {"路径": "/文档/周报.docx"}),
        ("list", {"dir": "/srcc"}, "no such directory; did you mean /app?", {"dir": "/app"}),
        ("heat", {"room": "Study", "to": 21}, "unknown room: pass an id", {"room": "r4", "to": 21}),
        ("meet", {"when": "明天3点"}, "参数错误：when 的格式不对", {"when": "2031-04-16"}),
        ("book", {"room": "Oak", "at": "10:00"}, "already booked", {"room": "Oak", "at": "11:00"}),
        ("book", {"room": "Oak", "at": "10:00"}, "already booked", {"room": "Elm", "at": "10:00"}),
        ("查天气", {"城市": "Beijing"}, "城市不存在，请传中文城市名", {"城市": "北京"}),
        ("order", {"volume": "2500 ml"}, "400: give litres", {"volume": "2.5 l"}),
        ("push", {"branch": "main"}, "rejected", {"branch": "main", "force": True}),
        ("bash", shell("cat site.yml"), "No such file", shell("cat conf/site.yml")),
        ("bash", shell("apt install jq"), "Permission denied", shell("sudo apt install jq")),
        ("bash", shell("npm test"), "npm: command not found", shell("pnpm test")),
        ("bash", shell("git comit -m x"), "did you mean commit?", shell("git commit -m x")),
        ("sql", {"q": "select nme from users"}, "no column nme", {"q": "select name from users"}),
    ],
)
def test_a_correction_of_the_same_thing_is_the_fix(tool, failed, error, worked):
    assert aims_alike(tool, failed, error, worked)


def test_long_texts_are_compared_by_their_beginning():
    left = " ".join(f"alpha{n}beta" for n in range(20_000))
    right = " ".join(f"gamma{n}delta" for n in range(20_000))
    assert not corrects(left, right)
    assert corrects(left, f"{left} {right}")


@given(st.text(), st.text())
def test_any_two_values_are_compared(left, right):
    assert corrects(left, right) in (True, False)
    assert corrects([left], {right: 1}) in (True, False)


@pytest.mark.parametrize(
    ("tool", "failed", "error", "worked", "asked"),
    [
        (
            "flash",
            {"file": "fw7.bin", "via": "ttyS1"},
            "nothing answers on ttyS1",
            {"file": "fw7.bin", "via": "ttyUSB0"},
            "Put firmware 7 on the board.",
        ),
        (
            "print",
            {"machine": "Wren", "part": "hinge", "material": "nylon"},
            "Wren has no nozzle for nylon",
            {"machine": "Heron", "part": "hinge", "material": "nylon"},
            "Print the hinge in nylon.",
        ),
        (
            "翻译",
            {"文件": "合同.docx", "引擎": "快译"},
            "快译 不支持 docx",
            {"文件": "合同.docx", "引擎": "通译"},
            "把合同翻译成英文",
        ),
    ],
)
def test_what_the_user_left_open_may_be_exchanged(tool, failed, error, worked, asked):
    assert aims_alike(tool, failed, error, worked, asked)
    assert not aims_alike(tool, failed, error, worked)


@pytest.mark.parametrize(
    ("tool", "failed", "error", "worked", "asked"),
    [
        (
            "print",
            {"machine": "Wren", "part": "hinge"},
            "Wren is not known",
            {"machine": "Heron", "part": "hinge"},
            "Print one hinge on Wren and one on Heron.",
        ),
        (
            "mail",
            {"to": "ann", "file": "report"},
            "no such user ann",
            {"to": "bob", "file": "report"},
            "Mail the report to the team.",
        ),
        (
            "refund",
            {"order": "A-1", "reason": "damaged"},
            "order A-1 not found",
            {"order": "A-2", "reason": "damaged"},
            "Refund my damaged orders.",
        ),
        (
            "look",
            {"place": "attic", "lamp": "torch"},
            "not found",
            {"place": "cellar", "lamp": "torch"},
            "Find my keys.",
        ),
    ],
)
def test_another_of_what_the_user_asked_for_is_another_task(tool, failed, error, worked, asked):
    assert not aims_alike(tool, failed, error, worked, asked)


@pytest.mark.parametrize(
    ("failed", "error", "worked", "asked", "alike"),
    [
        # all else is kept, and the user named neither
        (("Kiln 2", 4), "Kiln 2 was decommissioned", ("Kiln 5", 4), "Fire the bowls.", True),
        (("北窑", 4), "北窑已经拆除", ("南窑", 4), "把碗烧了", True),
        # it was asked for on its own account
        (("Kiln 2", 4), "Kiln 2 is scrapped", ("Kiln 5", 4), "Use kiln 2 and kiln 5.", False),
        (("北窑", 4), "北窑已经拆除", ("南窑", 4), "北窑和南窑各烧一次", False),
        # another thing was changed as well
        (("Kiln 2", 4), "Kiln 2 was decommissioned", ("Kiln 5", 9), "Fire the bowls.", False),
        # the error speaks of something else
        (("Kiln 2", 4), "the gas was decommissioned", ("Kiln 5", 4), "Fire bowls.", False),
    ],
)  # fmt: skip
def test_another_in_the_place_of_what_is_gone_for_good_is_the_fix(
    failed, error, worked, asked, alike
):
    old, new = ({"kiln": kiln, "racks": racks} for kiln, racks in (failed, worked))
    assert aims_alike("reserve_kiln", old, error, new, asked) is alike


@pytest.mark.parametrize(
    ("failed", "error", "worked", "asked", "alike"),
    [
        # the user named the means, and it does not do what was asked of it
        (("voucher", 3), "voucher does not support parts", ("debit", 3), "By voucher, in 3.", True),
        (("礼品卡", 3), "礼品卡不支持分期", ("借记卡", 3), "用礼品卡付，分三期", True),
        # he named both: each is a wish of its own
        (("礼品卡", 3), "礼品卡不支持分期", ("借记卡", 3), "一半礼品卡，一半借记卡，分三期", False),
        # more than the means was changed
        (("礼品卡", 3), "礼品卡不支持分期", ("借记卡", 1), "用礼品卡付，分三期", False),
        # the error blames another thing
        (("礼品卡", 3), "商户不支持分期", ("借记卡", 3), "用礼品卡付，分三期", False),
    ],
)  # fmt: skip
def test_another_means_in_the_place_of_one_that_cannot_is_the_fix(
    failed, error, worked, asked, alike
):
    old, new = ({"bill": "B-7", "by": by, "parts": parts} for by, parts in (failed, worked))
    assert aims_alike("pay", old, error, new, asked) is alike


@pytest.mark.parametrize(("first", "second"), [("Ada Ruiz", "Bo Lind"), ("阿达", "阿波")])
def test_another_person_is_no_means(first, second):
    old, new = ({"payee": who, "amount": 40} for who in (first, second))
    assert not aims_alike("pay", old, f"{first}: invalid account", new, "Pay the helpers.")
