"""Real agents to test with: a scripted chat model, tools that fail, four ways to run an agent."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from hindsight_core import Hindsight
from hindsight_core.events import EventBase


class BrokenError(RuntimeError):
    """What the tools of the tests raise."""


class ErrorsBecomeMessages(AgentMiddleware):
    """What the framework's own error middleware does, in every version of the framework."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except BrokenError as error:
            return self._message(request, error)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return await handler(request)
        except BrokenError as error:
            return self._message(request, error)

    @staticmethod
    def _message(request: Any, error: Exception) -> ToolMessage:
        return ToolMessage(f"failed: {error}", tool_call_id=request.tool_call["id"], status="error")


MODES = ["invoke", "ainvoke", "stream", "astream"]

Step = AIMessage | str | Exception | Callable[[list[BaseMessage]], AIMessage]


class ScriptedModel(BaseChatModel):
    """Plays its script, one step a call; keeps what it was shown."""

    script: list[Any]
    _shown: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _steps: Any = PrivateAttr(default=None)

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        self._steps = itertools.count()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def shown(self) -> list[list[BaseMessage]]:
        return self._shown

    @property
    def systems(self) -> list[Any]:
        """The content of the system message of each call, None where there was none."""
        return [m[0].content if isinstance(m[0], SystemMessage) else None for m in self._shown]

    def bind_tools(self, tools: Any, **options: Any) -> BaseChatModel:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        self._shown.append(list(messages))
        step = self.script[next(self._steps)]
        if isinstance(step, Exception):
            raise step
        if callable(step):
            step = step(messages)
        if isinstance(step, str):
            step = AIMessage(step)
        return ChatResult(generations=[ChatGeneration(message=step.model_copy(deep=True))])


def calls(*wanted: tuple[str, dict[str, Any]], ids: Sequence[str] | None = None) -> AIMessage:
    """A message of the model that calls tools; ids are `tool-1`, `tool-2` and so on."""
    named = ids or [f"{name}-{place}" for place, (name, _) in enumerate(wanted, 1)]
    return AIMessage(
        "",
        tool_calls=[
            {"id": call_id, "name": name, "args": args}
            for call_id, (name, args) in zip(named, wanted, strict=True)
        ],
    )


def make(script: Sequence[Step], tools: Sequence[Any] = (), **options: Any) -> Any:
    """A `create_agent` agent over a script; its model is at `.scripted`."""
    model = ScriptedModel(script=list(script))
    agent = create_agent(model, list(tools), **options)
    agent.scripted = model
    return agent


def user(text: str, **options: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text, **options}]}


def thread(name: str = "t", **configurable: Any) -> dict[str, Any]:
    return {"configurable": {"thread_id": name, **configurable}}


def drive(mode: str, agent: Any, given: Any, config: Any = None, **options: Any) -> dict[str, Any]:
    """Run an agent in one of `MODES`; returns its last values, and an interrupt if there is one."""
    if mode == "invoke":
        return agent.invoke(given, config, **options)
    if mode == "ainvoke":
        return asyncio.run(agent.ainvoke(given, config, **options))
    values: dict[str, Any] = {}
    if mode == "stream":
        for chunk in agent.stream(given, config, stream_mode="values", **options):
            values.update(chunk)
        return values

    async def stream() -> None:
        async for chunk in agent.astream(given, config, stream_mode="values", **options):
            values.update(chunk)

    asyncio.run(stream())
    return values


def plain(result: dict[str, Any]) -> list[dict[str, Any]]:
    """An agent's messages without what is drawn anew in each run."""
    return [
        message.model_dump(exclude={"id", "response_metadata"}) for message in result["messages"]
    ]


def events(memory: Hindsight, kind: type[EventBase] | None = None) -> list[Any]:
    """All events of all runs, oldest run first; only those of a kind, if one is given."""
    runs = memory.store.runs(pending_only=False, limit=1_000)
    found = [event for run in runs for event in memory.store.events(run.run_id)]
    return [event for event in found if kind is None or isinstance(event, kind)]
