"""What is found in a run: its calls with their outcomes, failures with the calls that helped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindsight_core.capture.feedback import asks_anew
from hindsight_core.capture.outcomes import judge_outcome
from hindsight_core.events import Event, RunStarted, ToolCalled, UserSaid
from hindsight_core.schema import ErrorClass, Outcome

__all__ = ["Fix", "JudgedCall", "LessonFinding", "argument_text", "judged_calls", "outcome_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCall:
    """A call, what came of it, and its place in the run."""

    index: int
    event: ToolCalled
    outcome: Outcome
    request: int = 0
    """Which of the user's requests it served: what came of another one is no fix of it."""
    turn: int = 0
    """How many of the user's messages came before it."""
    asked: str = ""
    """The words of that request, "" where they are not known."""

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.event.call.tool

    @property
    def signature(self) -> str:
        """The digest of tool and arguments."""
        return self.event.call.signature


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """A call that failed, and the later one that achieved the same."""

    failed: JudgedCall
    worked: JudgedCall
    first: bool = False
    """Whether it had to come first, and then the failing call worked as it was."""

    @property
    def other_tool(self) -> bool:
        """Whether another tool did it."""
        return self.failed.tool != self.worked.tool


@dataclass(frozen=True, kw_only=True, slots=True)
class LessonFinding:
    """The failures of one tool and class; `recovered` are transient ones that worked on retry."""

    tool: str
    error_class: ErrorClass
    transient: bool
    failures: tuple[JudgedCall, ...]
    fixes: tuple[Fix, ...] = ()
    recovered: bool = False
    about: str = ""
    """What sets these failures apart from others of the tool and class, "" where nothing does."""

    @property
    def attempts(self) -> int:
        """How many calls failed, repeated ones counted."""
        return len(self.failures)


def judged_calls(events: Iterable[Event]) -> Iterator[JudgedCall]:
    """Yield the calls of events in order, each with its outcome and the request that it served."""
    index = request = turn = 0
    asked = ""
    for event in events:
        if isinstance(event, UserSaid):
            anew = index > 0 and not event.nested and asks_anew(event.text)
            request += anew
            turn += 1
            if anew or index == 0:
                asked = event.text
        elif isinstance(event, RunStarted):
            asked = asked or event.task
        elif isinstance(event, ToolCalled):
            yield JudgedCall(
                index=index,
                event=event,
                outcome=outcome_of(event),
                request=request,
                turn=turn,
                asked=asked,
            )
            index += 1


def outcome_of(event: ToolCalled) -> Outcome:
    """Return what came of a call."""
    return judge_outcome(
        event.call.tool,
        event.call.args,
        raised=event.raised,
        flagged_error=event.flagged_error,
        error_type=event.error_type,
        result=event.result,
    )


def argument_text(call: JudgedCall) -> str:
    """The values that a call was given, as one text."""
    return " ".join(str(value) for value in call.event.call.args.values())
