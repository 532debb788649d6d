"""What a memory sees and shows at the model context of one agent.

An agent's context is told every message and asked for them before every model call, so that is
where tool calls and their results are seen, and where what is recalled is put before the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from autogen_core import FunctionCall
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    UserMessage,
)
from autogen_core.tools import Workbench

from autogen_hindsight._conversation import TapOptions, locate
from autogen_hindsight._reading import Heard, Reader, arguments_of, with_advice, with_block
from autogen_hindsight._tools import calls_of_tools, names_of, warn_if_not_stopped
from hindsight_core import (
    DETAILS,
    Block,
    LiveRun,
    LiveRuns,
    Place,
    WatchedCall,
    in_executor,
    stable_id,
)

__all__ = ["AnnouncedCall", "ContextTap", "announced_call", "calling_run"]


class AnnouncedCall(WatchedCall):
    """A call that the model has asked for; `reached` when a watched workbench runs it itself."""

    reached = False


@dataclass(frozen=True, slots=True)
class _Calling:
    tap: ContextTap
    task: asyncio.Task[Any] | None
    before: _Calling | None


_calling: ContextVar[_Calling | None] = ContextVar("hindsight_autogen_calling", default=None)
"""The agent whose tools run here: their tasks inherit it, and so does an agent inside a tool."""


def announced_call(call_id: str | None) -> AnnouncedCall | None:
    """The call of that id that is being run; None outside of a watched agent."""
    calling = _calling.get()
    return calling.tap.calls.get(call_id or "") if calling else None


def calling_run() -> LiveRun | None:
    """The run of the agent whose tool runs here; None outside of a watched agent."""
    calling = _calling.get()
    return calling.tap.live if calling else None


class ContextTap:
    """Watches one context for one memory, by standing before the context's own methods.

    `calls` are those that were asked for and have no result yet. As far as they are known,
    `handoffs` are the names of tools that hand over, and `workbenches` hold the agent's tools.
    """

    def __init__(self, runs: LiveRuns, options: TapOptions, context: ChatCompletionContext) -> None:
        self.calls: dict[str, AnnouncedCall] = {}
        self.handoffs: frozenset[str] = frozenset()
        self.workbenches: Sequence[Workbench] = ()
        self._runs = runs
        self._options = options
        self._guard = runs.hindsight.guard
        self._add = context.add_message
        self._get = context.get_messages
        self._clear = context.clear
        self._load = context.load_state
        self._told = False
        self._reset()
        context.add_message = self.add_message
        context.get_messages = self.get_messages
        context.clear = self.clear
        context.load_state = self.load_state

    def _reset(self) -> None:
        """Begin anew, with a conversation of which nothing was read yet."""
        self._ready = False
        self._in_turn = False
        self._reader = Reader(self._options.people)
        self._name: str | None = None
        self._session = self._options.place.session
        self.live: LiveRun | None = None
        self._block: Block | None = None
        self.calls.clear()

    @property
    def run_id(self) -> str:
        """The id of the run that goes on, or "" where none does."""
        return self.live.recorder.run_id if self.live else ""

    # The context's four methods: each does what it did before, and its errors are its own.
    async def add_message(self, message: LLMMessage) -> None:
        """Add a message, and see what it tells."""
        await self._add(message)
        with self._guard("autogen.add_message"):
            if self._ready:
                await self._see(message)

    async def get_messages(self) -> list[LLMMessage]:
        """The messages for the model, with what is recalled and what is known of its failures."""
        messages = await self._get()
        with self._guard("autogen.get_messages"):
            return self._shown(messages)
        return messages

    async def clear(self) -> None:
        """Clear the context: what follows is another conversation."""
        await self._clear()
        with self._guard("autogen.clear"):
            self._reset()

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Load another history, of which nothing is captured again."""
        await self._load(state)
        with self._guard("autogen.load_state"):
            self._reset()
            self._reader.read_history(await self._get())
            self._reader.fresh.clear()
            self._ready = True

    async def begin(self) -> Block | None:
        """Take up the run of the turn that begins; return the block that is shown in it."""
        reader = self._reader
        if not self._ready:
            reader.read_history(await self._get())
            self._ready = True
        heard, reader.fresh = reader.fresh, []
        tools = await names_of(self.workbenches)
        if heard or self.live is None:
            url, outer = self._runs.hindsight.url, self._outer_run()
            run_id, place = locate(self._options, url, outer, reader, self._session)
            self._session = place.session
            self._block = await in_executor(self._take_up, run_id, place, heard, tools)
        else:
            self._block = await in_executor(self._recall, self.live, tools)
        self._in_turn, self._name = True, None
        return self._block

    def _outer_run(self) -> str:
        """The run of the agent inside of whose tool this one works, else ""."""
        calling = _calling.get()
        if calling is None or calling.tap is self or calling.task is asyncio.current_task():
            return ""
        live = calling.tap.live
        return live.recorder.run_id if live and calling.tap.calls else ""

    def _take_up(
        self, run_id: str, place: Place, heard: Sequence[Heard], tools: Sequence[str]
    ) -> Block | None:
        self.live = self._runs.take_up(run_id, place)
        for said in heard:
            turn = stable_id("", place.session, str(said.number), said.text)
            self.live.hear(said.text, turn=turn, before=said.before, asked_before=said.asked)
        return self._recall(self.live, tools)

    def _recall(self, live: LiveRun, tools: Sequence[str]) -> Block | None:
        told = self._options.details.is_set() and (not tools or DETAILS in tools)
        return live.recorder.context(tools=tools, details=told)

    async def _see(self, message: LLMMessage) -> None:
        self._reader.read(message)
        if isinstance(message, UserMessage):
            self._in_turn = False
        elif isinstance(message, AssistantMessage) and self._is_own(message):
            if isinstance(message.content, str):
                self._in_turn = False
                await self._answered(message.content)
            else:
                await self._announce(message.content)
        elif isinstance(message, FunctionExecutionResultMessage):
            await self._note(message.content)

    def _is_own(self, message: AssistantMessage) -> bool:
        """Whether the agent itself says this; a hand-over brings messages of another along.

        They come between turns, and the first to speak in a turn is the agent whose turn it is.
        """
        if not self._in_turn:
            return False
        self._name = self._name or message.source
        return message.source == self._name

    async def _answered(self, text: str) -> None:
        live = self.live
        if live is None:
            return

        turn = stable_id("", self._name, str(self._reader.number), text)

        def end() -> None:
            live.recorder.agent(text, turn=turn)
            live.recorder.finish(ok=True)

        await in_executor(end)

    async def _announce(self, asked: Sequence[FunctionCall]) -> None:
        live = self.live
        if live is None:
            return
        own = {DETAILS} if self._options.details.is_set() else set[str]()
        calls = calls_of_tools(asked, self.handoffs | own)

        def watch() -> dict[str, AnnouncedCall]:
            return {c.id: AnnouncedCall(live, c.name, arguments_of(c), c.id) for c in calls}

        self.calls = await in_executor(watch)
        _calling.set(_Calling(self, asyncio.current_task(), _calling.get()))

    async def _note(self, results: Sequence[FunctionExecutionResult]) -> None:
        calling = _calling.get()
        if calling is not None and calling.tap is self:
            _calling.set(calling.before)
        calls, self.calls = self.calls, {}
        done = [(calls.get(result.call_id), result) for result in results]
        here = [(call, result) for call, result in done if call and not call.reached]

        def note() -> None:
            for call, result in here:
                self._warn_if_not_stopped(call)
                call.note(result.content, flagged_error=result.is_error, timed=len(results) == 1)

        if here:
            await in_executor(note)
        for live in {id(call.live): call.live for call in calls.values()}.values():
            live.recorder.rest()

    def _warn_if_not_stopped(self, call: AnnouncedCall) -> None:
        self._told = self._told or warn_if_not_stopped(call)

    def _shown(self, messages: list[LLMMessage]) -> list[LLMMessage]:
        advice = self.live.advice if self.live else {}
        shown = [with_advice(m, advice) for m in messages] if advice else messages
        return with_block(shown, self._block.text) if self._block and self._in_turn else shown
