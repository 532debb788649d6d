"""Drives AutoGen agents for the adapter contract."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Coroutine, Mapping
from typing import Any

from autogen_agentchat.agents import ApprovalRequest, ApprovalResponse, AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_hindsight import HindsightMemory, attach

from hindsight_core import Hindsight
from hindsight_core.testing.adapter_driver import AgentPlan

MODEL_INFO: Any = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "family": "unknown",
    "structured_output": True,
    "multiple_system_messages": False,  # so that a block apart from the others would raise
}


class Loop:
    """An event loop for all agents, since a team is bound to that of its first turn."""

    def __init__(self) -> None:
        self._runner = self._new()
        atexit.register(self.close)

    @staticmethod
    def _new() -> asyncio.Runner:
        # With a factory it leaves the thread's current loop alone, which is that of other tests.
        return asyncio.Runner(loop_factory=asyncio.new_event_loop)

    def close(self) -> None:
        self._runner.close()

    def run(self, coroutine: Coroutine[Any, Any, str]) -> str:
        try:
            return self._runner.run(coroutine)
        except (KeyboardInterrupt, SystemExit):  # the program ends, and with it what is under way
            self._runner.close()
            self._runner = self._new()
            raise


_loop = Loop()


def client_at(url: str) -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(
        model="scripted", base_url=url, api_key="k", model_info=MODEL_INFO
    )


def make(plan: AgentPlan, name: str = "agent") -> AssistantAgent:
    tools: list[Any] = list(plan.tools)
    if plan.helper is not None:
        tools.append(AgentTool(make(plan.helper, "helper"), return_value_as_last_message=True))
    memories = [
        HindsightMemory(plan.hindsight, user=plan.user, session=plan.session)
        for _ in range(plan.adapters if isinstance(plan.hindsight, Hindsight) else 0)
    ]
    agent = AssistantAgent(
        name,
        client_at(plan.url),
        description="Does a task.",
        system_message=plan.system,
        tools=tools,
        memory=list(memories) or None,
        max_tool_iterations=10,
        model_client_stream=plan.mode == "run_stream",
    )
    if memories and not plan.mode.endswith("memory_alone"):
        attach(agent, approve=approval(plan))
    return agent


def approval(plan: AgentPlan) -> Any:
    approve = plan.approve
    if approve is None:
        return None

    async def ask(request: ApprovalRequest) -> ApprovalResponse:
        shown = f"{request.code}\n{request.context[0].content}"
        return ApprovalResponse(approved=approve(shown), reason="")

    return ask


class AutoGenAgent:
    """One agent, alone or in a team of its own."""

    def __init__(self, plan: AgentPlan, state: Mapping[str, Any] | None = None) -> None:
        self._plan = plan
        self._agent = make(plan)
        self._team = RoundRobinGroupChat(
            [self._agent], termination_condition=MaxMessageTermination(2)
        )
        self._loaded = state
        self._state: Mapping[str, Any] = {}

    def turn(self, text: str) -> str:
        return _loop.run(self._turn(text))

    async def _turn(self, text: str) -> str:
        in_team = self._plan.mode == "team"
        runner: Any = self._team if in_team else self._agent
        if self._loaded is not None:
            await runner.load_state(self._loaded)
            self._loaded = None
        result: Any = None
        if self._plan.mode == "run_stream":
            async for result in runner.run_stream(task=text):  # noqa: B007
                continue
        else:
            result = await runner.run(task=text)
        self._state = await runner.save_state()
        return result.messages[-1].content

    def saved(self) -> str:
        return str(self._state)

    def resumed(self) -> AutoGenAgent:
        return AutoGenAgent(self._plan, self._state)


class AutoGenDriver:
    """Modes: an agent that is attached, one that streams, and one in a team."""

    name = "autogen"
    modes = ("run", "run_stream", "team")
    lacks: Mapping[str, str] = {}
    interruptions: Mapping[str, Any] = {}

    def start(self, plan: AgentPlan) -> AutoGenAgent:
        return AutoGenAgent(plan)
