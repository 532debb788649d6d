"""The tool with which an agent asks for a memory in full, by the number of its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from autogen_core.tools import FunctionTool

from hindsight_core import DETAILS, Handle, HindsightError, in_executor

__all__ = ["Details", "make_details_tool"]

_DESCRIPTION: Final = "Show one note of the memory in full."


class Details(Handle):
    """Whether agents with a memory were `given` the tool."""

    given = False


def make_details_tool(answering: Callable[[], Callable[[str], str]]) -> FunctionTool:
    """The tool `memory_details`.

    `answering` tells, in the task of the call, what answers there; that reads the store and may
    raise `HindsightError`.
    """

    async def memory_details(number: Annotated[str, "The number of the note"]) -> str:
        try:
            return await in_executor(answering(), number)
        except HindsightError as error:
            return str(error)

    return FunctionTool(memory_details, _DESCRIPTION, name=DETAILS)
