"""Drives LangChain agents for the adapter contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool
from langchain_hindsight import HindsightMiddleware
from langchain_kit import drive
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt

from hindsight_core import GateMode
from hindsight_core.testing.adapter_driver import AgentPlan


class ErrorsAreShown(AgentMiddleware):
    """What applications do so that a tool's error does not end the agent."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001
            return self._message(request, error)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001
            return self._message(request, error)

    @staticmethod
    def _message(request: Any, error: Exception) -> ToolMessage:
        said = f"{type(error).__name__}: {error}"
        return ToolMessage(said, tool_call_id=request.tool_call["id"], status="error")


class LangChainAgent:
    def __init__(self, plan: AgentPlan, saver: InMemorySaver | None) -> None:
        self._plan = plan
        self._saver = saver
        self._config: Any = {"configurable": {"thread_id": plan.session, "user_id": plan.user}}
        streaming = "stream" in plan.mode
        model: Any = ChatOpenAI(
            model="scripted", base_url=plan.url, api_key="k", streaming=streaming
        )
        tools: list[Any] = [StructuredTool.from_function(function) for function in plan.tools]
        if plan.helper is not None:
            tools.append(helper_tool(LangChainAgent(plan.helper, None).graph))
        memory = plan.hindsight
        ours = [HindsightMiddleware(memory) for _ in range(plan.adapters if memory else 0)]
        self.graph: Any = create_agent(
            model,
            tools,
            system_prompt=plan.system,
            middleware=[ErrorsAreShown(), *ours],
            checkpointer=saver,
        )

    def turn(self, text: str) -> str:
        given: Any = {"messages": [{"role": "user", "content": text}]}
        while True:
            values = drive(self._plan.mode, self.graph, given, self._config)
            asked = values.get("__interrupt__")
            if not asked or self._plan.approve is None:
                return values["messages"][-1].text
            approved = self._plan.approve(str(asked[0].value))
            given = Command(resume="approve" if approved else "reject")

    def saved(self) -> str:
        state = self.graph.get_state(self._config)
        return str(state.values) + str(list(self.graph.get_state_history(self._config)))

    def resumed(self) -> LangChainAgent:
        return LangChainAgent(self._plan, self._saver)


def helper_tool(agent: Any) -> StructuredTool:
    def given(task: str) -> Any:
        return {"messages": [{"role": "user", "content": task}]}

    def helper(task: str) -> str:
        """Let the helper do a task."""
        return agent.invoke(given(task))["messages"][-1].text

    async def ahelper(task: str) -> str:
        return (await agent.ainvoke(given(task)))["messages"][-1].text

    return StructuredTool.from_function(helper, ahelper)


class LangChainDriver:
    name = "langchain"
    modes = ("invoke", "ainvoke", "stream", "astream")
    lacks: Mapping[str, str] = {
        "adapters": "the framework refuses a second middleware of one name",
    }
    interruptions: Mapping[str, Any] = {"interrupt": lambda: interrupt("sure?")}

    def start(self, plan: AgentPlan) -> LangChainAgent:
        # The framework can ask a person only where it can keep the run meanwhile.
        memory = plan.hindsight
        confirm = memory is not None and memory.settings.gate is GateMode.CONFIRM
        nobody = confirm and plan.approve is None
        return LangChainAgent(plan, None if nobody else InMemorySaver())
