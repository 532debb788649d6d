"""Why calls failed: which other calls a failure speaks against, and on what evidence."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_core import Hindsight
from hindsight_core.capture import make_call
from hindsight_core.gate import causes_of, contradicted
from hindsight_core.gate.traits import traits_of
from hindsight_core.schema import (
    Correction,
    ErrorClass,
    Kind,
    Lesson,
    Memory,
    MemoryValue,
    Mistake,
    Scope,
    Source,
    Trigger,
)

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def lesson(tool, failed, error, fixes=(), worked=(), kind=ErrorClass.VALIDATION, name="m1"):
    return Memory(
        id=name,
        scope=Scope(user="u"),
        kind=Kind.LESSON,
        source=Source.TOOL,
        trust=0.4,
        value=MemoryValue(content=error),
        lesson=Lesson(
            trigger=Trigger(tool_sequence=(tool,)),
            mistake=Mistake(
                action="",
                consequence=error,
                error_class=kind,
                calls=tuple(make_call(tool, args) for args in failed),
            ),
            correction=Correction(
                action="", calls=tuple(make_call(tool, args) for args in fixes), proven=True
            )
            if fixes
            else None,
            worked=tuple(make_call(tool, args) for args in worked),
        ),
        created_at=NOW + timedelta(seconds=int(name[1:])),
        updated_at=NOW,
    )


def flags(lessons, tool, args):
    traits = traits_of(make_call(tool, args))
    return any(cause.meets(traits) for cause in causes_of(lessons, tool))


def test_an_argument_that_the_error_asks_for_is_missed_with_other_values_too():
    known = [
        lesson(
            "create_ticket",
            [{"queue": "it", "subject": "Printer"}],
            "field 'priority' is required",
            fixes=[{"queue": "it", "subject": "Printer", "priority": "low"}],
        )
    ]
    assert flags(known, "create_ticket", {"queue": "hr", "subject": "Chair"})
    assert not flags(known, "create_ticket", {"queue": "hr", "subject": "C", "priority": "low"})
    assert not flags(known, "close_ticket", {"queue": "hr"})


def test_a_wrong_format_is_known_again_with_another_value_when_the_error_names_the_argument():
    known = [
        lesson(
            "weigh",
            [{"weight": "3斤", "to": "常州"}],
            "weight 的单位须为 kg",
            fixes=[{"weight": "1.5kg", "to": "常州"}],
        )
    ]
    assert flags(known, "weigh", {"weight": "12 斤", "to": "湖州"})
    assert not flags(known, "weigh", {"weight": "6 kg", "to": "湖州"})


def test_one_failure_whose_error_names_nothing_is_not_generalised():
    known = [lesson("find", [{"day": "1/2/2031"}], "invalid", fixes=[{"day": "2031-02-01"}])]
    assert not flags(known, "find", {"day": "3/4/2031"})


def test_two_failures_of_one_format_are_evidence_without_a_word_of_the_error():
    failed = [{"day": "1/2/2031"}, {"day": "5/2/2031"}]
    known = [lesson("find", failed, "invalid", fixes=[{"day": "2031-02-01"}])]
    assert flags(known, "find", {"day": "3/4/2031"})
    assert not flags(known, "find", {"day": "2031-04-03"})


def test_a_value_that_the_error_names_is_known_again_beside_other_arguments():
    known = [
        lesson(
            "fetch",
            [{"url": "https://closed.example/a"}],
            "403: robots are not allowed on closed.example",
            kind=ErrorClass.PERMISSION,
        )
    ]
    assert flags(known, "fetch", {"url": "https://closed.example/b/c"})
    assert not flags(known, "fetch", {"url": "https://open.example/a"})


def test_what_two_failures_share_counts_only_once_the_tool_is_known_to_work_otherwise():
    failed = [{"path": "scans/a.pdf"}, {"path": "scans/b.pdf"}]
    alone = [lesson("read", failed, "no text", kind=ErrorClass.SOFT)]
    assert not flags(alone, "read", {"path": "scans/c.pdf"})
    worked = [{"path": "books/a.pdf"}]
    known = [lesson("read", failed, "no text", worked=worked, kind=ErrorClass.SOFT)]
    assert flags(known, "read", {"path": "scans/c.pdf"})
    assert not flags(known, "read", {"path": "books/b.pdf"})


def test_lessons_of_two_tasks_with_one_error_are_read_together():
    known = [
        lesson("read", [{"path": "scans/a.pdf"}], "no text", kind=ErrorClass.SOFT),
        lesson(
            "read",
            [{"path": "scans/b.pdf"}],
            "no text",
            worked=[{"path": "books/a.pdf"}],
            kind=ErrorClass.SOFT,
            name="m2",
        ),
    ]
    assert flags(known, "read", {"path": "scans/c.pdf"})


def test_a_call_that_worked_takes_the_cause_back():
    failed, fixes = [{"tz": "GMT+1"}], [{"tz": "Europe/Rome"}]
    known = lesson("plan", failed, "tz must be a zone", fixes=fixes)
    assert flags([known], "plan", {"tz": "GMT+3"})
    worked = make_call("plan", {"tz": "GMT+9"})
    assert contradicted([known], "plan", [worked]) == {"m1": [worked]}
    learnt = lesson("plan", failed, "tz must be a zone", fixes=fixes, worked=[{"tz": "GMT+9"}])
    assert not flags([learnt], "plan", {"tz": "GMT+3"})


def test_what_depends_on_what_else_is_there_is_never_generalised():
    known = [
        lesson(
            "book",
            [{"room": "Oak", "at": "2031-05-01 10:00"}],
            "Oak is taken at that time",
            kind=ErrorClass.CONFLICT,
        )
    ]
    assert not flags(known, "book", {"room": "Oak", "at": "2031-05-02 10:00"})


def test_a_failure_that_passes_by_itself_says_nothing_of_other_calls():
    one = lesson("get", [{"city": "Rome"}], "city Rome timed out", kind=ErrorClass.TIMEOUT)
    assert not flags([one], "get", {"city": "Rome", "day": "2031-05-01"})


@pytest.mark.parametrize(
    "error",
    [
        "HTTP 401: the access token expired",
        "409 Conflict: version changed, reload and try again",
        "登录令牌已过期，请重新登录",
        "版本冲突，请刷新后重试",
    ],
)
def test_a_failure_of_that_moment_is_held_against_no_call_of_another_task(error, tmp_path):
    scope, args = Scope(user="u"), {"id": "D-7", "text": "new"}
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        for attempt in range(2):
            run = hindsight.run(scope, task=f"save the draft for the {attempt} time")
            run.before_tool("save_doc", args)
            run.after_tool("save_doc", args, result=error, flagged_error=True)
            run.finish(ok=True)
        later = hindsight.run(scope, task="put the letter into the folder")
        assert not later.before_tool("save_doc", args).flagged


def test_what_is_closed_for_good_is_held_against_the_next_call(tmp_path):
    scope = Scope(user="u")
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        run = hindsight.run(scope, task="周三订会议室")
        args = {"room": "松涛厅", "day": "2031-06-04"}
        run.before_tool("book_room", args)
        run.after_tool("book_room", args, result="松涛厅已停用，不接受预订", flagged_error=True)
        run.finish(ok=True)
        later = hindsight.run(scope, task="周五订会议室")
        assert later.before_tool("book_room", {"room": "松涛厅", "day": "2031-06-06"}).flagged
        assert not later.before_tool("book_room", {"room": "听雨厅", "day": "2031-06-06"}).flagged


@pytest.mark.parametrize(
    ("error", "name"),
    [
        ("422 Unprocessable: field 'priority' is required", "priority"),
        ("Missing required argument: priority", "priority"),
        ("missing 1 required positional argument: 'priority'", "priority"),
        ("缺少必填参数 priority", "priority"),
        ("字段「优先级」必填", "优先级"),
        ("欄位無效：參數 priority 不能為空", "priority"),
    ],
)
def test_an_argument_that_the_error_calls_missing_is_asked_for_before_any_call_gave_it(error, name):
    failed = make_call("create_ticket", {"subject": "door"})
    (cause,) = causes_of([lesson("create_ticket", [failed], error)], "create_ticket")
    assert cause.meets(traits_of(make_call("create_ticket", {"subject": "tap"})))
    assert not cause.meets(traits_of(make_call("create_ticket", {"subject": "tap", name: "low"})))
    nested = make_call("create_ticket", {"data": {"subject": "tap", name: "low"}})
    assert not cause.meets(traits_of(nested))


@pytest.mark.parametrize(
    "error",
    ["A required field is missing", "field 'zip' is required when country is US", "缺少权限"],
)
def test_an_error_that_names_no_argument_or_a_special_case_is_about_no_other_call(error):
    failed = make_call("create_ticket", {"subject": "door"})
    causes = causes_of([lesson("create_ticket", [failed], error)], "create_ticket")
    assert not any(
        c.meets(traits_of(make_call("create_ticket", {"subject": "tap"}))) for c in causes
    )


NO_HOTEND = lesson(
    "print",
    [{"machine": "Wren", "part": "bracket", "material": "polycarbonate"}],
    "Wren has no nozzle for polycarbonate",
    fixes=[{"machine": "Heron", "part": "bracket", "material": "polycarbonate"}],
    kind=ErrorClass.NOT_FOUND,
)


def test_where_an_error_names_two_arguments_only_a_call_with_both_is_alike():
    assert flags(
        [NO_HOTEND], "print", {"machine": "Wren", "part": "cap", "material": "polycarbonate"}
    )
    assert not flags([NO_HOTEND], "print", {"machine": "Wren", "part": "cap", "material": "PETG"})
    assert not flags(
        [NO_HOTEND], "print", {"machine": "Heron", "part": "cap", "material": "polycarbonate"}
    )


@pytest.mark.parametrize(
    ("args", "error", "again"),
    [
        (
            {"who": "Rex", "kind": "dog"},
            "unknown kind 'dog' (use K9)",
            {"who": "Bo", "kind": "dog"},
        ),
        ({"件": "外套", "码": "大"}, "不认识的码「大」", {"件": "裤子", "码": "大"}),
    ],
)
def test_a_short_value_counts_where_the_error_quotes_it(args, error, again):
    known = [lesson("order", [args], error, kind=ErrorClass.NOT_FOUND)]
    assert flags(known, "order", again)
    assert not flags(known, "order", dict.fromkeys(again, "other"))


def test_a_schema_that_the_error_names_is_met_in_other_statements_that_begin_alike():
    known = [
        lesson(
            "warehouse",
            [{"sql": "select n from vault.claims where y = 3"}],
            "Forbidden: schema vault is closed",
            kind=ErrorClass.PERMISSION,
        )
    ]
    assert flags(known, "warehouse", {"sql": "select sum(n) from vault.claims where y = 4"})
    assert flags(known, "warehouse", {"sql": "select 1 from vault.other"})
    assert not flags(known, "warehouse", {"sql": "select 1 from open.claims"})
    assert not flags(known, "warehouse", {"sql": "create table vault.claims (n int)"})


def closed(error, *values, worked=()):
    return lesson(
        "phone_lookup",
        [{"address": value} for value in values],
        error,
        worked=[{"address": value} for value in worked],
        kind=ErrorClass.UNAVAILABLE,
    )


@pytest.mark.parametrize("error", ["this service has been discontinued", "服务已停用，不再提供"])
def test_a_tool_that_is_closed_for_good_is_so_for_any_value(error):
    assert flags([closed(error, "Elm 4", "Oak 9")], "phone_lookup", {"address": "Ash 1"})
    assert not flags([closed(error, "Elm 4")], "phone_lookup", {"address": "Ash 1"})
    assert not flags(
        [closed(error, "Elm 4", "Oak 9", worked=["Fir 2"])], "phone_lookup", {"address": "Ash 1"}
    )


@pytest.mark.parametrize(
    "error", ["gift card balance is not enough", "礼品卡余额不足: gift card"], ids=["en", "zh"]
)
def test_what_there_is_too_little_of_may_do_for_a_smaller_thing(error):
    failed = [
        {"flight": "HA72", "cabin": "business", "payment": "gift_card_1"},
        {"flight": "HA72", "cabin": "business", "payment": "gift_card_2"},
    ]
    learnt = [lesson("rebook", failed, error, kind=ErrorClass.SOFT)]
    worked = [{"flight": "HA72", "cabin": "business", "payment": "credit_card_1"}]
    learnt_more = [lesson("rebook", failed, error, worked=worked, kind=ErrorClass.SOFT)]
    for lessons in (learnt, learnt_more):
        assert not flags(
            lessons, "rebook", {"flight": "HA72", "cabin": "economy", "payment": "gift_card_1"}
        )


FAROE = lesson(
    "make_waybill",
    [{"lot": 71, "region": "Faroe"}],
    "eori_number is mandatory for this destination",
    fixes=[{"lot": 71, "region": "Faroe", "eori_number": "GB11"}],
    worked=[{"lot": 74, "region": "Jutland"}],
    kind=ErrorClass.SOFT,
)


@pytest.mark.parametrize(
    ("args", "again"),
    [
        ({"lot": 71, "region": "Faroe"}, True),
        ({"lot": 80, "region": "Faroe"}, True),
        ({"lot": 80, "region": "Faroe", "eori_number": "GB12"}, False),
        ({"lot": 80, "region": "Jutland"}, False),
        ({"lot": 80, "region": "Skane"}, False),
        ({"lot": 80}, False),
    ],
)
def test_what_is_missed_only_by_one_class_of_calls_is_missed_by_those_alone(args, again):
    assert flags([FAROE], "make_waybill", args) is again


def test_what_is_missed_by_one_thing_of_many_is_missed_by_that_very_call():
    known = [
        lesson(
            "改分",
            [{"学号": 31, "分数": 84}],
            "复核人为必填",
            fixes=[{"学号": 31, "分数": 84, "复核人": "蒋"}],
            worked=[{"学号": 32, "分数": 60}],
        )
    ]
    assert flags(known, "改分", {"学号": 31, "分数": 84})
    assert not flags(known, "改分", {"学号": 33, "分数": 84})
    assert not flags(known, "改分", {"学号": 31, "分数": 84, "复核人": "韩"})


@pytest.mark.parametrize(
    ("error", "old", "new", "again", "free"),
    [
        ("wrong format, want YYYYWnn", "week 12 of 2031", "2031W12", "week 13 of 2031", "2031W14"),
        ("月份格式有误，应写成 YYYYMM", "2031年三月", "203103", "2032年五月", "203205"),
        ("时间格式不对，如 HH:MM", "下午3点", "15:00", "上午9点", "09:00"),
        ("not in the format YYYY-MM-DD", "31/03/2031", "2031-03-31", "01/04/2031", "2031-04-01"),
        ("format is YYYY/MM/DD", "31/03/2031", "2031/03/31", "01/04/2031", "2031/04/01"),
        ("use longitude,latitude", "31.2,121.5", "121.5,31.2", "39.9,116.4", "116.4,39.9"),
    ],
)  # fmt: skip
def test_another_value_written_as_the_one_that_was_put_right_is_known_again(
    error, old, new, again, free
):
    known = [lesson("fetch", [{"p": old, "kind": "all"}], error, [{"p": new, "kind": "all"}])]
    assert flags(known, "fetch", {"p": again, "kind": "all"})
    assert not flags(known, "fetch", {"p": free, "kind": "all"})
    assert not flags(known, "other", {"p": again, "kind": "all"})


@pytest.mark.parametrize(
    ("error", "old", "new", "free"),
    [
        # one of several, not a way of writing
        ("file format not supported: mp4", "mp4", "wav", "mp3"),
        ("format must be one of: a4, letter", "b5x", "letter", "a4"),
        ("格式只支持 mp3、wav", "mp4", "wav", "mp3"),
        # how it is written is not what was wrong
        ("value too large", "2031年第一季度", "2031Q1", "2031年第二季度"),
        # which of the two numbers comes first cannot be told
        ("order should be longitude,latitude", "48.8,2.3", "2.3,48.8", "51.5,0.1"),
        # free text
        ("query is not in the right format", "two words", "other words", "three words"),
    ],
)
def test_what_is_no_other_way_of_writing_is_not_held_against_another_value(error, old, new, free):
    known = [lesson("fetch", [{"p": old, "kind": "all"}], error, [{"p": new, "kind": "all"}])]
    assert not flags(known, "fetch", {"p": free, "kind": "all"})


def test_of_two_things_that_were_changed_none_is_known_to_have_been_written_wrong():
    known = [
        lesson(
            "fetch",
            [{"p": "2031年第一季度", "kind": "all"}],
            "格式错误",
            fixes=[{"p": "2031Q1", "kind": "sales"}],
        )
    ]
    assert not flags(known, "fetch", {"p": "2031年第二季度", "kind": "all"})


def test_both_ends_of_a_way_are_read_where_both_were_turned_round():
    known = [
        lesson(
            "算路",
            [{"起点": "31.2,121.5", "终点": "31.3,121.6"}],
            "坐标应为 经度,纬度",
            fixes=[{"起点": "121.5,31.2", "终点": "121.6,31.3"}],
        )
    ]
    assert flags(known, "算路", {"起点": "30.1,120.5", "终点": "30.2,120.6"})
    assert not flags(known, "算路", {"起点": "120.5,30.1", "终点": "120.6,30.2"})
    assert not flags(known, "算路", {"起点": "48.8,2.3", "终点": "51.5,0.1"})


def test_what_is_gone_for_good_is_so_on_any_day_and_what_is_taken_is_not():
    def known(error, kind):
        old, new = ({"kiln": kiln, "day": "2031-03-13"} for kiln in ("Kiln-2", "Kiln-5"))
        return [lesson("reserve_kiln", [old], error, fixes=[new], kind=kind)]

    gone = known("Kiln-2 was decommissioned in May", ErrorClass.UNAVAILABLE)
    assert flags(gone, "reserve_kiln", {"kiln": "Kiln-2", "day": "2031-04-01"})
    assert not flags(gone, "reserve_kiln", {"kiln": "Kiln-5", "day": "2031-04-01"})
    taken = known("Kiln-2 is taken", ErrorClass.CONFLICT)
    assert not flags(taken, "reserve_kiln", {"kiln": "Kiln-2", "day": "2031-04-01"})


@pytest.mark.parametrize(
    ("error", "again"),
    [
        ("402: Annals of Peat are not part of your subscription", True),
        ("该期刊不在本馆订阅范围", True),
        ("402: add funds to read this paper", False),
        ("积分不足", False),
    ],
)
def test_of_a_journal_that_was_not_subscribed_to_no_paper_is_read(error, again):
    known = [
        lesson(
            "read_paper",
            [{"doi": "10.4444/peat.2030.118"}],
            error,
            worked=[{"doi": "10.8888/hydro.44.9"}],
            kind=ErrorClass.QUOTA,
        )
    ]
    assert flags(known, "read_paper", {"doi": "10.4444/peat.2031.7"}) is again
    assert not flags(known, "read_paper", {"doi": "10.4444/moss.2031.7"})
    assert not flags(known, "read_paper", {"doi": "10.8888/hydro.45.2"})


@pytest.mark.parametrize("worked", [[], [{"doi": "10.4444/peat.2029.3"}]])
def test_a_series_is_refused_only_beside_others_that_are_not(worked):
    known = [
        lesson(
            "read_paper",
            [{"doi": "10.4444/peat.2030.118"}],
            "Annals of Peat are not part of your subscription",
            worked=worked,
            kind=ErrorClass.QUOTA,
        )
    ]
    assert not flags(known, "read_paper", {"doi": "10.4444/peat.2031.7"})


@pytest.mark.parametrize(
    ("card", "other", "error"),
    [
        ("Globe Gold", "Kite", "Globe Gold cannot be split"),
        ("环球金卡", "风筝卡", "环球金卡不支持分期"),
    ],
)
def test_what_worked_elsewhere_is_refused_beside_what_was_different_there(card, other, error):
    def bill(number, by, parts, **more):
        return {"bill": f"B-{number}", "by": by, "parts": parts, **more}

    known = [
        lesson(
            "pay",
            [bill(71, card, 6), bill(74, card, 3)],
            error,
            fixes=[bill(71, other, 6)],
            worked=[bill(80, card, 1)],
        )
    ]
    assert flags(known, "pay", bill(91, card, 6))
    assert flags(known, "pay", bill(92, card, 3))
    assert not flags(known, "pay", bill(93, card, 1))
    assert not flags(known, "pay", bill(94, other, 6))
    # where nothing was different but the bill itself, nobody can tell what it was
    known = [lesson("pay", [bill(71, card, 6)], error, worked=[bill(80, card, 6)])]
    assert not flags(known, "pay", bill(91, card, 6))
