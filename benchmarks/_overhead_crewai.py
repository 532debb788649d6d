"""One crew of CrewAI for the benchmark `overhead`."""

from __future__ import annotations

from typing import Any

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from crewai_hindsight import HindsightMemory

from hindsight_core.testing.adapter_driver import AgentPlan


class Turns:
    """A crew of one, whose every turn is a task of its own."""

    def __init__(self, plan: AgentPlan) -> None:
        self._memory: Any = False
        if plan.hindsight is not None:
            self._memory = HindsightMemory(plan.hindsight, user=plan.user)
        self._agent = Agent(
            role="agent",
            goal="Answer.",
            backstory=plan.system,
            llm=LLM(model="openai/scripted", base_url=plan.url, api_key="k"),
            tools=[tool(function.__name__)(function) for function in plan.tools],
            cache=False,
        )

    def turn(self, text: str) -> str:
        """Run one turn."""
        task = Task(description=text, expected_output="An answer.", agent=self._agent)
        crew: Any = Crew(agents=[self._agent], tasks=[task], memory=self._memory, cache=False)
        return crew.kickoff().raw


def start(plan: AgentPlan) -> Turns:
    """Make the crew."""
    return Turns(plan)
