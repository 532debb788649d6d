"""`HindsightMiddleware`: memory for an agent made by `create_agent`, in one line."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
)
from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from langgraph.types import Command

from hindsight_core import (
    DETAILS,
    Handle,
    Hindsight,
    LiveRun,
    LiveRuns,
    Place,
    in_executor,
    let_through,
)
from langchain_hindsight._reading import (
    end_of,
    heard_now,
    messages_of,
    reason_of,
    rejections,
    run_id_of,
    task_of,
)
from langchain_hindsight._showing import with_advice, with_block
from langchain_hindsight._site import Site, locate
from langchain_hindsight._tools import Call, names_of, tell_details, watch_call
from langchain_hindsight._watched import watched
from langchain_hindsight.memory_tools import memory_tools

__all__ = ["HindsightMiddleware"]

_MAX_THREADS: Final = 1_000
let_through(GraphBubbleUp)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """What a hook was called with, read on the hook's own thread."""

    site: Site
    messages: list[BaseMessage]
    run_id: str
    ended: bool
    answer: str


class HindsightMiddleware(Handle, AgentMiddleware[AgentState[Any], Any, Any]):
    """Captures what the agent does, recalls what matters, and stops known failures.

    Put it last in `middleware=[...]`: the innermost sees every retry and the arguments that really
    ran. Who the user is comes from the run's context (`user_id`), then `configurable`, then
    `metadata`, then `user`; the tenant in the same way (`tenant_id`). The session is the thread.

    What is recalled goes into the request to the model alone, never into the agent's state. An
    error of ours never reaches the agent: see `hindsight.health()`.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store. A memory opened here is closed by `close`, or else at exit.
        user: The user where a run names none.
        tenant: The tenant where a run names none.
        agent: Narrows the scope: what this agent learns no other agent sees.
        details: Whether the agent gets the tool `memory_details`, so that each memory is shown as
            one line of which it can ask more.
        nested: Whether another agent writes what this one is told, so that no preference is learnt
            of it. Without it that is so for an agent that runs inside another graph; say False for
            one that is a node of a graph and sees the user's own messages.

    Raises:
        HindsightError: The store cannot be opened.
    """

    def __init__(
        self,
        hindsight: Hindsight | str | None = None,
        *,
        user: str | None = None,
        tenant: str | None = None,
        agent: str | None = None,
        details: bool = False,
        nested: bool | None = None,
    ) -> None:
        super().__init__()
        self._runs = LiveRuns(hindsight, framework="langchain", agent=agent)
        self.hindsight = self._runs.hindsight
        self._user = user
        self._tenant = tenant
        self._nested = nested
        if details:
            tools = memory_tools(self.hindsight, user=user, tenant=tenant)
            self.tools = [tool for tool in tools if tool.name == DETAILS]
        self._threads: OrderedDict[Site, str] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        self._runs.close()

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Record what the user said."""
        self._begin(self._see(state, runtime))

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Record what the user said."""
        await in_executor(self._begin, self._see(state, runtime))

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Put what is recalled before the model, in this request alone."""
        prepared = self._prepare(request, self._see(request))
        with watched():
            return handler(prepared)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Put what is recalled before the model, in this request alone."""
        seen = self._see(request)
        prepared = await in_executor(self._prepare, request, seen)
        with watched():
            return await handler(prepared)

    def wrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]],
    ) -> ToolMessage | Command[Any]:
        """Let the gate look at the call, run it, and record what came of it."""
        call = self._watch(request, self._see(request))
        if call is None:
            return handler(request)
        result = call.answer()
        if result is None:
            try:
                with watched():
                    result = handler(request)
            except GraphBubbleUp:  # an interrupt, or a command to the parent graph: no failure
                raise
            except Exception as error:
                call.come_of(error=error)
                raise
        call.come_of(result)
        return result

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Let the gate look at the call, run it, and record what came of it."""
        seen = self._see(request)
        call = await in_executor(self._watch, request, seen)
        if call is None:
            return await handler(request)
        result = call.answer()
        if result is None:
            try:
                with watched():
                    result = await handler(request)
            except GraphBubbleUp:
                raise
            except Exception as error:
                await in_executor(call.come_of, None, error)
                raise
        await in_executor(call.come_of, result)
        return result

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Record the agent's last word and have the run judged."""
        self._end(self._see(state, runtime))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Record the agent's last word and have the run judged."""
        await in_executor(self._end, self._see(state, runtime))

    # What follows runs on the hook's thread or, in the async forms, on a worker; none of it raises.

    def _see(self, source: Any, runtime: Any = None) -> _Seen | None:
        """Read a request, or a state with its runtime."""
        with self.hindsight.guard("langchain.read"):
            state = source if runtime is not None else source.state
            context = (runtime or source.runtime).context
            site = locate(context, user=self._user, tenant=self._tenant, nested=self._nested)
            messages = messages_of(state)
            ended, answer = end_of(state, messages)
            return _Seen(
                site=site,
                messages=messages,
                run_id=self._run_id(site, messages),
                ended=ended,
                answer=answer,
            )
        return None

    def _run_id(self, site: Site, messages: list[BaseMessage]) -> str:
        run_id, by_user = run_id_of(site, messages)
        if site.thread is None:
            return run_id
        with self._lock:
            # A summary may have taken the place of the user's words in the midst of a run.
            run_id = run_id if by_user else self._threads.get(site, run_id)
            self._threads[site] = run_id
            self._threads.move_to_end(site)
            while len(self._threads) > _MAX_THREADS:
                self._threads.popitem(last=False)
        return run_id

    def _run(self, seen: _Seen) -> LiveRun:
        site = seen.site
        place = Place(
            user=site.user,
            tenant=site.tenant,
            session=site.thread,
            agent=site.agent,
            task=site.task or task_of(seen.messages),
            nested=site.nested,
        )
        return self._runs.take_up(seen.run_id, place)

    def _begin(self, seen: _Seen | None) -> None:
        if seen is None:
            return
        with self.hindsight.guard("langchain.before_agent"):
            self._hear(self._run(seen), seen)

    def _hear(self, live: LiveRun, seen: _Seen) -> None:
        for said in heard_now(seen.messages):
            live.hear(said.text, turn=said.turn, before=said.before, asked_before=said.asked)

    def _note_rejections(self, live: LiveRun, seen: _Seen) -> None:
        for message, args in rejections(seen.messages):
            live.reject(message.name or "", args, message.tool_call_id, reason_of(message))

    def _prepare(self, request: ModelRequest[Any], seen: _Seen | None) -> ModelRequest[Any]:
        if seen is None:
            return request
        with self.hindsight.guard("langchain.wrap_model_call"):
            live = self._run(seen)
            self._hear(live, seen)
            self._note_rejections(live, seen)
            tools = request.tools
            block = live.recorder.context(tools=names_of(tools), details=tell_details(tools))
            system = request.system_message
            return request.override(
                system_message=with_block(system, block.text) if block else system,
                messages=with_advice(request.messages, live.advice),
            )
        return request

    def _watch(self, request: ToolCallRequest, seen: _Seen | None) -> Call | None:
        if seen is None:
            return None
        with self.hindsight.guard("langchain.wrap_tool_call"):
            return watch_call(request, self._run(seen), self.hindsight.guard)
        return None

    def _end(self, seen: _Seen | None) -> None:
        if seen is None:
            return
        with self.hindsight.guard("langchain.after_agent"):
            live = self._run(seen)
            self._note_rejections(live, seen)
            if seen.answer:
                live.recorder.agent(seen.answer, turn=seen.messages[-1].id or "")
            # Of an agent that was stopped the framework does not say how it did.
            live.recorder.finish(ok=True if seen.ended else None)
            self._runs.drop(seen.run_id)
