"""`HindsightChatMessageHistory`: a conversation on disk, from which preferences are learnt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from hindsight_core import Hindsight, Items, LiveRuns, Place, stable_id
from langchain_hindsight._opening import Opened
from langchain_hindsight._reading import outcome_of

__all__ = ["HindsightChatMessageHistory"]

_PLACE: Final = "chat"


class HindsightChatMessageHistory(BaseChatMessageHistory):
    """Keeps the messages of one conversation, and has them judged as a run of its own.

    For `RunnableWithMessageHistory` and chains without an agent. The messages are kept as they
    were given; what is learnt of them is redacted and guarded like everything else. Half a
    character is left out, and what hangs on a message and is no JSON is kept in words.

    Args:
        session_id: The conversation; a number is the same as its digits.
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store.
        user: Whose conversation it is; without one the running graph's, else the one user of an
            embedded store.
        tenant: The tenant, in the same way.
        capture: Whether to learn from the conversation. Say False beside `HindsightMiddleware`,
            which does so already.

    Raises:
        HindsightError: The store cannot be opened or reached.
    """

    def __init__(
        self,
        session_id: str | int,
        hindsight: Hindsight | str | None = None,
        *,
        user: str | None = None,
        tenant: str | None = None,
        capture: bool = True,
    ) -> None:
        # Ids come from the application's database as often as not.
        self.session_id = str(session_id) if isinstance(session_id, int) else session_id
        self._opened = Opened(hindsight, user, tenant)
        self._scope = self._opened.scope()
        self._runs = LiveRuns(self._opened.hindsight, framework="langchain") if capture else None

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        self._opened.close()

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The messages, oldest first."""
        kept = sorted(self._items.under(self._namespace), key=lambda item: item.key)
        return messages_from_dict([row for item in kept for row in item.value["messages"]])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages in one write, and judge the turn when the agent has answered."""
        if not messages:
            return
        rows = [_storable(message) for message in messages]
        # One that cannot be read back fails here, and not at every reading from now on.
        kept = messages_from_dict(rows)
        # Keys of this factory sort by the time at which they were made.
        self._items.put(
            self._namespace, self._opened.hindsight.new_id(), {"messages": rows}, texts=[]
        )
        if self._runs is not None:
            self._learn(self._runs, kept)

    def clear(self) -> None:
        """Delete the messages; what was learnt of them stays."""
        for item in self._items.under(self._namespace):
            self._items.delete(item.namespace, item.key)

    @property
    def _items(self) -> Items:
        return self._opened.hindsight.items(self._scope)

    @property
    def _namespace(self) -> tuple[str, str]:
        return (_PLACE, self.session_id)

    def _learn(self, runs: LiveRuns, messages: Sequence[BaseMessage]) -> None:
        place = Place(user=self._scope.user, tenant=self._scope.tenant, session=self.session_id)
        run_id = stable_id("lc-chat-", place.tenant, place.user, self.session_id)
        with self._opened.hindsight.guard("langchain.history"):
            live = runs.take_up(run_id, place)
            asked: dict[str, tuple[str, object]] = {}
            for message in messages:
                turn = message.id or self._opened.hindsight.new_id()
                if isinstance(message, HumanMessage):
                    live.hear(str(message.text), turn=turn)
                elif isinstance(message, AIMessage):
                    live.recorder.agent(str(message.text), turn=turn)
                    asked |= {c["id"] or "": (c["name"], c["args"]) for c in message.tool_calls}
                elif isinstance(message, ToolMessage):
                    name, args = asked.get(message.tool_call_id, (message.name or "tool", {}))
                    text, flagged = outcome_of(message, message.tool_call_id)
                    live.recorder.after_tool(
                        name, args, call_id=message.tool_call_id, result=text, flagged_error=flagged
                    )
            if isinstance(messages[-1], AIMessage):
                live.recorder.finish()
                runs.drop(run_id)


def _storable(message: BaseMessage) -> dict[str, Any]:
    """A message as JSON in UTF-8: a stream may end within a character, an artifact be any object.

    What the store would refuse would else cost the whole turn.
    """
    text = json.dumps(message_to_dict(message), default=_words, ensure_ascii=False, skipkeys=True)
    row: dict[str, Any] = json.loads(text.encode("utf-8", "ignore"))
    return row


def _words(thing: object) -> str:
    try:
        return str(thing)
    except Exception:  # noqa: BLE001 - it is the application's own
        return f"<{type(thing).__name__}>"
