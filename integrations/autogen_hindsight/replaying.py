"""Replays a recorded run through a real AutoGen agent with our memory in it."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Final

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
)
from autogen_core.tools import StaticWorkbench, TextResultContent, ToolResult, ToolSchema

from autogen_hindsight.memory import HindsightMemory
from autogen_hindsight.workbench import attach
from hindsight_core import Hindsight, RecordedRun, RecordedStep, Scope
from hindsight_core.testing.replay import turns_of

__all__ = ["drive"]

_NO_USAGE: Final = RequestUsage(prompt_tokens=0, completion_tokens=0)


def drive(hindsight: Hindsight, scope: Scope, run: RecordedRun) -> str:
    """Replay one run, each turn of the user as one of the agent's; return the id of the run."""
    # With a factory of its own it leaves the thread's current event loop alone.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(_drive(hindsight, scope, run))


async def _drive(hindsight: Hindsight, scope: Scope, run: RecordedRun) -> str:
    answers: dict[str, RecordedStep] = {}
    model = _RecordedModel(answers)
    memory = HindsightMemory(
        hindsight,
        user=scope.user,
        tenant=scope.tenant,
        task=run.task,
        task_id=uuid.uuid4().hex,
    )
    agent = AssistantAgent(
        "agent",
        model,
        workbench=_RecordedTools(answers, run.steps),
        memory=[memory],
        max_tool_iterations=len(run.steps) + 1,
    )
    attach(agent)
    for said, steps in turns_of(run):
        model.load(steps)
        await agent.run(task=said)
    return memory.tap(agent.model_context).run_id


class _RecordedModel(ChatCompletionClient):
    """Asks for the recorded calls, one after the other, and then ends the turn."""

    def __init__(self, answers: dict[str, RecordedStep]) -> None:
        self._answers = answers
        self._steps: deque[RecordedStep] = deque()
        self._answer = ""

    def load(self, steps: Sequence[RecordedStep]) -> None:
        """Take the calls of the next turn and how it ends."""
        self._steps.extend(step for step in steps if step.kind == "tool")
        said = [step.text for step in steps if step.kind == "assistant" and step.text]
        self._answer = said[-1] if said else "(end of the turn)"

    async def create(
        self, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any
    ) -> CreateResult:
        """Ask for the next call, or answer."""
        del messages, args, kwargs
        content: list[FunctionCall] | str = self._answer
        if self._steps:
            step = self._steps.popleft()
            call_id = f"call-{len(self._answers)}"
            self._answers[call_id] = step
            arguments = json.dumps(dict(step.args), ensure_ascii=False)
            content = [FunctionCall(id=call_id, name=step.tool, arguments=arguments)]
        reason = "stop" if isinstance(content, str) else "function_calls"
        return CreateResult(finish_reason=reason, content=content, usage=_NO_USAGE, cached=False)

    async def create_stream(
        self, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The same in one piece."""
        yield await self.create(messages, *args, **kwargs)

    async def close(self) -> None:
        """Nothing is held."""

    def actual_usage(self) -> RequestUsage:
        """No model is used."""
        return _NO_USAGE

    def total_usage(self) -> RequestUsage:
        """No model is used."""
        return _NO_USAGE

    def count_tokens(self, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any) -> int:
        """No model is used."""
        del messages, args, kwargs
        return 0

    def remaining_tokens(self, messages: Sequence[LLMMessage], *args: Any, **kwargs: Any) -> int:
        """There is room for everything."""
        del messages, args, kwargs
        return 1_000_000

    @property
    def capabilities(self) -> Any:
        """The same as `model_info`, under its older name."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """Calls functions, and that is all."""
        return ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family=ModelFamily.UNKNOWN,
            structured_output=False,
            multiple_system_messages=True,
        )


class _RecordedTools(StaticWorkbench):
    """Gives the recorded result of each call."""

    def __init__(self, answers: Mapping[str, RecordedStep], steps: Sequence[RecordedStep]) -> None:
        super().__init__([])
        self._answers = answers
        self._names = dict.fromkeys(step.tool for step in steps if step.kind == "tool")

    async def list_tools(self) -> list[ToolSchema]:
        """The tools that the run called."""
        return [ToolSchema(name=n, description=f"{n}, as it was recorded") for n in self._names]

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """Answer the call of that id."""
        del arguments, cancellation_token
        step = self._answers[call_id or ""]
        text = TextResultContent(content=step.result or "")
        return ToolResult(name=name, result=[text], is_error=bool(step.error))
