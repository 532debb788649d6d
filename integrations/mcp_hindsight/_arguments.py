"""What each tool takes, and how what does not fit is said in one readable line.

No tool takes a user, a tenant or an agent: whose memory it is comes from the connection alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from hindsight_core import HindsightError

__all__ = [
    "BadArgumentsError",
    "Details",
    "Feedback",
    "Forget",
    "Query",
    "Store",
    "Summarize",
    "Verify",
    "parse",
]

A = TypeVar("A", bound="Arguments")
_MOST_NAMED: Final = 5

Id = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="Id of one memory, as memory_query or memory_store returned it",
    ),
]


class BadArgumentsError(HindsightError):
    """A tool was called with arguments that it does not take; the message says which and why."""


class Arguments(BaseModel):
    """Base of every tool's arguments: nothing unknown is taken, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Store(Arguments):
    """Arguments of `memory_store`."""

    content: str = Field(
        description="One lasting fact or wish in one self-contained sentence, understandable "
        "without this conversation, in the user's own language"
    )
    kind: Literal["fact", "preference"] = Field(
        default="fact", description="'preference' for how the user wants things done, else 'fact'"
    )
    subject: str = Field(default="", max_length=500, description="What it is about, in a few words")
    entities: list[Annotated[str, Field(max_length=200)]] = Field(
        default=[], max_length=20, description="Names that occur in it: people, files, products"
    )
    when_useful: str = Field(
        default="", max_length=2_000, description="The situation in which it should come to mind"
    )
    lifetime: Literal["short", "long"] = Field(
        default="long", description="'short' for what holds for some days only"
    )


class Query(Arguments):
    """Arguments of `memory_query`."""

    query: str = Field(
        min_length=1, max_length=20_000, description="What to look for, as a full question"
    )
    kinds: list[Literal["preference", "fact", "path", "lesson"]] = Field(
        default=[],
        max_length=4,
        description="Only these kinds: preference, fact, path (what worked), lesson (what failed "
        "and what helps). Default: all",
    )
    limit: int = Field(default=3, ge=1, le=10, description="At most so many memories")


class Forget(Arguments):
    """Arguments of `memory_forget`."""

    memory_ids: list[Id] = Field(
        min_length=1, max_length=50, description="Ids that memory_query or memory_store returned"
    )


class Verify(Arguments):
    """Arguments of `memory_verify`."""

    memory_id: Id
    holds: bool | None = Field(
        default=None,
        description="What your own check found: true if the memory still holds, false if not. "
        "Leave it out to only look at how sure the memory is",
    )


class Details(Arguments):
    """Arguments of `memory_details`."""

    memory_id: Id


class Summarize(Arguments):
    """Arguments of `memory_summarize`."""

    session: str = Field(
        min_length=1, max_length=500, description="Id of the conversation to sum up"
    )


class Feedback(Arguments):
    """Arguments of `memory_feedback`."""

    memory_id: Id
    helpful: bool = Field(description="True if the memory helped, false if it misled or was wrong")


def parse(model: type[A], arguments: Mapping[str, Any]) -> A:
    """Return the checked arguments; raises `BadArgumentsError`, which repeats no value."""
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        found = error.errors(include_url=False, include_input=False, include_context=True)
        said = "; ".join(_said(one, known) for one in found[:_MOST_NAMED])
        more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    raise BadArgumentsError(f"{said}{more}")


def _said(error: ErrorDetails, known: str) -> str:
    where = ".".join(_printable(str(part)) for part in error["loc"]) or "arguments"
    if error["type"] == "extra_forbidden":
        return f"{where}: is no argument of this tool. It takes: {known}"
    if error["type"] == "missing":
        return f"{where}: is missing"
    return f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text[:80])
