"""One task, or one kickoff of an agent, that goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crewai_hindsight._showing import Showing
from crewai_hindsight._unreadable import unreadable_calls
from hindsight_core import LiveRun, WatchedCall

__all__ = ["Run"]


@dataclass(eq=False, kw_only=True)
class Run:
    """A run, and what is shown in it.

    `advice` is by the text of a failure, `calls` are those of which no hook has told the end,
    `result` is what the last one came back with. `steps` of an agent's plan may be asked for at
    once: what is shown in each, by the identity of its messages.
    """

    run_id: str
    live: LiveRun
    crew: int
    showing: Showing = field(default_factory=Showing)
    steps: dict[int, Showing] = field(default_factory=dict[int, Showing])
    advice: dict[str, str] = field(default_factory=dict[str, str])
    calls: list[WatchedCall] = field(default_factory=list[WatchedCall])
    answer: str = ""
    result: str = ""
    over: bool = False

    def showing_in(self, context: Any) -> Showing:
        """What is to be shown in the messages of a model call."""
        if context.executor is not None:
            return self.showing
        return self.steps.setdefault(id(context.messages), Showing())

    def step_ends(self, context: Any) -> bool:
        """Take back what was shown for a step; False where it is none of this run."""
        showing = self.steps.pop(id(context.messages), None)
        if showing is not None:
            showing.take_back()
        return showing is not None

    def note_unreadable(self, context: Any) -> None:
        """Record the calls that never came to a hook, once each."""
        for key, name, args, result in unreadable_calls(context):
            if key not in self.live.seen:
                self.live.seen.add(key)
                self.live.recorder.after_tool(
                    name, args, call_id=key, result=result, flagged_error=True
                )

    def end(self, *, ok: bool | None, error: str) -> None:
        """End the run; harmless where it has ended."""
        for showing in (self.showing, *self.steps.values()):
            showing.take_back()
        if self.over:
            return
        self.over = True
        for call in self.calls if ok is not None else ():
            call.note(error, flagged_error=True)  # what it raised kept its own hook from coming
        self.calls.clear()
        if self.answer != self.result:  # what a tool says in the agent's place is not its word
            self.live.recorder.agent(self.answer)
        self.live.recorder.finish(ok=ok, error=error)
