"""Says what went wrong without a word of a memory."""

from __future__ import annotations

from pathlib import Path

from hindsight_core.errors import HindsightError, ModelError

__all__ = ["describe"]


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
