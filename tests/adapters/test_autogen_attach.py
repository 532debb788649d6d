"""An agent that is attached: each call is timed, its exception kept, and the gate may stop it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from autogen_agentchat.agents import ApprovalRequest, ApprovalResponse, CodeExecutorAgent
from autogen_core.tools import (
    FunctionTool,
    StaticWorkbench,
    TextResultContent,
    ToolOverride,
    ToolResult,
)
from autogen_hindsight import HindsightMemory, attach, watch
from autogen_kit import agent, calls, client_of, events, fetch

from hindsight_core import ConfigurationError, GateMode, Hindsight
from hindsight_core.events import ToolCalled, ToolRejected

TASK = "Fetch the report of the service."
FAIL = calls(("fetch", {"path": "/v1/report"}))


async def test_each_of_several_calls_has_its_own_time_and_exception(memory: Hindsight) -> None:
    both = calls(("fetch", {"path": "/v1/a"}), ("fetch", {"path": "/v2/a"}))
    made = attach(agent(both, "done", memory=[HindsightMemory(memory)]))
    await made.run(task=TASK)
    found = sorted(events(memory, ToolCalled), key=lambda e: e.call.args["path"])
    assert [(e.raised, e.error_type) for e in found] == [(True, "LookupError"), (False, None)]
    assert all(e.milliseconds is not None and e.milliseconds >= 0 for e in found)
    assert found[0].result == "LookupError: 404 Not Found: /v1/a"


async def test_the_model_reads_what_it_would_read_without_us(memory: Hindsight) -> None:
    shown = []
    for within in (False, True):
        made = agent(FAIL, "done", memory=[HindsightMemory(memory)] if within else None)
        await (attach(made) if within else made).run(task=TASK)
        shown.append(str(client_of(made).shown))
    assert shown[0] == shown[1]


class Rude(StaticWorkbench):
    """A workbench that lets its errors out, which no agent survives by itself."""

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: Any = None,
        call_id: str | None = None,
    ) -> ToolResult:
        if arguments and arguments["path"] == "/v2/image":
            return ToolResult(name=name, result=[TextResultContent(content="ok")])
        raise ConnectionError("the line is dead")


async def test_a_workbench_that_raises_does_not_hang_the_agent(memory: Hindsight) -> None:
    bench = Rude([FunctionTool(fetch, description="Fetch.")])
    made = agent(
        calls(("fetch", {"path": "/x"}), ("fetch", {"path": "/v2/image"})),
        "I see.",
        tools=None,
        workbench=bench,
        memory=[HindsightMemory(memory)],
    )
    result = await attach(made).run(task=TASK)
    assert result.messages[-1].content == "I see."  # type: ignore[union-attr]
    found = {e.call.args["path"]: e for e in events(memory, ToolCalled)}
    assert found["/x"].error_type == "ConnectionError"
    assert found["/v2/image"].result == "ok"


async def test_a_workbench_keeps_its_class_its_dump_and_its_calls_outside_of_an_agent(
    memory: Hindsight,
) -> None:
    tools = [FunctionTool(fetch, description="Fetch.")]
    bench = StaticWorkbench(tools, {"fetch": ToolOverride(name="get")})
    dumped = bench.dump_component()
    assert watch(watch(bench)) is bench
    assert type(bench) is StaticWorkbench
    assert bench.dump_component() == dumped
    assert (await bench.call_tool("get", {"path": "/v2/a"})).to_text() == "the contents of /v2/a"
    assert (await bench.call_tool("get", {"path": "/v1/a"})).is_error
    assert events(memory) == []


async def warned(open_memory: Callable[..., Hindsight], mode: GateMode) -> Hindsight:
    memory = open_memory(gate=mode)
    await agent(FAIL, "gone", memory=[HindsightMemory(memory)]).run(task=TASK)
    return memory


@pytest.mark.parametrize("reason", ["", "use the newer one"])
async def test_a_person_refuses_with_a_reason_that_the_agent_is_told(
    reason: str, open_memory: Callable[..., Hindsight]
) -> None:
    memory = await warned(open_memory, GateMode.CONFIRM)
    asked: list[ApprovalRequest] = []

    def refuse(request: ApprovalRequest) -> ApprovalResponse:
        asked.append(request)
        return ApprovalResponse(approved=False, reason=reason)

    made = agent(FAIL, "I see.", memory=[HindsightMemory(memory)])
    await attach(made, approve=refuse).run(task=TASK)
    assert [request.code for request in asked] == ['fetch({"path": "/v1/report"})']
    (told,) = client_of(made).shown[-1][-1].content
    said = f" with reason: {reason}" if reason else ""
    assert told.content == f"User rejected the tool call for `fetch`{said}"  # type: ignore[union-attr]
    assert [e.text for e in events(memory, ToolRejected)] == [reason]
    assert len(events(memory, ToolCalled)) == 1


async def test_an_approval_that_fails_is_a_refusal_and_hangs_nobody(
    open_memory: Callable[..., Hindsight],
) -> None:
    memory = await warned(open_memory, GateMode.CONFIRM)

    async def fail(request: ApprovalRequest) -> ApprovalResponse:
        raise OSError("nobody is at the desk")

    made = agent(FAIL, "I see.", memory=[HindsightMemory(memory)])
    result = await attach(made, approve=fail).run(task=TASK)
    assert result.messages[-1].content == "I see."  # type: ignore[union-attr]
    assert "nobody is at the desk" in str(client_of(made).shown[-1][-1])
    assert len(events(memory, ToolCalled)) == 1


async def test_an_agent_without_memory_is_given_one(memory: Hindsight) -> None:
    made = attach(agent("done"), HindsightMemory(memory, user="u"))
    await made.run(task=TASK)
    assert {e.scope.user for e in events(memory)} == {"u"}
    ours = HindsightMemory(memory, user="u")
    assert attach(attach(made, ours), ours)._memory is not None
    assert len(made._memory or []) == 2


def test_what_is_no_assistant_agent_is_refused() -> None:
    class Executor(CodeExecutorAgent):
        def __init__(self) -> None:
            """Nothing is set up."""

    with pytest.raises(ConfigurationError, match="Executor is no AssistantAgent"):
        attach(Executor())  # type: ignore[arg-type]


async def test_hand_overs_of_any_name_are_no_tool_calls_once_attached(memory: Hindsight) -> None:
    from autogen_agentchat.base import Handoff

    hand_over = Handoff(target="boss", name="escalate")
    made = agent(calls(("escalate", {})), handoffs=[hand_over], memory=[HindsightMemory(memory)])
    await attach(made).run(task=TASK)
    assert events(memory, ToolCalled) == []
