"""The tool with which an agent asks for a memory in full, by the number of its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from hindsight_core import DETAILS, HindsightError

__all__ = ["DetailsTool"]


_SAYS: Final = "Show one note of the memory in full."


class _Asked(BaseModel):
    number: str = Field(description="The number of the note")


class DetailsTool(BaseTool):
    """The tool `memory_details`; `answer` may raise `HindsightError`."""

    args_schema: type[BaseModel] = _Asked
    _answer: Callable[[str], str] = PrivateAttr()

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__(name=DETAILS, description=_SAYS)
        self._answer = answer

    def _run(self, number: str) -> str:
        try:
            return self._answer(number)
        except HindsightError as error:
            return str(error)
