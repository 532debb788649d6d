"""Real AutoGen agents to test with: a scripted client, tools that fail, what was captured."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, LLMMessage, ModelInfo, RequestUsage, SystemMessage
from autogen_ext.models.replay import ReplayChatCompletionClient

from hindsight_core import Hindsight
from hindsight_core.events import EventBase


def calls(*wanted: tuple[str, dict[str, Any]], ids: Sequence[str] | None = None) -> CreateResult:
    """An answer of the model that calls tools; ids are `tool-1`, `tool-2` and so on."""
    named = ids or [f"{name}-{place}" for place, (name, _) in enumerate(wanted, 1)]
    return CreateResult(
        finish_reason="function_calls",
        content=[
            FunctionCall(id=call_id, name=name, arguments=json.dumps(args))
            for call_id, (name, args) in zip(named, wanted, strict=True)
        ],
        usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
        cached=False,
    )


class Scripted(ReplayChatCompletionClient):
    """The framework's own replaying client, which keeps what it was shown."""

    def __init__(self, *script: str | CreateResult) -> None:
        info = ModelInfo(
            vision=True,
            function_calling=True,
            json_output=True,
            family="unknown",
            structured_output=True,
        )
        super().__init__(list(script), model_info=info)
        self.shown: list[list[LLMMessage]] = []

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        self.shown.append(list(messages))
        return await super().create(messages, **options)

    @property
    def systems(self) -> list[str]:
        """The system messages of the last request."""
        return [m.content for m in self.shown[-1] if isinstance(m, SystemMessage)]


async def collected() -> None:
    """Let the framework's own generators and tasks end, which they do a little later."""
    for _ in range(1_000):
        await asyncio.sleep(0.01)
        if len(asyncio.all_tasks()) == 1:  # this one
            break
    await asyncio.sleep(0.1)
    gc.collect()


def fetch(path: str) -> str:
    """Fetch a path."""
    if path.startswith("/v1"):
        raise LookupError(f"404 Not Found: {path}")
    return f"the contents of {path}"


def agent(*script: str | CreateResult, name: str = "agent", **options: Any) -> AssistantAgent:
    """An agent over a script; its client is at `_model_client`."""
    given: dict[str, Any] = {"tools": [fetch], "max_tool_iterations": 10, **options}
    return AssistantAgent(name, Scripted(*script), **given)


def client_of(agent: AssistantAgent) -> Scripted:
    client = agent._model_client
    assert isinstance(client, Scripted)
    return client


def events(memory: Hindsight, kind: type[EventBase] | None = None) -> list[Any]:
    """All events of all runs, oldest run first; only those of a kind, if one is given."""
    runs = memory.store.runs(pending_only=False, limit=1_000)
    found = [event for run in runs for event in memory.store.events(run.run_id)]
    return [event for event in found if kind is None or isinstance(event, kind)]
