"""Replays a recorded run through a real CrewAI crew with our memory in it."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from crewai import Agent, Crew, Task
from crewai.core.providers.human_input import SyncHumanInputProvider, get_provider, set_provider
from crewai.llms.base_llm import BaseLLM
from crewai.tools import BaseTool
from crewai.utilities.string_utils import sanitize_tool_name
from pydantic import BaseModel, ConfigDict, PrivateAttr

from crewai_hindsight.memory import HindsightMemory
from hindsight_core import Hindsight, RecordedRun, RecordedStep, Scope
from hindsight_core.testing.replay import turns_of

__all__ = ["drive"]

logger: Final = logging.getLogger("hindsight_core")


def drive(hindsight: Hindsight, scope: Scope, run: RecordedRun) -> str:
    """Replay one run as one task; later turns of the user are his feedback on it.

    Returns the id of the run. Where CrewAI stops it, as it does an agent that repeats one call too
    often, it ends there, as it would have.
    """
    turns = turns_of(run)
    if run.task not in ("", turns[0][0]):
        turns.insert(0, (run.task, []))
    (task, steps), *later = turns
    script = _Script()
    script.load(steps)
    names = dict.fromkeys(step.tool for step in run.steps if step.kind == "tool")
    tools: list[BaseTool] = [_RecordedTool(name, script) for name in names]
    agent = Agent(
        role="agent",
        goal="Do what is asked.",
        backstory="It was recorded.",
        llm=_RecordedModel(script, _as_shown_to_a_model(list(names))),
        tools=tools,
        cache=False,
        max_iter=len(run.steps) + 10,
    )
    asked = Task(description=task, expected_output="-", agent=agent, human_input=bool(later))
    memory = HindsightMemory(hindsight, user=scope.user, tenant=scope.tenant)
    before = get_provider()
    set_provider(_Person(script, later))
    try:
        Crew(agents=[agent], tasks=[asked], memory=memory, cache=False).kickoff()  # pyright: ignore[reportUnknownMemberType]
    except Exception as error:
        if not hasattr(error, "record"):  # CrewAI's own stop, which older versions do not have
            raise
        logger.warning("a recorded run ended early: %s", error)
    finally:
        set_provider(before)
        memory.close()
    return memory.run_of(asked) or ""


class _Script:
    """What is left of the turn that goes on, and the call that runs now."""

    def __init__(self) -> None:
        self.calls: deque[RecordedStep] = deque()
        self.answer = ""
        self.running: RecordedStep | None = None

    def load(self, steps: Sequence[RecordedStep]) -> None:
        """Take the calls of the next turn, and the words that end it."""
        self.calls.extend(step for step in steps if step.kind == "tool")
        said = [step.text for step in steps if step.kind == "assistant" and step.text.strip()]
        self.answer = said[-1] if said else "(end of the turn)"


class _Person(SyncHumanInputProvider):
    """Says the later turns of the user as feedback on the task."""

    def __init__(self, script: _Script, turns: Sequence[tuple[str, list[RecordedStep]]]) -> None:
        self._script = script
        self._turns = deque(turns)

    def _prompt_input(self, crew: Any) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        del crew
        if not self._turns:
            return ""
        said, steps = self._turns.popleft()
        self._script.load(steps)
        return said


class _RecordedModel(BaseLLM):
    """Asks for the recorded calls, one after the other, and then ends the turn."""

    _script: _Script = PrivateAttr()
    _names: Mapping[str, str] = PrivateAttr()

    def __init__(self, script: _Script, names: Mapping[str, str]) -> None:
        super().__init__(model="recorded")
        self._script = script
        self._names = names

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Ask for the next call, or answer."""
        del args, kwargs
        if not self._script.calls:
            return self._script.answer
        step = self._script.running = self._script.calls.popleft()
        arguments = json.dumps(dict(step.args), ensure_ascii=False)
        called = {"name": self._names[step.tool], "arguments": arguments}
        return [{"id": f"call-{id(step)}", "type": "function", "function": called}]

    def supports_function_calling(self) -> bool:
        """Whether calls are made natively."""
        return True

    def get_context_window_size(self) -> int:
        """There is room for everything."""
        return 10_000_000


class _Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class _RecordedTool(BaseTool):
    """Gives the recorded result of the call that runs; an error is raised."""

    args_schema: type[BaseModel] = _Anything
    _script: _Script = PrivateAttr()

    def __init__(self, name: str, script: _Script) -> None:
        super().__init__(name=name, description=f"{name}, as it was recorded")
        self._script = script

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Answer without looking at the arguments: they need not fit any form."""
        del args, kwargs
        step = self._script.running
        result = step.result if step is not None else ""
        if step is not None and step.error:
            raise RuntimeError(result)
        return result or ""

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return self.run(*args, **kwargs)


def _as_shown_to_a_model(tools: Sequence[str]) -> dict[str, str]:
    """The name by which CrewAI offers each tool: Latin letters alone, numbered where they clash."""
    shown: dict[str, str] = {}
    for name in tools:
        wanted = plain = sanitize_tool_name(name)
        count = 1
        while wanted in shown.values():
            count += 1
            wanted = sanitize_tool_name(f"{plain}_{count}")
        shown[name] = wanted
    return shown
