"""Calls to which the model gave one id are told apart: recorded, refused, advised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from autogen_agentchat.agents import ApprovalRequest, ApprovalResponse
from autogen_core.models import FunctionExecutionResultMessage
from autogen_hindsight import HindsightMemory, attach
from autogen_kit import agent, calls, client_of, events, fetch

from hindsight_core import GateMode, Hindsight
from hindsight_core.events import ToolCalled, ToolRejected

TASK = "Fetch the report of the service."
BOTH_WAYS = pytest.mark.parametrize("attached", [False, True])
ORDERS = pytest.mark.parametrize("paths", [("/v1/report", "/v2/报告"), ("/v2/报告", "/v1/report")])


def several(*paths: str, ids: str = "call-0") -> Any:
    return calls(*(("fetch", {"path": path}) for path in paths), ids=[ids] * len(paths))


def made(memory: Hindsight, *script: Any, attached: bool, **options: Any) -> Any:
    one = agent(*script, memory=[HindsightMemory(memory)], **options)
    return attach(one) if attached else one


@BOTH_WAYS
@ORDERS
@pytest.mark.parametrize("call_id", ["call-0", ""])
async def test_each_has_its_own_result(
    attached: bool, paths: tuple[str, str], call_id: str, memory: Hindsight
) -> None:
    await made(memory, several(*paths, ids=call_id), "done", attached=attached).run(task=TASK)
    found = {e.call.args["path"]: e.result for e in events(memory, ToolCalled)}
    assert "404" in found["/v1/report"]
    assert found["/v2/报告"] == "the contents of /v2/报告"


@BOTH_WAYS
async def test_calls_of_several_tools_are_told_apart(attached: bool, memory: Hindsight) -> None:
    def count(of: str) -> int:
        """Count the letters."""
        return len(of)

    asked = calls(
        ("count", {"of": "abc"}),
        ("fetch", {"path": "/v2/a"}),
        ("transfer_to_two", {}),
        ids=["x"] * 3,
    )
    options: dict[str, Any] = {"tools": [count, fetch], "handoffs": ["two"]}
    await made(memory, asked, "done", attached=attached, **options).run(task=TASK)
    found = sorted((e.call.tool, e.result) for e in events(memory, ToolCalled))
    assert found == [("count", "3"), ("fetch", "the contents of /v2/a")]


@BOTH_WAYS
@ORDERS
async def test_only_the_one_that_failed_is_completed_with_advice(
    attached: bool, paths: tuple[str, str], memory: Hindsight
) -> None:
    await agent(several("/v1/report"), "gone", memory=[HindsightMemory(memory)]).run(task=TASK)
    one = made(memory, several(*paths), "done", attached=attached)
    await one.run(task=TASK)
    (told,) = [m for m in client_of(one).shown[-1] if isinstance(m, FunctionExecutionResultMessage)]
    shown = dict(zip(paths, (r.content for r in told.content), strict=True))
    assert shown["/v2/报告"] == "the contents of /v2/报告"
    assert shown["/v1/report"].startswith("404 Not Found: /v1/report\n\n")


async def test_a_person_who_refuses_both_has_refused_two(
    open_memory: Callable[..., Hindsight],
) -> None:
    memory = open_memory(gate=GateMode.CONFIRM)
    for path in ("/v1/a", "/v1/b"):
        await agent(several(path), "gone", memory=[HindsightMemory(memory)]).run(task=TASK)

    def refuse(request: ApprovalRequest) -> ApprovalResponse:
        return ApprovalResponse(approved=False, reason=f"not {request.code[-8:-3]}")

    one = agent(several("/v1/a", "/v1/b"), "I see.", memory=[HindsightMemory(memory)])
    await attach(one, approve=refuse).run(task=TASK)
    said = {e.call.args["path"]: e.text for e in events(memory, ToolRejected)}
    assert sorted(said) == ["/v1/a", "/v1/b"]
    assert len(events(memory, ToolCalled)) == 2
