"""`HindsightMemory` for the classic chains: `ConversationChain`, `AgentExecutor`.

Needs `langchain-classic`, where LangChain keeps them since its version 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, get_buffer_string
from pydantic import Field, PrivateAttr

from hindsight_core import Hindsight, LiveRun, LiveRuns, MissingExtraError, Place
from langchain_hindsight._opening import Opened
from langchain_hindsight.history import HindsightChatMessageHistory

try:
    from langchain_classic.base_memory import BaseMemory
except ImportError as error:
    raise MissingExtraError("langchain-classic", "langchain_classic", reason=str(error)) from error

__all__ = ["HindsightMemory"]


class HindsightMemory(BaseMemory):
    """The conversation so far and what matters of earlier ones, for a classic chain.

    With `AgentExecutor(return_intermediate_steps=True)` it also learns from the tool calls; the
    chain does not call its memory when a tool raises.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store.
        session_id: The conversation.
        user: The user; without one the one user of an embedded store.
        tenant: The tenant.
        memory_key: The prompt's variable.
        input_key: Which input holds the user's words; needed only where there are several.
        output_key: Which output holds the answer; needed only where there are several.
        last: How many messages of the conversation to show.

    Raises:
        HindsightError: The store cannot be opened.
    """

    hindsight: Any = None
    session_id: str = "default"
    user: str | None = None
    tenant: str | None = None
    memory_key: str = "history"
    input_key: str | None = None
    output_key: str | None = None
    last: int = Field(default=20, ge=0)
    _opened: Opened = PrivateAttr()
    _runs: LiveRuns = PrivateAttr()
    _history: HindsightChatMessageHistory = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the memory."""
        super().model_post_init(context)
        given: Hindsight | str | None = self.hindsight
        self._opened = Opened(given, self.user, self.tenant)
        self._runs = LiveRuns(self._opened.hindsight, framework="langchain")
        self._history = HindsightChatMessageHistory(
            self.session_id,
            self._opened.hindsight,
            user=self.user,
            tenant=self.tenant,
            capture=False,
        )

    @property
    def memory_variables(self) -> list[str]:
        """The prompt's variable."""
        return [self.memory_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, str]:
        """What matters of earlier conversations, then the last messages of this one."""
        shown: list[str] = []
        with self._opened.hindsight.guard("langchain.load"):
            block = self._take_up().recorder.context(self._said(inputs))
            shown += [block.text] if block else []
            if self.last:
                shown.append(get_buffer_string(self._history.messages[-self.last :]))
        return {self.memory_key: "\n\n".join(filter(None, shown))}

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Record the turn: the words, the tool calls, the answer; then have it judged."""
        with self._opened.hindsight.guard("langchain.save"):
            asked, answer = self._said(inputs), _text(outputs, self.output_key)
            live = self._take_up()
            turn = self._opened.hindsight.new_id()
            live.hear(asked, turn=turn)
            _note_steps(live, outputs.get("intermediate_steps") or (), turn)
            live.recorder.agent(answer, turn=turn)
            live.recorder.finish(ok=True)
            self._runs.drop(live.recorder.run_id)
            self._run_id = ""
            self._history.add_messages([HumanMessage(asked), AIMessage(answer)])

    def clear(self) -> None:
        """Delete the messages of this conversation; what was learnt stays."""
        self._history.clear()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        self._opened.close()

    _run_id: str = PrivateAttr(default="")

    def _take_up(self) -> LiveRun:
        """The run of this turn: begun when the memory is read, ended when it is written."""
        self._run_id = self._run_id or self._opened.hindsight.new_id()
        scope = self._opened.scope()
        place = Place(user=scope.user, tenant=scope.tenant, session=self.session_id)
        return self._runs.take_up(self._run_id, place)

    def _said(self, inputs: dict[str, Any]) -> str:
        rest = {k: v for k, v in inputs.items() if k not in (self.memory_key, "agent_scratchpad")}
        return _text(rest, self.input_key)


def _text(values: dict[str, Any], key: str | None) -> str:
    """The named text, or the first one that is there."""
    if key is not None:
        return str(values[key])
    plain = [v for k, v in values.items() if isinstance(v, str) and k != "intermediate_steps"]
    return plain[0] if plain else ""


def _note_steps(live: LiveRun, steps: Iterable[Any], turn: str) -> None:
    for number, (action, observation) in enumerate(steps):
        call_id = getattr(action, "tool_call_id", None) or f"{turn}/{number}"
        live.recorder.before_tool(action.tool, action.tool_input, call_id=call_id)
        live.recorder.after_tool(
            action.tool, action.tool_input, call_id=call_id, result=str(observation)
        )
