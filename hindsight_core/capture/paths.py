"""Verified paths: which tools, with which arguments, a run that ended well went through.

A path holds no values: only tools, argument names and formats. Runs that went the same way share a
`dedupe_key`, so a path is counted over independent runs where memories are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from hindsight_core.capture.feedback import read_feedback
from hindsight_core.capture.lesson_text import Words
from hindsight_core.capture.pairing import JudgedCall
from hindsight_core.schema import ToolCall

__all__ = ["MAX_STEPS", "path_key", "path_steps", "path_text", "read_feedback"]

MAX_STEPS: Final = 12
"""A longer way is not a path that anyone would follow."""


def path_steps(calls: Sequence[JudgedCall]) -> tuple[ToolCall, ...]:
    """Return the successful calls of a run as steps without values; empty if they make no path.

    A step that is repeated at once counts once. A path has at least two different tools and at
    most `MAX_STEPS` steps.
    """
    steps: list[ToolCall] = []
    for call in calls:
        if not call.outcome.ok:
            continue
        made = call.event.call
        step = ToolCall(tool=made.tool, signature=_digest(made.shape), shape=made.shape)
        if not steps or steps[-1] != step:
            steps.append(step)
    if not 2 <= len(steps) <= MAX_STEPS or len({step.tool for step in steps}) < 2:
        return ()
    return tuple(steps)


def path_key(steps: Sequence[ToolCall], situation: str) -> str:
    """Return the dedupe key of a path: the way itself, in the kind of task it was gone for."""
    return f"path:{situation}:{_digest(' '.join(step.shape for step in steps))}"


def path_text(steps: Sequence[ToolCall], words: Words) -> str:
    """Write a path in words, with the arguments' names and formats."""
    return words.path.format(steps=" → ".join(f"`{step.shape}`" for step in steps))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
