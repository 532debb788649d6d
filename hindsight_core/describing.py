"""Counts what went wrong, and says it without a word of a memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hindsight_core.errors import HindsightError, ModelError

__all__ = ["FailureCounts", "describe"]


@dataclass
class FailureCounts:
    """What went wrong so far; `by_operation` counts errors, `last` describes the newest.

    `by_words` counts recalls whose query had no vector; late ones are no error.
    """

    by_operation: Counter[str] = field(default_factory=Counter[str])
    timeouts: int = 0
    passed_over: int = 0
    by_words: int = 0
    last: str = ""

    @property
    def total(self) -> int:
        """All errors, missed deadlines and calls passed over while memory was paused."""
        return self.by_operation.total() + self.passed_over


def describe(error: BaseException) -> str:
    """Say what went wrong in words that quote no memory.

    The messages of our own errors and of the system are safe; any other may quote what it choked
    on, as pydantic's do. Of those the type is told, and the line that raised.
    """
    name = type(error).__name__
    if isinstance(error, ModelError) and error.__cause__ is not None:  # an endpoint quotes prompts
        status = getattr(error.__cause__, "status_code", "")
        return f"{name} from {type(error.__cause__).__name__} {status}".rstrip()
    if isinstance(error, HindsightError | OSError):
        return f"{name}: {error}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return name
    return f"{name} in {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}"
