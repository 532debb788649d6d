"""`attach`: what the memory alone cannot do, at the place where an agent's tools are run.

A workbench that raises makes the agent wait for ever, so nothing here raises but cancellation: a
tool's own error that a workbench lets out becomes an error result.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextvars import ContextVar
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

from autogen_hindsight._tap import AnnouncedCall, announced_call
from autogen_hindsight.memory import HindsightMemory
from hindsight_core import ConfigurationError, GateAction, error_text, in_executor

__all__ = ["attach", "watch"]

W = TypeVar("W", bound=Workbench)

_WATCHED: Final = "_hindsight_watched"
_failures: ContextVar[list[Exception] | None] = ContextVar("hindsight_failures", default=None)
"""Where a workbench that formats a tool's exception leaves the exception itself."""


def attach(
    agent: AssistantAgent,
    memory: HindsightMemory | None = None,
    *,
    approve: ApprovalFuncType | None = None,
) -> AssistantAgent:
    """Let the memory of an agent also stop calls, and time each; return the agent.

    Without `memory` it is the one in the agent's `memory=[...]`, or the default store's where it
    has none. `approve` is asked in the gate's mode `confirm`; without it, such a call is not run.
    Raises `ConfigurationError` for an agent that is no `AssistantAgent`.
    """
    subject: Any = agent
    if not isinstance(subject, AssistantAgent):
        raise ConfigurationError(f"attach: {type(agent).__name__} is no AssistantAgent")
    held: list[Memory] = getattr(agent, "_memory", None) or []
    benches: Sequence[Workbench] = getattr(agent, "_workbench", None) or []
    chosen = memory or next((m for m in held if isinstance(m, HindsightMemory)), None)
    chosen = chosen or HindsightMemory()
    if chosen not in held:
        setattr(agent, "_memory", [*held, chosen])  # noqa: B010 - there is no public way
    tap = chosen.tap(agent.model_context)
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
    if getattr(workbench, _WATCHED, False):
        return workbench
    setattr(workbench, _WATCHED, True)
    call_tool = workbench.call_tool

    async def watched(
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        running = _Running(announced_call(call_id), name, approve)
        answer = await running.stopped()
        if answer is not None:
            return answer
        try:
            result = await call_tool(name, arguments, cancellation_token, call_id)
        except Exception as error:  # noqa: BLE001 - it is the tool's, and becomes its result
            result = running.raised(error)
        return await running.came(result)

    workbench.call_tool = watched
    if isinstance(workbench, StaticStreamWorkbench):
        call_tool_stream = workbench.call_tool_stream

        async def watched_stream(
            name: str,
            arguments: Mapping[str, Any] | None = None,
            cancellation_token: CancellationToken | None = None,
            call_id: str | None = None,
        ) -> AsyncGenerator[Any, None]:
            running = _Running(announced_call(call_id), name, approve)
            answer = await running.stopped()
            if answer is not None:
                yield answer
                return
            result: ToolResult | None = None
            try:
                async for event in call_tool_stream(name, arguments, cancellation_token, call_id):
                    if isinstance(event, ToolResult):
                        result = event
                    else:
                        yield event
            except Exception as error:  # noqa: BLE001 - it is the tool's, and becomes its result
                result = running.raised(error)
            if result is not None:
                yield await running.came(result)

        workbench.call_tool_stream = watched_stream
    _keep_exceptions(workbench)
    return workbench


def _keep_exceptions(workbench: Workbench) -> None:
    """See a tool's exception where the workbench makes a text of it; none is seen elsewhere."""
    formatted: Callable[[Exception], str] | None = getattr(workbench, "_format_errors", None)
    if formatted is None:
        return

    def format_errors(error: Exception) -> str:
        seen = _failures.get()
        if seen is not None:
            seen.append(error)
        return formatted(error)

    setattr(workbench, "_format_errors", format_errors)  # noqa: B010 - not in the base class


class _Running:
    """A call that a workbench runs; without `call` no agent of ours asked for it."""

    def __init__(
        self, call: AnnouncedCall | None, name: str, approve: ApprovalFuncType | None
    ) -> None:
        self._call = call
        self._name = name
        self._approve = approve
        self._errors: list[Exception] = []
        if call is not None:
            call.reached = True
            _failures.set(self._errors)

    async def stopped(self) -> ToolResult | None:
        """The result that takes the place of the call, or None to let it run."""
        call = self._call
        if call is None:
            return None
        action, message = call.decision.action, call.decision.message
        if action is GateAction.CONFIRM and self._approve is not None:
            reason = await self._refusal(self._approve, message)
            if reason is not None:
                call.stopped = True
                args = (call.name, call.args, call.call_id or "", reason)
                await in_executor(call.live.reject, *args)
                said = f" with reason: {reason}" if reason else ""
                return self._error(f"User rejected the tool call for `{call.name}`{said}")
        elif action in (GateAction.CONFIRM, GateAction.BLOCK):
            call.stopped = True
            return self._error(message)
        call.restart()
        return None

    async def _refusal(self, approve: Any, message: str) -> str | None:
        """Why a person refuses the call; None when the call is approved."""
        call = self._call
        args = json.dumps(call.args, ensure_ascii=False, default=str) if call else ""
        context: Any = [UserMessage(content=message, source="hindsight")]
        try:
            answer = approve(ApprovalRequest(code=f"{self._name}({args})", context=context))
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:  # noqa: BLE001 - nobody could be asked, and raising would hang
            return error_text(error)
        given: ApprovalResponse = answer
        return None if given.approved else given.reason

    def raised(self, error: Exception) -> ToolResult:
        """The result for an exception that the workbench let out."""
        self._errors.append(error)
        return self._error(error_text(error))

    async def came(self, result: ToolResult) -> ToolResult:
        """Record what came of the call; return its result as it is."""
        if self._call is not None:
            error = self._errors[0] if self._errors and result.is_error else None
            failed = None if error else result.is_error
            text = result.to_text(replace_image="[image]")
            note = self._call.note
            await in_executor(lambda: note(text, error=error, flagged_error=failed))
        return result

    def _error(self, text: str) -> ToolResult:
        content = TextResultContent(content=text)
        return ToolResult(name=self._name, result=[content], is_error=True)
