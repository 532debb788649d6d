"""The tool calls that are under way, and inside of which of them something works."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from autogen_core import FunctionCall
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import FunctionExecutionResult

from autogen_hindsight._reading import advice_key, arguments_of
from hindsight_core import LiveRun, WatchedCall

__all__ = [
    "AnnouncedCall",
    "Asked",
    "Calling",
    "calling_now",
    "inside",
    "reach",
    "this_task",
    "works_elsewhere",
]


def this_task() -> weakref.ref[asyncio.Task[Any]] | None:
    """The task that runs this, not held."""
    task = asyncio.current_task()
    return weakref.ref(task) if task else None


class AnnouncedCall(WatchedCall):
    """A call that the model has asked for.

    `reached` when a watched workbench runs it itself; `error` is what the tool raised there.
    """

    reached = False
    error: Exception | None = None

    def __init__(self, live: LiveRun, call: FunctionCall) -> None:
        super().__init__(live, call.name, arguments_of(call), call.id)

    def came(self, shown: str, *, failed: bool, text: str = "", timed: bool = True) -> None:
        """Record the result as the model is shown it, or `text` for it."""
        error, self.error = self.error if failed else None, None  # its traceback holds much
        advice = self.note(
            text or shown, error=error, flagged_error=None if error else failed, timed=timed
        )
        if advice:
            self.live.advice[advice_key(self.call_id, shown)] = advice


@dataclass(slots=True, eq=False)
class Calling:
    """What runs calls, known to all that works inside of them, and `over` when they have ended.

    This one is a watched workbench's, set where its one call alone runs: nothing else inherits it.
    `before` is inside of what the agent that calls works.
    """

    live: LiveRun
    calls: Sequence[AnnouncedCall]
    before: Calling | None
    over: bool = False

    def goes_on(self) -> bool:
        """Whether what has inherited this works inside of the calls."""
        return not self.over


@dataclass(slots=True, eq=False, kw_only=True)
class Asked(Calling):
    """What a turn of an agent asked for, known to the task of the turn as well.

    That task keeps it, and hands it on, after a turn that was cancelled or that its reader left. So
    it tells nothing where a watched workbench tells each call (`watched`), nor once the turn cannot
    wait for its calls: its task has ended, or asks this itself, or its context is gone.
    """

    context: weakref.ref[ChatCompletionContext]
    watched: bool
    task: weakref.ref[asyncio.Task[Any]] | None = field(default_factory=this_task)

    def goes_on(self) -> bool:
        """Whether what has inherited this works inside of the calls, as far as one can tell."""
        told = self.over or self.watched or self.context() is None
        return not told and works_elsewhere(self.task)

    def pairs(
        self, results: Sequence[FunctionExecutionResult]
    ) -> list[tuple[AnnouncedCall, FunctionExecutionResult]]:
        """The calls that no watched workbench has run, each with its result.

        Results come in the order of the calls, to several of which a model may give one id.
        """
        left, pairs = list(self.calls), list[tuple[AnnouncedCall, FunctionExecutionResult]]()
        for result in results:
            its = (c for c in left if (c.call_id, c.name) == (result.call_id, result.name))
            call = next(its, None)
            if call is not None:
                left.remove(call)
                pairs.append((call, result))
        return [(call, result) for call, result in pairs if not call.reached]


calling_now: ContextVar[Calling | None] = ContextVar("hindsight_autogen_calling", default=None)
"""The newest calling that this task has inherited or begun, whether or not it goes on."""


def inside() -> Calling | None:
    """The innermost calling inside of which this works; None outside of a watched agent."""
    calling = calling_now.get()
    while calling is not None and not calling.goes_on():
        calling = calling.before
    return calling


def reach(call_id: str | None, arguments: object) -> Calling | None:
    """Begin the call that a workbench runs now; None if no watched agent asked for it.

    Some models give one id to several calls.
    """
    asked = calling_now.get()
    if not isinstance(asked, Asked) or asked.over:
        return None
    calls = [c for c in asked.calls if c.call_id == call_id and not c.reached]
    if not calls:
        return None
    call = next((c for c in calls if c.args == arguments), calls[0])
    call.reached = True
    calling = Calling(asked.live, (call,), asked.before)
    calling_now.set(calling)
    return calling


def works_elsewhere(task: weakref.ref[asyncio.Task[Any]] | None) -> bool:
    """Whether a task goes on that is not the one that runs this."""
    found = task() if task else None
    return found is not None and not found.done() and found is not asyncio.current_task()
