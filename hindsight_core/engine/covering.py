"""Secrets that a run showed late: taken out of what was recorded and stored before.

A pass phrase in a user's words looks like any other words until a tool is called with it as its
`password`. Only the process that recorded the run knows the secret, and only until the run ends.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hindsight_core.capture import Redactor
from hindsight_core.errors import StaleError
from hindsight_core.events import Event
from hindsight_core.port_types import Where
from hindsight_core.ports import Store
from hindsight_core.schema import Memory, Scope, Status
from hindsight_core.text import terms

__all__ = ["cover", "cover_all"]

logger: Final = logging.getLogger("hindsight_core")
_TEXTS: Final = ("task", "text", "before", "result", "error")
_SAYING: Final = ("query", "value", "key", "context", "preference", "lesson", "path", "evidence")
"""The fields of a memory that hold words of others."""
_MOST: Final = 200
_ANY: Final = Where(statuses=tuple(Status), include_superseded=True)


def cover_all(
    store: Store, scope: Scope, run_id: str, redactor: Redactor, *, session: str | None
) -> None:
    """Take what a run showed to be a secret out of its session's events and recalls, and memories.

    The memories are those of the scope in which a secret is found by its own terms. What their text
    index still holds of it goes when its segments are merged.
    """
    runs = [run_id]
    if session:
        runs += [run.run_id for run in store.session_runs(scope, session)]
    for run in dict.fromkeys(runs):
        store.rewrite(cover(store.events(run), redactor))
        for report in store.load_recalls(scope, run_id=run):
            if (masked := redactor.mask(report)) != report:
                told = json.loads(masked)
                where = Scope.model_validate(told["scope"])
                store.save_recall(where, told["recall_id"], run, masked)
    changed = list(_covered_memories(store, scope, redactor))
    for memory in changed:
        try:
            store.put([memory])
        except StaleError:  # somebody else revised it just now: what is left of it is said
            logger.warning("memory %s still holds what turned out to be a secret", memory.id)


def _covered_memories(store: Store, scope: Scope, redactor: Redactor) -> Iterator[Memory]:
    for secret in redactor.secrets():
        found = store.match_text(scope, _ANY, terms(secret), _MOST)
        for memory in store.get(scope, [hit.id for hit in found]):
            if memory.scope.user == scope.user:
                said = memory.model_dump(mode="json", include=set(_SAYING))
                if (masked := redactor.mask(said)) != said:
                    yield Memory.model_validate(
                        memory.model_dump(mode="json") | masked | {"revision": memory.revision + 1}
                    )


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
