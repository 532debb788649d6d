"""Which calls plainly break a rule of the user, in English and Chinese."""

import pytest

from hindsight_core.capture import make_call, read_preference
from hindsight_core.gate import Wish
from hindsight_core.gate.wishes import breaks, view_of
from hindsight_core.schema import Preference


def broken(rule, tool, args, **near):
    finding = read_preference(rule)
    assert finding is not None
    wish = Wish.read("m1", finding, Preference(slot="", **near))
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


RULES_OF_PRODUCTION = (
    "千万别动生产库。",
    "千万不要在生产环境跑清理脚本。",
    "千万别在生产库跑清理，测试库随便。",
    "绝对不要碰线上数据库。",
    "不要往生产库写任何东西。",
    "Never touch production.",
    "Never run anything against prod.",
)


@pytest.mark.parametrize("rule", RULES_OF_PRODUCTION)
@pytest.mark.parametrize("db", ["prod", "production", "prod_db", "prod-db", "生产环境", "生产库"])
def test_production_is_known_by_each_of_its_names(rule, db):
    assert broken(rule, "run_sql", {"db": db, "sql": "清理脚本 delete from tmp"})


@pytest.mark.parametrize("rule", RULES_OF_PRODUCTION)
@pytest.mark.parametrize(
    "db", ["test", "staging", "测试库", "reproduction", "non-prod", "预生产库"]
)
def test_another_environment_is_not_production(rule, db):
    assert not broken(rule, "run_sql", {"db": db, "sql": "清理脚本 delete from tmp"})


def test_an_act_that_is_ruled_out_in_one_place_is_free_in_another_that_the_rule_names():
    rule = "Only restart services in staging; never restart anything in prod."
    assert broken(rule, "restart", {"env": "prod", "service": "x"})
    assert not broken(rule, "restart", {"env": "staging", "service": "x"})
    assert broken("生产环境一律不许重启。", "reboot_host", {"env": "production"})
    assert not broken("生产环境一律不许重启。", "read_log", {"env": "production"})


def test_looking_at_a_place_is_not_touching_it():
    assert not broken("Never touch production.", "get_logs", {"env": "production"})


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Always use pnpm, not npm.", "grep npm README.md"),
        ("Always use pnpm, not npm.", "echo 'use npm' && pnpm install"),
        ("不要用 npm，用 pnpm。", "rg npm docs | head"),
        ("Never push to master.", 'git commit -m "master list"'),
        ("Never push to main.", "git checkout main"),
        ("Never use rm -rf.", "grep 'rm -rf' -r ."),
        ("Use uv, never pip, except inside Docker.", "docker run py pip install x"),
        ("别用 pip，Docker 里除外。", "docker exec app pip install x"),
    ],
)
def test_what_a_command_only_mentions_or_the_rule_excepts_breaks_nothing(rule, command):
    assert not broken(rule, "shell", {"command": command})


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Always use pnpm, not npm.", "cd web && sudo npm install"),
        ("Always use pnpm, not npm.", 'bash -c "npm install"'),
        ("不要用 npm，用 pnpm。", "CI=1 npm ci"),
        ("Never push to master.", "git add . && git push origin 'master'"),
        ("Never use rm -rf.", "ls; rm -rf build"),
        ("Use uv, never pip, except inside Docker.", "pip install x"),
        ("别用 pip，Docker 里除外。", "pip install x"),
    ],
)
def test_what_a_command_does_in_any_of_its_parts_breaks_the_rule(rule, command):
    assert broken(rule, "shell", {"command": command})


@pytest.mark.parametrize(
    ("rule", "tool", "beyond", "within"),
    [
        ("No meetings before 10:00.", "create_meeting", {"start": "09:00"}, {"start": "10:00"}),
        (
            "Never schedule meetings after 6 pm.",
            "create_meeting",
            {"start": "2031-05-05T18:30:00"},
            {"start": "2031-05-05T17:30:00", "end": "18:30"},
        ),
        ("上午十点之前不要给我排会。", "创建会议", {"开始": "09:00"}, {"开始": "10:30"}),
        ("晚上六点以后别安排会议。", "创建会议", {"时间": "18:30"}, {"时间": "17:00"}),
        ("会议不要超过 30 分钟。", "创建会议", {"时长": "45 分钟"}, {"时长": 25}),
        (
            "Never spend more than 50 euros on lunch.",
            "order_lunch",
            {"price": "62 euros"},
            {"price_eur": 32},
        ),
        ("打车别超过80块。", "打车", {"预算": 100}, {"预算": 60}),
    ],
)
def test_times_and_amounts_are_held_against_the_bound_of_the_rule(rule, tool, beyond, within):
    assert broken(rule, tool, beyond)
    assert not broken(rule, tool, within)
    assert not broken(rule, "order_flowers", beyond)


def test_a_rule_of_certain_days_is_held_against_dates_of_those_days():
    rule = "Never deploy to production on Fridays."
    assert broken(rule, "deploy", {"env": "production", "date": "2031-05-02"})
    assert not broken(rule, "deploy", {"env": "production", "date": "2031-05-05"})
    assert not broken(rule, "deploy", {"env": "production"})


def test_a_path_is_one_thing_of_which_another_path_is_no_part():
    near = {"tools": ["file_document"], "arguments": ["file_document/folder"]}
    rule = "Invoices go into Finance/Incoming and nowhere else."
    assert broken(rule, "file_document", {"doc": "invoice-1", "folder": "Public/Box"}, **near)
    right = {"doc": "invoice-2", "folder": "Finance/Incoming"}
    assert not broken(rule, "file_document", right, **near)


def test_what_a_rule_points_back_to_must_be_what_the_call_is_about():
    rule = "Post the daily report only in #oncall, don't send it to #general."
    near = {"tools": ["send_msg"], "arguments": ["send_msg/to"]}
    assert broken(rule, "send_msg", {"to": "#general", "text": "daily report 6 May"}, **near)
    assert not broken(rule, "send_msg", {"to": "#general", "text": "no water tomorrow"}, **near)
    assert not broken(rule, "send_msg", {"to": "#oncall", "text": "daily report 6 May"}, **near)


def test_what_is_free_to_be_done_in_a_place_stays_free_beside_what_is_not():
    rule = "Never push to main, I read everything on a branch before it goes in."
    assert broken(rule, "git_push", {"branch": "main"})
    assert not broken(rule, "git_pull", {"branch": "main"})


def test_a_path_that_all_of_a_kind_go_to_is_held_against_that_kind():
    near = {"tools": ["file_doc"], "arguments": ["file_doc/folder"]}
    rule = "Receipts go to Ledger/Inbox, nowhere else."
    assert broken(rule, "file_doc", {"doc": "receipt-2.pdf", "folder": "Shared/Temp"}, **near)
    assert not broken(rule, "file_doc", {"doc": "minutes.pdf", "folder": "Shared/Temp"}, **near)


@pytest.mark.parametrize(
    ("rule", "tool", "both", "one"),
    [
        (
            "No blue and yellow together, ever.",
            "make_slide",
            {"palette": "blue-yellow"},
            {"palette": "blue-grey"},
        ),
        (
            "Never mix linen with silk.",
            "wash",
            {"load": ["linen", "silk"]},
            {"load": ["linen", "cotton"]},
        ),
        ("红色和绿色不要一起用，我分不清。", "画图", {"配色": "红色绿色"}, {"配色": "红色蓝色"}),
        ("别把百合和薄荷种在一起。", "种花", {"花": ["百合", "薄荷"]}, {"花": ["百合"]}),
    ],
)
def test_what_is_ruled_out_together_is_free_alone(rule, tool, both, one):
    assert broken(rule, tool, both)
    assert not broken(rule, tool, one)


def test_who_alone_may_is_excepted():
    near = {"tools": ["book_van"]}
    rule = "Only the Oslo branch may have Sundays, their gate is manned."
    assert broken(rule, "book_van", {"branch": "Bergen", "day": "Sunday"}, **near)
    assert not broken(rule, "book_van", {"branch": "Oslo", "day": "Sunday"}, **near)
    assert not broken(rule, "book_van", {"branch": "Bergen", "day": "Monday"}, **near)
    assert not broken(rule, "order_bread", {"kind": "rye", "day": "Sunday"}, **near)


def test_a_day_is_ruled_out_for_the_thing_it_was_said_of():
    rule = "From now on the choir meets on Tuesdays, no longer on Mondays."
    assert broken(rule, "book_hall", {"day": "Monday"}, tools=["book_hall"])
    assert not broken(rule, "order_paint", {"day": "Monday"}, tools=["book_hall"])


@pytest.mark.parametrize(
    ("rule", "tool", "args", "expected"),
    [
        ("以后海鲜不要派晚班；就带鱼例外。", "派车", {"货": "鲈鱼", "班": "晚班"}, True),
        ("以后海鲜不要派晚班；就带鱼例外。", "派车", {"货": "带鱼", "班": "晚班"}, False),
        ("以后海鲜不要派晚班；就带鱼例外。", "派车", {"货": "鲈鱼", "班": "早班"}, False),
        ("我坐船从不要下舱。", "订船", {"舱": "下舱"}, True),
        ("我坐船从不要下舱。", "订船", {"舱": "上舱"}, False),
        ("别打电话，客人投诉才可以打。", "联系", {"方式": "电话", "因": "补货"}, True),
        ("别打电话，客人投诉才可以打。", "联系", {"方式": "短信", "因": "补货"}, False),
        ("别打电话，客人投诉才可以打。", "联系", {"方式": "电话", "因": "客人来投诉"}, False),
    ],
)
def test_a_chinese_rule_is_held_against_what_is_no_exception(rule, tool, args, expected):
    assert broken(rule, tool, args, tools=[tool]) is expected


def test_a_value_beside_the_name_of_its_argument_is_what_a_rule_names():
    rule = "Please let no bistro put a cheese course on our booking."
    near = {"tools": ["book_table"]}
    assert broken(rule, "book_table", {"place": "Ode", "course": "cheese"}, **near)
    assert not broken(rule, "book_table", {"place": "Ode", "course": "fish"}, **near)
    pond = "Never put bleach into the koi pond."
    assert not broken(pond, "dose", {"pond": "koi", "agent": "peat"}, tools=["dose"])


def test_where_alone_something_must_be_done_is_no_condition_of_its_ban():
    rule = "Please don't use speakerphone. The one place where you must is the garage."
    assert broken(rule, "call", {"room": "hall", "mode": "speakerphone"})
    assert not broken(rule, "call", {"room": "garage", "mode": "speakerphone"})


@pytest.mark.parametrize(
    ("rule", "tool", "beyond", "within"),
    [
        (
            "Anything above 80 you hand to the manager and never refund yourself.",
            "refund.issue",
            {"case": 912, "amount": 120},
            {"case": 912, "amount": 30},
        ),
        (
            "Payments over 900 euros need my approval.",
            "make_payment",
            {"to": "Bo", "amount": 1200},
            {"to": "Bo", "amount": 400},
        ),
        ("At most 12 people per tour.", "book_tour", {"seats": 20}, {"seats": 12, "hours": 20}),
        (
            "Keep the brightness at 40 at most, always.",
            "set_lamp",
            {"brightness": 90},
            {"brightness": 40, "fade": 90},
        ),
        ("两千以上的付款都要先问我。", "付款", {"金额": 5000}, {"金额": 150, "编号": 5000}),
        ("400元以上的酒店不要订。", "订酒店", {"价格": "520元"}, {"价格": "300元"}),
        ("一团最多二十人，不要多。", "报团", {"人数": 26}, {"人数": 18}),
    ],
)
def test_a_bound_of_money_people_or_what_it_names_is_held_against_that(rule, tool, beyond, within):
    assert broken(rule, tool, beyond, tools=[tool])
    assert not broken(rule, tool, within, tools=[tool])


def test_a_number_that_is_no_bound_holds_nothing():
    assert not broken("I'm over 40, never call me kid.", "pay", {"amount": 90}, tools=["pay"])
    hotel = "酒店一律订400元以上的。"
    assert not broken(hotel, "订酒店", {"价格": "520元"}, tools=["订酒店"])
    assert broken(hotel, "订酒店", {"价格": "90元"}, tools=["订酒店"])


@pytest.mark.parametrize(
    ("rule", "tool", "args", "expected"),
    [
        ("喷雾别给温室开了，育苗棚除外。", "开喷雾", {"温室": "七号", "分钟": 5}, True),
        ("喷雾别给温室开了，育苗棚除外。", "开喷雾", {"温室": "育苗棚", "分钟": 5}, False),
        ("喷雾别给温室开了，育苗棚除外。", "关喷雾", {"温室": "七号"}, False),
        ("喷雾别给温室开了，育苗棚除外。", "读湿度", {"温室": "七号"}, False),
        ("喷雾别给温室开了，育苗棚除外。", "开喷雾", {"温室": "", "露天": "东坡"}, False),
        ("Never delete customers.", "delete_record", {"customer": "Ada"}, True),
        ("Never delete customers.", "delete_record", {"customer_note": "n7"}, False),
        ("Never delete customers.", "show_record", {"customer": "Ada"}, False),
        ("Never delete customers.", "delete_record", {"supplier": "Ada"}, False),
    ],
)
def test_the_name_of_an_argument_says_what_is_acted_upon(rule, tool, args, expected):
    assert broken(rule, tool, args) is expected


@pytest.mark.parametrize(
    ("rule", "said", "other", "elsewhere"),
    [
        (
            "Seeds come from Ashdown and from nobody else.",
            {"item": "rye seeds", "supplier": "Ashdown"},
            {"item": "clover seeds", "supplier": "BulkGrow"},
            {"item": "netting", "supplier": "BulkGrow"},
        ),
        (
            "Leaflets are printed at Harker's, and nowhere else.",
            {"item": "leaflets", "supplier": "Harker's"},
            {"item": "leaflets A5", "supplier": "QuickInk"},
            {"item": "mugs", "supplier": "QuickInk"},
        ),
    ],
)
def test_who_alone_may_supply_a_thing(rule, said, other, elsewhere):
    near = {"tools": ("order",), "arguments": ("order/supplier",)}
    assert not broken(rule, "order", said, **near)
    assert broken(rule, "order", other, **near)
    assert not broken(rule, "order", elsewhere, **near)
