"""Lesson cards as a model writes them: the JSON schema, and a strict reading of the answer."""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hindsight_core.errors import HindsightError

__all__ = ["CARD_SCHEMA", "AnswerError", "Card", "read_answer", "read_cards"]

_MAX_CARDS: Final = 16
_THOUGHT: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE: Final = re.compile(
    r"^\s*```(?:json)?[^\S\n]*\n(.*?)^\s*```[^\S\n]*$", re.DOTALL | re.MULTILINE
)


M = TypeVar("M", bound=BaseModel)


class AnswerError(HindsightError):
    """An answer that is not the JSON that was asked for."""


class Card(BaseModel):
    """One lesson as a model put it; its numbers are those of the prompt."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    run: int
    mistake: int
    wrong: str = Field(min_length=3, max_length=600)
    instead: str = Field(min_length=3, max_length=600)
    fix: int | None = None
    notice: str = Field(default="", max_length=600)
    runs: tuple[int, ...] = ()
    decidable: bool
    confidence: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)
    domain: str = Field(default="general", max_length=60)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    cards: list[Card] = Field(max_length=_MAX_CARDS)


_NUMBER: Final = {"type": "integer"}
_TEXT: Final = {"type": "string"}
_PROPERTIES: Final[dict[str, Any]] = {
    "run": _NUMBER,
    "mistake": _NUMBER,
    "wrong": _TEXT,
    "instead": _TEXT,
    "fix": {"type": ["integer", "null"]},
    "notice": _TEXT,
    "runs": {"type": "array", "items": _NUMBER},
    "decidable": {"type": "boolean"},
    "confidence": {"type": "number"},
    "domain": _TEXT,
}
CARD_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["cards"],
    "properties": {
        "cards": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": list(_PROPERTIES),
                "properties": _PROPERTIES,
            },
        }
    },
}
"""The answer's schema, in the subset that strict decoders know."""


def read_cards(answer: str) -> list[Card]:
    """Read an answer; raises `AnswerError` for anything that is no list of cards.

    One bad card spoils the answer: a model that confuses its numbers once has done so elsewhere.
    """
    return read_answer(answer, _Answer).cards


def read_answer(answer: str, shape: type[M]) -> M:
    """Read the JSON of an answer; raises `AnswerError`.

    What a model thought before it is taken off, and so is a fence with the words around it, if
    there is just one.
    """
    said = _THOUGHT.sub("", answer.lstrip("\ufeff"))
    fenced = [] if said.lstrip().startswith("{") else _FENCE.findall(said)
    try:
        return shape.model_validate_json(fenced[0] if len(fenced) == 1 else said)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the answer"
        raise AnswerError(f"{place}: {first['msg']}") from error
