"""Whether a call worked, judged from what came back."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture import judge_outcome
from hindsight_core.capture.outcomes._tables import LANGUAGES, normalise
from hindsight_core.schema import ErrorClass as E
from hindsight_core.schema import Outcome


def judge(tool: str, args: dict[str, object], result: str, *, raised: bool = False) -> Outcome:
    return judge_outcome(tool, args, raised=raised, result=result)


FAILURES = [
    ("pay", {}, '{"success": false, "msg": "no"}', E.SOFT, False),
    ("pay", {}, '{"code": 40013, "msg": "invalid appid"}', E.VALIDATION, False),
    ("下单", {}, '{"code": 0, "success": false, "msg": "下单未成功"}', E.SOFT, False),
    ("http_get", {}, "HTTP 503\n{}", E.UNAVAILABLE, True),
    ("http_get", {}, "HTTP/1.1 429 Too Many Requests", E.RATE_LIMIT, True),
    ("http_get", {}, "<html><title>504 Gateway Time-out</title></html>", E.TIMEOUT, True),
    ("bash", {"command": "make"}, '{"exit_code": 2, "stderr": "*** No rule"}', E.NOT_FOUND, False),
    ("bash", {"command": "foo"}, "bash: foo: command not found", E.NOT_FOUND, False),
    ("bash", {"command": "cat x"}, "cat: x: No such file or directory", E.NOT_FOUND, False),
    ("python", {"code": "1/0"},
     "Traceback (most recent call last):\nZeroDivisionError: by zero",
     E.VALIDATION, False),
    ("search", {"q": "x"}, "Could not find [x]. Similar: ['y']", E.NOT_FOUND, False),
    ("open", {"input": "door 3"}, "Nothing happens.", E.SOFT, False),
    ("查订单", {}, '{"code": 404, "msg": "订单不存在", "data": null}', E.NOT_FOUND, False),
    ("查訂單", {}, "請求失敗：連線逾時", E.TIMEOUT, True),
    ("支付", {}, '{"code": "SYSTEM_TIMEOUT", "msg": "结果未知，请先查单"}', E.TIMEOUT, True),
    ("执行命令", {"cmd": "mvn verify"}, "命令超过 300 秒未结束，已终止", E.TIMEOUT, False),
    ("mcp", {}, '[{"type": "text", "text": "Error: permission denied"}]', E.PERMISSION, False),
    ("add_job", {}, "400 Bad Request: field timeout must be a number", E.VALIDATION, False),
    ("add_job", {}, "Error: unknown option --retry-timeout", E.VALIDATION, False),
    ("add_job", {}, "Error: invalid value for rate_limit", E.VALIDATION, False),
    ("add_job", {}, "Error: no such table: timeouts", E.NOT_FOUND, False),
    ("book", {}, "Room unavailable on that date", E.CONFLICT, False),
    ("register", {}, "That username is unavailable", E.CONFLICT, False),
    ("book", {}, "该时段不可用", E.CONFLICT, False),
    ("book", {}, "参数缺失：日期", E.VALIDATION, False),
    ("login", {}, '{"authenticated": false}', E.SOFT, False),
    ("bash", {"command": "sudo ls"}, "sudo: a password is required", E.PERMISSION, False),
    ("bash", {"command": "tsc"}, "a.ts(1,1): error TS2304: Cannot find x", E.NOT_FOUND, False),
    ("get_ticket", {"id": 4}, "Ticket 4 not found", E.NOT_FOUND, False),
    ("query_logs", {"of": "x"}, "429 Too Many Requests", E.RATE_LIMIT, True),
    ("查询工单", {"号": 4}, "没有权限", E.PERMISSION, False),
    ("reserve_kiln", {}, '{"code": 409, "message": "Kiln 2 has been scrapped"}',
     E.UNAVAILABLE, False),
    ("reserve_kiln", {}, "409: Kiln 2 was decommissioned last year", E.UNAVAILABLE, False),
    ("reserve_kiln", {}, "409: Kiln 2 is taken at 10:00", E.CONFLICT, False),
    ("订窑", {}, '{"code": 409, "msg": "2 号窑已于去年报废"}', E.UNAVAILABLE, False),
    ("订窑", {}, '{"code": 409, "msg": "2 号窑已被占用"}', E.CONFLICT, False),
    ("add_track", {}, "423 Locked: season 3 accepts no new tracks", E.UNAVAILABLE, False),
    ("add_track", {}, "423 Locked: season 3 is being edited", E.CONFLICT, True),
    ("投稿", {}, "423 已锁定：第三季不再接受新投稿", E.UNAVAILABLE, False),
    ("投稿", {}, "423 已锁定：第三季正在被编辑", E.CONFLICT, True),
]  # fmt: skip

ANSWERS = [
    ("log_search", {"query": "error"}, "10:02 ERROR timeout in worker\n10:03 ERROR again"),
    ("search", {"q": "x"}, "[]"),
    ("search", {"q": "x"}, "No results"),
    ("bash", {"command": "grep -n x f"}, '{"exit_code": 1, "stdout": "", "stderr": ""}'),
    ("bash", {"command": "systemctl status nginx"}, '{"exit_code": 3, "stdout": "inactive"}'),
    ("read_file", {"path": "trace.txt"}, "Traceback (most recent call last):\nKeyError: 'a'\n"),
    ("get_ticket", {"id": 3}, '{"id": 3, "status": "failed", "subject": "Refund failed"}'),
    ("translate", {"text": "请求失败", "to": "en"}, "Request failed"),
    ("翻译", {"文本": "access denied"}, "访问被拒绝"),
    ("构建状态", {"流水线": 9}, '{"状态": "失败", "阶段": "测试"}'),
    ("bash", {"command": "pytest"}, "7 passed, 0 failed in 2.06s"),
    ("write_file", {"path": "a"}, ""),
    ("get_ticket", {"id": 4}, "Subject: Login failed. Body: error 500, access denied for me."),
    ("list_messages", {}, "Error: payment failed, please try again. What can I do?"),
    ("query_logs", {"of": "x"}, "ERROR timeout after 30s"),
    ("kubectl_logs", {"pod": "x"}, "panic: runtime error: index out of range"),
    ("vector_search", {"q": "x"}, "Error: the card was declined, access denied"),
    ("查询工单", {"号": 4}, "付款失败，请重新支付。客户：王女士"),
    ("deploy", {}, "Deployment succeeded after retry (first attempt failed: timeout)"),
    ("sync", {}, "Synced 120 files. 2 retries after timeouts."),
    ("fetch", {}, "<html><title>Error handling in Go</title><body>How to</body></html>"),
    ("检查", {}, "系统未检测到异常"),
    ("取消", {}, "已取消，退款失败原因：无"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "args", "result", "error_class", "transient"), FAILURES)
def test_a_failure_is_seen_and_classed(
    tool: str, args: dict[str, object], result: str, error_class: E, transient: bool
) -> None:
    outcome = judge(tool, args, result)
    assert not outcome.ok
    assert (outcome.error_class, outcome.transient) == (error_class, transient)
    assert outcome.message


@pytest.mark.parametrize(("tool", "args", "result"), ANSWERS)
def test_an_answer_that_speaks_of_failure_is_an_answer(
    tool: str, args: dict[str, object], result: str
) -> None:
    assert judge(tool, args, result).ok


def test_what_the_framework_flags_is_a_failure_whatever_the_text_says() -> None:
    outcome = judge_outcome("a", {}, raised=False, flagged_error=True, result="all good")
    assert not outcome.ok
    assert outcome.error_class is E.SOFT


def test_a_raised_exception_is_classed_by_its_type() -> None:
    outcome = judge_outcome("a", {}, raised=True, error_type="ConnectionError", result="")
    assert outcome.error_class is E.UNAVAILABLE
    assert outcome.retry_same_args


def test_an_unknown_result_is_not_to_be_retried() -> None:
    outcome = judge("pay", {}, '{"error": "timeout, the payment may have been made"}')
    assert outcome.transient
    assert not outcome.retry_same_args


def test_a_success_is_neither_transient_nor_to_be_retried() -> None:
    assert judge("a", {}, "done") == Outcome(ok=True)


tools = st.sampled_from(["bash", "search", "pay", "查订单", "translate", "python", "http_get", ""])


@given(tools, st.text(), st.booleans())
def test_no_text_crashes(tool: str, text: str, raised: bool) -> None:
    outcome = judge(tool, {"command": text, "q": text}, text, raised=raised)
    assert len(outcome.message) <= 600
    outcome.model_dump_json()


@given(tools, st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=10))
def test_no_json_crashes(tool: str, value: object) -> None:
    for text in (str(value), repr({"error": value}), f'{{"data": {value!r}}}'):
        judge(tool, {}, text)


def test_results_of_many_tools_are_judged_as_recorded() -> None:
    lines = (Path(__file__).parent / "corpora" / "outcomes.jsonl").read_text("utf-8").splitlines()
    wrong: list[str] = []
    for row in map(json.loads, lines):
        judged = judge_outcome(
            row["tool"], row["args"], raised=row.get("raised", False), result=row["result"]
        )
        expected = E(row["class"]) if row["class"] else None
        transient = row.get("transient", expected in (E.RATE_LIMIT, E.TIMEOUT, E.UNAVAILABLE))
        if (judged.error_class, judged.transient) != (expected, transient):
            wrong.append(f"{row['tool']}: {row['result'][:80]!r} is {judged.error_class}")
    assert len(lines) > 500
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_one_table_with_all_its_parts(language: str) -> None:
    path = files("hindsight_core.capture.outcomes").joinpath(f"{language}.toml")
    table = tomllib.loads(path.read_text("utf-8"))
    ranks = {rank: {E(row["class"]) for row in table[rank]} for rank in ("specific", "plain")}
    assert ranks["specific"] | ranks["plain"] == set(E) - {E.SOFT}
    for name in ("opening", "statement", "harmless", "empty", "no_effect", "loud"):
        assert table["patterns"][name]
    for name in ("error", "flag", "message"):
        assert table["keys"][name]
    for role in ("act", "read", "status"):
        assert table["words"][role]


def test_a_pattern_begins_at_the_start_of_a_word() -> None:
    assert judge("note", {}, "The debugger is unexpectedly fast").ok


HUGE = {
    "brackets": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "closed": "[" * 50_000 + "]" * 50_000,
    "words": "error " * 170_000,
    "one_word": "e" * 1_000_000,
    "quotes": "{'" + "\\" * 500_000,
    "lines": "error: x\n" * 100_000,
    "spaces": "x" + " " * 1_000_000 + "x",
    "tags": "<html><title>" + "<" * 500_000,
    "titles": "<html>" + "<title>" * 100_000,
    "colons": "a: " * 300_000,
    "cjk": "失败" * 400_000,
    "traceback": "Traceback (most recent call last)\n" * 30_000,
    "stack": "   at a.b(" * 100_000,
    "json": '{"items": [' + ",".join(['{"error": "x"}'] * 50_000) + "]}",
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_text_is_judged_in_time(name: str) -> None:
    def work() -> None:
        for tool in ("bash", "search", "pay", "http_get"):
            judge(tool, {"command": "make", "text": HUGE[name][:100_000]}, HUGE[name])
        judge("pay", {}, HUGE[name], raised=True)

    assert seconds_of(work) < 2.0


@pytest.mark.parametrize(
    "piece",
    ["a", " ", "error ", "not ", "a: ", "no a ", "was not been ", "1.", "未", "at a.b(", "E_"],
)
def test_no_pattern_is_slower_than_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        text = normalise(piece * (size // len(piece)))

        def work() -> None:
            for _ in range(5):
                judge("act", {}, text)
                judge("bash", {"command": "make"}, text, raised=True)

        return seconds_of(work)

    seconds(500)
    assert seconds(4_000) < 40 * max(seconds(500), 0.002)
