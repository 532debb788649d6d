"""One agent of AutoGen for the benchmark `overhead`."""

from __future__ import annotations

import asyncio
import atexit
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_hindsight import HindsightMemory, attach

from hindsight_core.testing.adapter_driver import AgentPlan

_MODEL: Any = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "family": "unknown",
    "structured_output": True,
}
_runner = asyncio.Runner()
atexit.register(_runner.close)


class Turns:
    """An agent whose history stays short, so that each turn is as long as the one before."""

    def __init__(self, plan: AgentPlan) -> None:
        memory = plan.hindsight and HindsightMemory(plan.hindsight, user=plan.user)
        self._agent = AssistantAgent(
            "agent",
            OpenAIChatCompletionClient(
                model="scripted", base_url=plan.url, api_key="k", model_info=_MODEL
            ),
            tools=list(plan.tools),
            memory=[memory] if memory else None,
            model_context=BufferedChatCompletionContext(4),
            max_tool_iterations=3,
        )
        if memory:
            attach(self._agent)

    def turn(self, text: str) -> str:
        """Run one turn."""
        return str(_runner.run(self._agent.run(task=text)).messages[-1].content)


def start(plan: AgentPlan) -> Turns:
    """Make the agent."""
    return Turns(plan)
