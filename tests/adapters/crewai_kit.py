"""Real crews to test with, against the scripted server: tools that fail, all ways to run a crew."""

from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any

os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_TRACING_ENABLED="false",
    CREWAI_TESTING="true",
    CREWAI_DISABLE_VERSION_CHECK="true",
    OTEL_SDK_DISABLED="true",
    HOME=tempfile.mkdtemp(),  # the framework keeps a database of its own under it
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the framework's own imports warn
    from crewai import LLM, Agent, Crew, PlanningConfig, Process, Task
    from crewai.core.providers.human_input import SyncHumanInputProvider, set_provider
    from crewai.flow.flow import Flow, listen, start
    from crewai.hooks import llm_hooks
    from crewai.tools import BaseTool, tool
    from crewai_hindsight import CrewAIChat, HindsightMemory
    from crewai_hindsight._people import People
    from crewai_hindsight.replaying import drive as replay

import pytest

from hindsight_core import Hindsight
from hindsight_core.events import EventBase
from hindsight_core.testing.scripted_server import ScriptedServer

# The framework warns of fields of its own.
ITS_OWN_WARNINGS = pytest.mark.filterwarnings("ignore::DeprecationWarning")

__all__ = [
    "ITS_OWN_WARNINGS",
    "LLM",
    "MODES",
    "STEPS_NAME_THEIR_AGENT",
    "Agent",
    "BaseTool",
    "BrokenError",
    "Crew",
    "CrewAIChat",
    "Flow",
    "HindsightMemory",
    "People",
    "PlanningConfig",
    "Process",
    "SyncHumanInputProvider",
    "Task",
    "agent_at",
    "book_seat",
    "crew_at",
    "drive",
    "events",
    "listen",
    "lookup",
    "model_at",
    "react_at",
    "replay",
    "set_provider",
    "start",
    "systems",
    "tool",
]

STEPS_NAME_THEIR_AGENT = hasattr(llm_hooks, "model_call_hooks_already_dispatched")
"""Whether the model calls of a planned step come to the hooks, which tell for whom they are."""
MODES = ["kickoff", "akickoff", "kickoff_async"]


class BrokenError(RuntimeError):
    """What the tools of the tests raise."""


@tool("book_seat")
def book_seat(date: str, guest: str = "") -> str:
    """Book a seat."""
    if len(date) != 10:
        raise BrokenError(f"invalid date {date!r}: use the format YYYY-MM-DD")
    return f"booked for {date}"


@tool("lookup")
def lookup(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"


def model_at(server: ScriptedServer, **options: Any) -> LLM:
    return LLM(model="openai/scripted", base_url=server.url, api_key="k", max_retries=0, **options)


def react_at(server: ScriptedServer) -> LLM:
    """A model without native tools: CrewAI reads its calls out of the text."""
    model = model_at(server)

    class WithoutTools(type(model)):
        def supports_function_calling(self) -> bool:
            return False

    return WithoutTools(
        **model.model_dump(exclude_none=True, include={"model", "base_url"}),
        api_key="k",
        max_retries=0,
    )


def agent_at(
    server: ScriptedServer, tools: Sequence[BaseTool] = (book_seat, lookup), **options: Any
) -> Agent:
    given: dict[str, Any] = {"role": "clerk", "goal": "Help.", "backstory": "Brief.", **options}
    llm = given.pop("llm", None) or model_at(server)
    return Agent(llm=llm, tools=list(tools), verbose=False, **given)


def crew_at(
    server: ScriptedServer,
    memory: Any,
    description: str = "Book a seat for 5 March 2026.",
    *,
    tools: Sequence[BaseTool] = (book_seat, lookup),
    agent: dict[str, Any] | None = None,
    task: dict[str, Any] | None = None,
    **options: Any,
) -> Crew:
    worker = agent_at(server, tools, **(agent or {}))
    job = Task(description=description, expected_output="a line", agent=worker, **(task or {}))
    return Crew(agents=[worker], tasks=[job], memory=memory, verbose=False, **options)


def drive(mode: str, crew: Crew, **options: Any) -> Any:
    """Run a crew in one of `MODES`; the text of what it came to."""
    if mode == "kickoff":
        return crew.kickoff(**options).raw
    return asyncio.run(getattr(crew, mode)(**options)).raw


def events(memory: Hindsight, kind: type[EventBase] | None = None) -> list[Any]:
    """All events of all runs, oldest run first; only those of a kind, if one is given."""
    runs = memory.store.runs(pending_only=False, limit=1_000)
    found = [event for run in runs for event in memory.store.events(run.run_id)]
    return [event for event in found if kind is None or isinstance(event, kind)]


def systems(server: ScriptedServer) -> list[str]:
    """The first message of each request to the model."""
    return [str(body["messages"][0]["content"]) for body in server.chats]
