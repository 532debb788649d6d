"""One agent of LangChain for the benchmark `overhead`."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_hindsight import HindsightMiddleware
from langchain_openai import ChatOpenAI

from hindsight_core.testing.adapter_driver import AgentPlan


class Turns:
    """An agent without history, so that each turn is as long as the one before."""

    def __init__(self, plan: AgentPlan) -> None:
        model: Any = ChatOpenAI(model="scripted", base_url=plan.url, api_key="k")
        ours = [HindsightMiddleware(plan.hindsight, user=plan.user)] if plan.hindsight else []
        tools = [StructuredTool.from_function(function) for function in plan.tools]
        self._agent: Any = create_agent(model, tools, system_prompt=plan.system, middleware=ours)

    def turn(self, text: str) -> str:
        """Run one turn."""
        given = {"messages": [{"role": "user", "content": text}]}
        return self._agent.invoke(given)["messages"][-1].text


def start(plan: AgentPlan) -> Turns:
    """Make the agent."""
    return Turns(plan)
