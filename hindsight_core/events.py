"""What happens in an agent loop, in no framework's words.

An adapter turns each hook of its framework into one of these and hands it to the `RunRecorder`,
which appends it to the durable outbox. Texts and arguments in an event are redacted already.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from hindsight_core.schema import Record, Scope, Time, ToolCall

__all__ = [
    "AgentSaid",
    "BlockShown",
    "CallFlagged",
    "Event",
    "EventBase",
    "FeedbackGiven",
    "RunEnded",
    "RunStarted",
    "ToolCalled",
    "ToolRejected",
    "UserSaid",
    "dump_event",
    "load_event",
]


class EventBase(Record):
    """What every event carries.

    `key` makes the event idempotent: a second event of the same scope, session and key is dropped.
    """

    run_id: str
    scope: Scope
    key: str
    at: Time


class RunStarted(EventBase):
    """A run began, with the task as the user or caller put it."""

    type: Literal["run_started"] = "run_started"
    task: str = ""
    task_type: str | None = None
    agent: str | None = None
    framework: str = ""
    session: str | None = None
    nested: bool = False


class UserSaid(EventBase):
    """A person said something; `nested` marks a "user" turn that a model wrote."""

    type: Literal["user_said"] = "user_said"
    text: str
    turn: str = ""
    nested: bool = False
    before: str = ""


class AgentSaid(EventBase):
    """The agent's own text, which is never a source of preferences."""

    type: Literal["agent_said"] = "agent_said"
    text: str


class ToolCalled(EventBase):
    """One attempt at a tool call, and what came back.

    `flagged_error` is the framework's own word (None where it has none); `error_type` the name of
    the exception's class where one was raised.
    """

    type: Literal["tool_called"] = "tool_called"
    call: ToolCall
    raised: bool = False
    flagged_error: bool | None = None
    error_type: str | None = None
    result: str = ""
    milliseconds: float | None = None
    attempt: int = 1


class ToolRejected(EventBase):
    """A person refused a tool call: a signal of preference, not a failure of the tool."""

    type: Literal["tool_rejected"] = "tool_rejected"
    call: ToolCall
    text: str = ""


class FeedbackGiven(EventBase):
    """Explicit word on how the run went; `good` None when it cannot be told."""

    type: Literal["feedback_given"] = "feedback_given"
    good: bool | None = None
    text: str = ""


class BlockShown(EventBase):
    """A block of memories was put before the model; `withheld_ids` were held back from it.

    `numbers` are what the memories went by in the block. What is withheld would have been shown,
    and is not, so that its use can be estimated.
    """

    type: Literal["block_shown"] = "block_shown"
    recall_id: str
    memory_ids: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    withheld_ids: tuple[str, ...] = ()


class CallFlagged(EventBase):
    """The gate had something to say about a call.

    `reason` is `failed` (this call did), `alike` (one like it did) or `ruled_out` (by the user).
    """

    type: Literal["call_flagged"] = "call_flagged"
    call: ToolCall
    action: str
    memory_ids: tuple[str, ...] = ()
    reason: str = "failed"


class RunEnded(EventBase):
    """The run came to an end; `ok` None when the framework does not say how."""

    type: Literal["run_ended"] = "run_ended"
    ok: bool | None = None
    error: str = ""


Event = Annotated[
    RunStarted
    | UserSaid
    | AgentSaid
    | ToolCalled
    | ToolRejected
    | FeedbackGiven
    | BlockShown
    | CallFlagged
    | RunEnded,
    Field(discriminator="type"),
]

_adapter: TypeAdapter[Event] = TypeAdapter(Event)


def dump_event(event: EventBase) -> str:
    """Serialise an event as one line of JSON."""
    return event.model_dump_json(exclude_defaults=False)


def load_event(text: str | bytes) -> Event:
    """Read one event back; raises pydantic's `ValidationError` on anything else."""
    return _adapter.validate_json(text)
