"""`HindsightCallbackHandler`: capture without touching the agents' code.

A callback hears what happens and cannot change it: nothing is shown to a model and no call is
stopped. For that there is `HindsightMiddleware`, which this handler leaves alone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    MessageLikeRepresentation,
    ToolMessage,
    convert_to_messages,
)
from langgraph.errors import GraphBubbleUp, GraphInterrupt

from hindsight_core import Handle, Hindsight, LiveRun, LiveRuns, Place, WatchedCall
from langchain_hindsight._reading import Heard, end_of, heard_now, messages_of, outcome_of
from langchain_hindsight._watched import is_watched

__all__ = ["HindsightCallbackHandler", "Listener"]

_MAX_STEPS: Final = 10_000
"""Steps held at once; the oldest is forgotten, with what it would have come to."""
_SAID: Final = ("input", "question", "query")
"""Where a chain's inputs hold the user's words, beside a list of messages."""


class Listener(Handle, BaseCallbackHandler):
    """Hears nothing: what the framework makes where a handler of the process goes this moment."""


@dataclass(slots=True, eq=False)
class _Step:
    """One step of the framework: the outermost one it belongs to, and a tool call if it is one."""

    root: UUID
    place: Place
    inputs: object = None
    watched: bool = False
    interrupted: bool = False
    live: LiveRun | None = None
    calls: list[WatchedCall] = field(default_factory=list[WatchedCall])


class HindsightCallbackHandler(Listener):
    """Captures what chains and agents do: `config={"callbacks": [HindsightCallbackHandler()]}`.

    One run of ours is one outermost call of the framework. Who the user is comes from its
    metadata (`user_id`, `tenant_id`; LangGraph copies them from `configurable`), then from `user`
    and `tenant`. The user's words are the messages or the `input` that the outermost call was
    given; what an inner agent is told was written by a model and teaches no preference.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store.
        user: The user where a run names none.
        tenant: The tenant where a run names none.

    Raises:
        HindsightError: The store cannot be opened.
    """

    def __init__(
        self,
        hindsight: Hindsight | str | None = None,
        *,
        user: str | None = None,
        tenant: str | None = None,
    ) -> None:
        self._runs = LiveRuns(hindsight, framework="langchain")
        self.hindsight = self._runs.hindsight
        self._user = user
        self._tenant = tenant
        self._steps: OrderedDict[UUID, _Step] = OrderedDict()
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        self._runs.close()

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Take note of a step, and of what the outermost one was given."""
        with self.hindsight.guard("langchain.on_chain_start"):
            self._enter(run_id, parent_run_id, metadata, inputs)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Take note of whether the middleware is at work."""
        if is_watched() and (root := self._root(parent_run_id)):
            root.watched = True

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Begin to watch a tool call, unless the middleware watches it already."""
        with self.hindsight.guard("langchain.on_tool_start"):
            self._enter(run_id, parent_run_id, metadata, None)
            root = self._root(run_id)
            if is_watched() and root:
                root.watched = True
                return
            name = str((serialized or {}).get("name") or kwargs.get("name") or "tool")
            call_id = kwargs.get("tool_call_id")
            args = inputs if inputs is not None else {"input": input_str}
            step = self._steps[run_id]
            step.calls.append(WatchedCall(self._live(step), name, args, call_id or str(run_id)))

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record what a tool call came to."""
        with self.hindsight.guard("langchain.on_tool_end"):
            failed: bool | None = None
            for call in self._calls(run_id):
                text, failed = outcome_of(output, call.call_id)
                call.note(text, flagged_error=failed)
            self._end(run_id, ok=not failed)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Record that a tool raised; an interrupt is no failure."""
        with self.hindsight.guard("langchain.on_tool_error"):
            for call in self._calls(run_id):
                if _came_to(error) is False:
                    call.note(error=error)
            self._raised(run_id, error)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Have the run judged when its outermost step has ended."""
        with self.hindsight.guard("langchain.on_chain_end"):
            self._end(run_id, ok=_answered(outputs))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Have the run judged; of an interrupted one it cannot be said how it went."""
        with self.hindsight.guard("langchain.on_chain_error"):
            self._raised(run_id, error)

    def _enter(
        self, run_id: UUID, parent: UUID | None, metadata: Mapping[str, Any] | None, inputs: Any
    ) -> None:
        with self._lock:
            above = self._steps.get(parent) if parent is not None else None
            if above is None:
                self._steps[run_id] = _Step(run_id, self._place(metadata or {}), inputs)
            else:
                self._steps[run_id] = _Step(above.root, above.place)
            while len(self._steps) > _MAX_STEPS:
                self._steps.popitem(last=False)

    def _place(self, metadata: Mapping[str, Any]) -> Place:
        thread = metadata.get("thread_id")
        return Place(
            user=metadata.get("user_id") or self._user,
            tenant=metadata.get("tenant_id") or metadata.get("tenant") or self._tenant,
            session=None if thread is None else str(thread),
            agent=metadata.get("lc_agent_name"),
        )

    def _root(self, run_id: UUID | None) -> _Step | None:
        """The outermost step around a step that goes on."""
        with self._lock:
            step = self._steps.get(run_id) if run_id is not None else None
            return self._steps.get(step.root) if step is not None else None

    def _live(self, step: _Step) -> LiveRun:
        """The run of a step, begun with the user's words when something worth a run happens."""
        root = self._steps.get(step.root, step)
        with self._lock:
            if root.live is None:
                place = replace(root.place, task=next((s.text for s in _said(root)), ""))
                root.live = self._runs.take_up(f"lc-{root.root}", place)
        if not root.watched:
            for said in _said(root):
                root.live.hear(said.text, turn=said.turn, before=said.before)
        return root.live

    def _calls(self, run_id: UUID) -> list[WatchedCall]:
        with self._lock:
            step = self._steps.get(run_id)
        return step.calls if step else []

    def _raised(self, run_id: UUID, error: BaseException) -> None:
        root = self._root(run_id)
        if root and isinstance(error, GraphInterrupt):
            root.interrupted = True  # of which the outermost graph itself says nothing
        self._end(run_id, ok=_came_to(error))

    def _end(self, run_id: UUID, *, ok: bool | None) -> None:
        """Forget a step that ended, and have the run judged if it was the outermost one."""
        with self._lock:
            step = self._steps.pop(run_id, None)
        if step is None or step.root != run_id:
            return
        if step.live or (_said(step) and not step.watched):
            live = self._live(step)
            live.recorder.finish(ok=None if step.interrupted else ok)
            self._runs.drop(live.recorder.run_id)


def _answered(outputs: object) -> bool | None:
    """Whether a chain came to its end: one whose last message calls tools was stopped there."""
    messages = messages_of(outputs)
    stopped = messages and isinstance(messages[-1], AIMessage | ToolMessage)
    return None if stopped and not end_of(outputs, messages)[0] else True


def _came_to(error: BaseException) -> bool | None:
    """How something went that an exception ended: an interrupt or a cancel does not say."""
    return False if isinstance(error, Exception) and not isinstance(error, GraphBubbleUp) else None


def _said(root: _Step) -> list[Heard]:
    """What the user says in the inputs of an outermost step, in whichever form they have."""
    given = cast("Mapping[str, object]", root.inputs)
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        return []
    if isinstance(listed := given.get("messages"), list) and listed:
        return heard_now(convert_to_messages(cast("list[MessageLikeRepresentation]", listed)))
    texts = [text for key in _SAID if isinstance(text := given.get(key), str) and text.strip()]
    return [Heard(text=text, turn=str(root.root), before="") for text in texts[:1]]
