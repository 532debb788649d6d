"""Replays a recorded run through a real LangChain agent with our middleware in it."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field, PrivateAttr

from hindsight_core import Hindsight, RecordedRun, RecordedStep, Scope
from langchain_hindsight._reading import run_id_of
from langchain_hindsight._site import Site
from langchain_hindsight.middleware import HindsightMiddleware

__all__ = ["drive"]

_ANY_ARGUMENTS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {},
    "additionalProperties": True,
}
_STEPS_A_CALL: Final = 8
"""Graph steps that one recorded call may take; the framework's own limit is 25 in all."""


def drive(hindsight: Hindsight, scope: Scope, run: RecordedRun) -> str:
    """Replay one run, each turn of the user as one invocation; return the id of the run."""
    task_id = uuid.uuid4().hex
    answers: dict[str, RecordedStep] = {}
    model = _RecordedModel(answers)
    names = dict.fromkeys(step.tool for step in run.steps if step.kind == "tool")
    agent = create_agent(
        model,
        [_RecordedTool(name, answers) for name in names],
        middleware=[HindsightMiddleware(hindsight, user=scope.user, tenant=scope.tenant)],
        checkpointer=InMemorySaver(),
    )
    config: Any = {
        "configurable": {"thread_id": task_id, "task": run.task, "task_id": task_id},
        "recursion_limit": 100 + _STEPS_A_CALL * len(run.steps),
    }
    for said, steps in _turns(run):
        model.load(steps)
        agent.invoke(  # pyright: ignore[reportUnknownMemberType]
            {"messages": [HumanMessage(said)]}, config
        )
    site = Site(
        user=scope.user,
        tenant=scope.tenant,
        thread=task_id,
        agent=None,
        caller="",
        task_id=task_id,
    )
    return run_id_of(site, [])[0]


def _turns(run: RecordedRun) -> list[tuple[str, list[RecordedStep]]]:
    """What the user said, each with what the agent did and said then.

    The task is the first turn where nobody said a word before the agent.
    """
    turns: list[tuple[str, list[RecordedStep]]] = []
    for step in run.steps:
        if step.kind == "user":
            turns.append((step.text, []))
        else:
            if not turns:
                turns.append((run.task, []))
            turns[-1][1].append(step)
    return turns


class _RecordedModel(BaseChatModel):
    """Says and asks what was recorded, one step after the other, and then ends the turn."""

    _answers: dict[str, RecordedStep] = PrivateAttr()
    _steps: deque[RecordedStep] = PrivateAttr(default_factory=deque[RecordedStep])

    def __init__(self, answers: dict[str, RecordedStep]) -> None:
        super().__init__()
        self._answers = answers

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def load(self, steps: Sequence[RecordedStep]) -> None:
        """Take the steps of the next turn."""
        self._steps.extend(steps)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        """The recorded calls need no description of the tools."""
        del tools, kwargs
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        del messages, stop, run_manager, kwargs
        said: list[str] = []
        while self._steps and self._steps[0].kind == "assistant":
            said.append(self._steps.popleft().text)
        message = AIMessage("\n".join(said) or "(end of the turn)")
        if self._steps:
            step = self._steps.popleft()
            call_id = f"call-{len(self._answers)}"
            self._answers[call_id] = step
            call: Any = {"name": step.tool, "args": dict(step.args), "id": call_id}
            message = AIMessage("\n".join(said), tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


class _RecordedTool(BaseTool):
    """Gives the recorded result of each call."""

    args_schema: Any = Field(default_factory=lambda: dict(_ANY_ARGUMENTS))
    _answers: Mapping[str, RecordedStep] = PrivateAttr()

    def __init__(self, name: str, answers: Mapping[str, RecordedStep]) -> None:
        super().__init__(name=name, description=f"{name}, as it was recorded")
        self._answers = answers

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> ToolMessage:  # noqa: A002
        """Answer the call of that id."""
        del config, kwargs
        step = self._answers[input["id"]]
        return ToolMessage(
            content=step.result or "",
            name=self.name,
            tool_call_id=input["id"],
            status="error" if step.error else "success",
        )

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        raise RuntimeError("a recorded tool answers calls by their id only")
