"""`attach`: what the memory alone cannot do, at the place where an agent's tools are run.

A workbench that raises makes the agent wait for ever, so nothing here raises but cancellation: a
tool's own error that a workbench lets out becomes an error result.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from autogen_agentchat.agents import (
    ApprovalFuncType,
    ApprovalRequest,
    ApprovalResponse,
    AssistantAgent,
)
from autogen_core import CancellationToken
from autogen_core.memory import Memory
from autogen_core.models import UserMessage
from autogen_core.tools import StaticStreamWorkbench, TextResultContent, ToolResult, Workbench

from autogen_hindsight._calls import AnnouncedCall, Asked, calling_now, reach
from autogen_hindsight.memory import HindsightMemory
from hindsight_core import ConfigurationError, GateAction, error_text, in_executor

__all__ = ["attach", "watch"]

W = TypeVar("W", bound=Workbench)

_WATCHED: Final = "_hindsight_watched"


def attach(
    agent: AssistantAgent,
    memory: HindsightMemory | None = None,
    *,
    approve: ApprovalFuncType | None = None,
) -> AssistantAgent:
    """Let the memory of an agent also stop calls, and time each; return the agent.

    `memory` is added to those in the agent's `memory=[...]`; without it the default store's is,
    where the agent has none. `approve` is asked in the gate's mode `confirm`; without it, such a
    call is not run. Raises `ConfigurationError` for an agent that is no `AssistantAgent`.
    """
    subject: Any = agent
    if not isinstance(subject, AssistantAgent):
        raise ConfigurationError(f"attach: {type(agent).__name__} is no AssistantAgent")
    held: list[Memory] = getattr(agent, "_memory", None) or []
    benches: Sequence[Workbench] = getattr(agent, "_workbench", None) or []
    ours = [one for one in held if isinstance(one, HindsightMemory)]
    if memory not in ours and (memory is not None or not ours):
        ours.append(memory or HindsightMemory())
        setattr(agent, "_memory", [*held, ours[-1]])  # noqa: B010 - there is no public way
    for one in ours:
        tap = one.tap(agent.model_context)
        tap.workbenches = benches
        tap.handoffs = frozenset(getattr(agent, "_handoffs", ()))
    for bench in benches:
        watch(bench, approve=approve)
    return agent


def watch(workbench: W, *, approve: ApprovalFuncType | None = None) -> W:
    """Put the gate and the clock before a workbench's calls, once; return the workbench.

    It stands before the workbench's own methods, so that its class, its state and its dump stay
    what they are. Calls that no watched agent asked for pass untouched.
    """
    if hasattr(workbench, _WATCHED):
        return workbench
    setattr(workbench, _WATCHED, _Watch(workbench, approve))
    return workbench


class _Watch:
    """Stands before the methods of a workbench, with which it is copied."""

    def __init__(self, workbench: Workbench, approve: ApprovalFuncType | None) -> None:
        self._approve = approve
        self._call = workbench.call_tool
        workbench.call_tool = self._call_tool
        if isinstance(workbench, StaticStreamWorkbench):
            self._stream = workbench.call_tool_stream
            workbench.call_tool_stream = self._call_tool_stream
        self._format: Callable[[Exception], str] | None = getattr(workbench, "_format_errors", None)
        if self._format is not None:  # it is not in the base class
            setattr(workbench, "_format_errors", self._format_errors)  # noqa: B010

    async def _call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        async def once() -> AsyncGenerator[Any, None]:
            yield await self._call(name, arguments, cancellation_token, call_id)

        events = [event async for event in self._watched(once(), name, arguments, call_id)]
        return events[-1]

    async def _call_tool_stream(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[Any, None]:
        events = self._stream(name, arguments, cancellation_token, call_id)
        async for event in self._watched(events, name, arguments, call_id):
            yield event

    async def _watched(
        self,
        events: AsyncGenerator[Any, None],
        name: str,
        arguments: Mapping[str, Any] | None,
        call_id: str | None,
    ) -> AsyncGenerator[Any, None]:
        """What a call yields, its result last, after it was asked about and before it is noted."""
        calling = reach(call_id, arguments)
        call = calling.calls[0] if calling else None
        try:
            result = await self._instead(call) if call else None
            if result is None:
                try:
                    async for event in events:
                        if isinstance(event, ToolResult):
                            result = event
                        else:
                            yield event
                except Exception as error:  # noqa: BLE001 - it is the tool's, and becomes its result
                    self._keep(error)
                    result = _failure(name, error_text(error))
            if result is not None:
                if call:
                    await in_executor(_note, call, result)
                yield result
        finally:
            if calling:
                calling.over = True

    async def _instead(self, call: AnnouncedCall) -> ToolResult | None:
        """The result that takes the place of a call, or None to let it run."""
        action, message = call.decision.action, call.decision.message
        if action is GateAction.CONFIRM and self._approve is not None:
            reason = await _refusal(self._approve, call)
            if reason is not None:
                call.stopped = True
                rejected = call.live.recorder.rejected
                what = call.name, call.args
                await in_executor(lambda: rejected(*what, call_id=call.call_id, text=reason))
                said = f" with reason: {reason}" if reason else ""
                return _failure(call.name, f"User rejected the tool call for `{call.name}`{said}")
        elif action in (GateAction.CONFIRM, GateAction.BLOCK):
            call.stopped = True
            return _failure(call.name, message)
        call.restart()
        return None

    def _format_errors(self, error: Exception) -> str:
        self._keep(error)
        return self._format(error) if self._format else ""

    @staticmethod
    def _keep(error: Exception) -> None:
        """Keep what a tool raised with its call: what is handed on is a text of it."""
        calling = calling_now.get()
        if calling is not None and not isinstance(calling, Asked):
            calling.calls[0].error = error


async def _refusal(approve: Any, call: AnnouncedCall) -> str | None:
    """Why a person refuses the call; None when the call is approved."""
    args = json.dumps(call.args, ensure_ascii=False, default=str)
    context: Any = [UserMessage(content=call.decision.message, source="hindsight")]
    try:
        answer = approve(ApprovalRequest(code=f"{call.name}({args})", context=context))
        if inspect.isawaitable(answer):
            answer = await answer
    except Exception as error:  # noqa: BLE001 - nobody could be asked, and raising would hang
        return error_text(error)
    given: ApprovalResponse = answer
    return None if given.approved else given.reason


def _note(call: AnnouncedCall, result: ToolResult) -> None:
    text = result.to_text(replace_image="[image]")
    call.came(result.to_text(), failed=result.is_error, text=text)


def _failure(name: str, text: str) -> ToolResult:
    return ToolResult(name=name, result=[TextResultContent(content=text)], is_error=True)
