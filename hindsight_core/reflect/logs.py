"""A finished run as a model reads it: its calls numbered from 1, each in a line of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

from hindsight_core.schema import ErrorClass, Scope, ToolCall
from hindsight_core.text import shorten

__all__ = ["LoggedCall", "RunLog"]

_MAX_ARGS: Final = 300
_MAX_FAILURE: Final = 300
_MAX_RESULT: Final = 120
_MAX_TASK: Final = 600
_MAX_KNOWN: Final = 200
_MOST_KNOWN: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedCall:
    """One call of a run; `message` is the failure's, or the beginning of the result."""

    number: int
    call: ToolCall
    ok: bool
    message: str
    error_class: ErrorClass | None = None
    transient: bool = False

    def line(self) -> str:
        """The call in one line."""
        args = shorten(json.dumps(self.call.args, ensure_ascii=False, default=str), _MAX_ARGS)
        limit = _MAX_RESULT if self.ok else _MAX_FAILURE
        said = " ".join(shorten(self.message, limit).split())
        return f"{self.number}. {self.call.tool}({args}) -> {'ok' if self.ok else 'FAILED'}: {said}"

    def brief(self, limit: int) -> LoggedCall:
        """The same call for a long log: each argument and what came back cut to a limit."""
        args = {
            shorten(name, limit): shorten(value, limit) if isinstance(value, str) else value
            for name, value in self.call.args.items()
        }
        told = shorten(self.message, limit if self.ok else 2 * limit)
        return replace(self, call=self.call.model_copy(update={"args": args}), message=told)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLog:
    """A finished run: what it was for, what it did, what it was shown, how it ended.

    `good` is None where nobody can tell. `known` are the contents of the memories that it was
    shown, `lessons` the ids of what was learnt of it already. In a part of a log `earlier` are
    failures from before it. Texts are redacted.
    """

    run_id: str
    scope: Scope
    task: str
    calls: tuple[LoggedCall, ...]
    task_type: str | None = None
    good: bool | None = None
    known: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    earlier: tuple[LoggedCall, ...] = ()

    @property
    def worth_a_thought(self) -> bool:
        """Whether something went wrong in it that the agent may have had a hand in."""
        failed = any(not call.ok and not call.transient for call in self.calls)
        return failed or (self.good is False and bool(self.calls))

    def head(self) -> str:
        """What the run was for and how it ended, before its calls."""
        ended = {True: "well", False: "badly", None: "in a way that nobody can tell"}[self.good]
        lines = [f"Task: {' '.join(shorten(self.task, _MAX_TASK).split())}", f"It ended {ended}."]
        told = [shorten(text, _MAX_KNOWN) for text in self.known[:_MOST_KNOWN]]
        lines += [f"It had been told: {' '.join(text.split())}" for text in told]
        return "\n".join(lines)

    def text(self, number: int) -> str:
        """The run under a number, each call in a line of its own, those left out named."""
        lines = [f"## Run {number}", self.head()]
        if self.earlier:
            lines += ["Failed before:", *(call.line() for call in self.earlier), "Then:"]
        last = self.calls[0].number - 1 if self.calls else 0
        for call in self.calls:
            if call.number > last + 1:
                lines.append(f"({call.number - last - 1} calls that worked are left out)")
            lines.append(call.line())
            last = call.number
        return "\n".join(lines)
