"""Secrets that a run showed late: taken out of the texts that it had recorded before.

A pass phrase in a user's words looks like any other words until a tool is called with it as its
`password`. Only the process that recorded the run knows the secret, and only until the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from hindsight_core.capture import Redactor
from hindsight_core.events import Event

__all__ = ["cover"]

_TEXTS: Final = ("task", "text", "before", "result", "error")


def cover(events: Iterable[Event], redactor: Redactor) -> list[Event]:
    """Return the events that change when everything the redactor has seen is taken out of them."""
    return [changed for event in events if (changed := _covered(event, redactor)) is not event]


def _covered(event: Event, redactor: Redactor) -> Event:
    change: dict[str, Any] = {}
    for name in _TEXTS:
        text = getattr(event, name, None)
        if isinstance(text, str) and (clean := redactor.text(text)) != text:
            change[name] = clean
    call = getattr(event, "call", None)
    if call is not None and (args := redactor.value(call.args)) != call.args:
        change["call"] = call.model_copy(update={"args": args})
    return event.model_copy(update=change) if change else event
