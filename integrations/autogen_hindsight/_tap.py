"""What a memory sees and shows at the model context of one agent.

An agent's context is told every message and asked for them before every model call, so that is
where tool calls and their results are seen, and where what is recalled is put before the model.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Final

from autogen_core import FunctionCall
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    UserMessage,
)
from autogen_core.tools import StaticWorkbench, Workbench

from autogen_hindsight._calls import AnnouncedCall, Asked, calling_now, inside
from autogen_hindsight._conversation import HindsightMemoryConfig, locate
from autogen_hindsight._details import Details
from autogen_hindsight._reading import Heard, Reader, with_advice, with_block
from hindsight_core import (
    DETAILS,
    Block,
    GateAction,
    LiveRun,
    LiveRuns,
    Place,
    in_executor,
    stable_id,
)

__all__ = ["ContextTap", "tap_of"]

logger: Final = logging.getLogger("hindsight_core")

_HANDOFF: Final = "transfer_to_"
"""How the framework names the tools by which an agent hands over to another."""
_TAPS: Final = "_hindsight_taps"
"""Where a context keeps its taps, which so live as long as it does and are copied with it."""


def tap_of(
    context: ChatCompletionContext, runs: LiveRuns, config: HindsightMemoryConfig, details: Details
) -> ContextTap:
    """Watch a context from now on; two memories of one store and scope count as one."""
    taps: dict[tuple[str | None, ...], ContextTap] = vars(context).setdefault(_TAPS, {})
    key = (config.url, config.tenant, config.user, config.agent)
    if key not in taps:
        taps[key] = ContextTap(context, runs, config, details)
    return taps[key]


class ContextTap:
    """Watches one context for one memory, by standing before the context's own methods.

    Where the agent is attached, `workbenches` hold its tools, and are watched, and `handoffs` are
    the names of those by which it hands over.
    """

    def __init__(
        self,
        context: ChatCompletionContext,
        runs: LiveRuns,
        config: HindsightMemoryConfig,
        details: Details,
    ) -> None:
        self.handoffs: frozenset[str] = frozenset()
        self.workbenches: Sequence[Workbench] = ()
        self._runs = runs
        self._config = config
        self._details = details
        self._guard = runs.hindsight.guard
        self._context = weakref.ref(context)
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
        self._reader = Reader(frozenset(self._config.people))
        self._name: str | None = None
        self._session = self._config.session
        self._asked: Asked | None = None
        self.live: LiveRun | None = None
        self._block: Block | None = None

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
        self._end_asked()
        tools = await self._tools()
        if heard or self.live is None:
            outer = inside()
            run = outer.live.recorder.run_id if outer else ""
            run_id, place = locate(self._config, run, reader, self._session)
            self._session = place.session
            self._block = await in_executor(self._take_up, run_id, place, heard, tools)
        else:
            self._block = await in_executor(self._recall, self.live, tools)
        self._in_turn, self._name = True, None
        return self._block

    async def _tools(self) -> list[str]:
        """The names of the tools; none where a server would have to be asked for them."""
        if not all(isinstance(bench, StaticWorkbench) for bench in self.workbenches):
            return []
        return [tool["name"] for bench in self.workbenches for tool in await bench.list_tools()]

    def _take_up(
        self, run_id: str, place: Place, heard: Sequence[Heard], tools: Sequence[str]
    ) -> Block | None:
        self.live = self._runs.take_up(run_id, place)
        for said in heard:
            turn = stable_id("", place.session, str(said.number), said.text)
            self.live.hear(said.text, turn=turn, before=said.before, asked_before=said.asked)
        return self._recall(self.live, tools)

    def _recall(self, live: LiveRun, tools: Sequence[str]) -> Block | None:
        told = self._details.given and (not tools or DETAILS in tools)
        return live.recorder.context(tools=tools, details=told)

    async def _see(self, message: LLMMessage) -> None:
        self._reader.read(message)
        if isinstance(message, UserMessage):
            self._in_turn = False
        elif isinstance(message, AssistantMessage) and self._is_own(message):
            if isinstance(message.content, str):
                self._in_turn, self._reader.answered = False, True
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

    async def _announce(self, calls: Sequence[FunctionCall]) -> None:
        live = self.live
        if live is None:
            return
        passed_over = self.handoffs | ({DETAILS} if self._details.given else set[str]())
        own = [c for c in calls if not (c.name.startswith(_HANDOFF) or c.name in passed_over)]
        announced = await in_executor(lambda: [AnnouncedCall(live, call) for call in own])
        watched = bool(self.workbenches)
        self._asked = Asked(live, announced, inside(), context=self._context, watched=watched)
        calling_now.set(self._asked)

    def _end_asked(self) -> Asked | None:
        """The calls that have no result yet: none of them goes on for this agent any more."""
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.over = True
        return asked

    async def _note(self, results: Sequence[FunctionExecutionResult]) -> None:
        asked = self._end_asked()
        if asked is None or not asked.calls:
            return
        here = asked.pairs(results)

        def note() -> None:
            for call, result in here:
                self._warn_if_not_stopped(call)
                call.came(result.content, failed=bool(result.is_error), timed=len(results) == 1)

        if here:
            await in_executor(note)
        asked.live.recorder.rest()

    def _warn_if_not_stopped(self, call: AnnouncedCall) -> None:
        if call.decision.action in (GateAction.BLOCK, GateAction.CONFIRM) and not self._told:
            self._told = True
            logger.warning(
                "the gate would have stopped a call of %s: to stop calls of an AutoGen agent, "
                "use autogen_hindsight.attach(agent)",
                call.name,
            )

    def _shown(self, messages: list[LLMMessage]) -> list[LLMMessage]:
        advice = self.live.advice if self.live else {}
        shown = [with_advice(m, advice) for m in messages] if advice else messages
        return with_block(shown, self._block.text) if self._block and self._in_turn else shown
