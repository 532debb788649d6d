"""Drives CrewAI crews, and agents by themselves, for the adapter contract."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from crewai_kit import LLM, Agent, Crew, HindsightMemory, Task, tool

from hindsight_core.testing.adapter_driver import AgentPlan


class CrewAIAgent:
    def __init__(self, plan: AgentPlan) -> None:
        self._plan = plan
        self._memory: Any = None
        self._kept: list[Any] = []
        if plan.hindsight is not None:
            approve = plan.approve
            ask = (lambda _, question: approve(question)) if approve else None
            self._memory = HindsightMemory(plan.hindsight, user=plan.user, ask=ask)
        tools = [as_tool(function) for function in plan.tools]
        if plan.helper is not None:
            tools.append(as_tool(helper_of(CrewAIAgent(plan.helper))))
        self._agent = Agent(
            role="clerk",
            goal="Help.",
            backstory=plan.system,
            llm=LLM(model="openai/scripted", base_url=plan.url, api_key="k"),
            tools=tools,
            memory=self._memory if plan.mode.startswith("agent") else None,
            cache=False,
        )

    def turn(self, text: str) -> str:
        kind, _, way = self._plan.mode.partition(".")
        if kind == "agent":
            whole: Any = self._agent
            given: Any = {"messages": text}
        else:
            task = Task(description=text, expected_output="an answer", agent=self._agent)
            whole = Crew(agents=[self._agent], tasks=[task], memory=self._memory, cache=False)
            given = {}
        called = getattr(whole, way)(**given)
        output = asyncio.run(called) if asyncio.iscoroutine(called) else called
        self._kept.append(output.model_dump())
        return output.raw

    def saved(self) -> str:
        executor: Any = self._agent.agent_executor
        return f"{self._kept} {getattr(executor, 'messages', '')}"


def as_tool(function: Callable[..., str]) -> Any:
    function.__annotations__ = get_type_hints(function)
    return tool(function.__name__)(function)


def helper_of(agent: CrewAIAgent) -> Callable[[str], str]:
    def helper(task: str) -> str:
        """Let the helper do a task."""
        return agent.turn(task)

    return helper


class CrewAIDriver:
    name = "crewai"
    modes = ("crew.kickoff", "crew.akickoff", "agent.kickoff", "agent.kickoff_async")
    lacks: Mapping[str, str] = {
        "adapters": "an agent takes one memory",
        "resume": "an agent keeps no conversation from one kickoff to the next",
    }
    interruptions: Mapping[str, Callable[[], object]] = {}

    def start(self, plan: AgentPlan) -> CrewAIAgent:
        return CrewAIAgent(plan)
