"""Explicit word on whether a memory, or a whole run, helped."""

from __future__ import annotations

from hindsight_core.capture import Redactor
from hindsight_core.engine.core import Core
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.judging import apply_feedback
from hindsight_core.errors import NotFoundError
from hindsight_core.events import FeedbackGiven
from hindsight_core.schema import Scope

__all__ = ["give_feedback"]


def give_feedback(
    core: Core, intake: Intake, scope: Scope, wanted: str, *, good: bool, text: str
) -> None:
    """Count one use of a memory, or judge a run anew; raises `NotFoundError`."""
    found = core.store.get(scope, [wanted])
    if found:
        core.store.put([apply_feedback(found[0], good=good, at=core.clock())])
        return
    events = [event for event in core.store.events(wanted) if scope.sees(event.scope)]
    if not events:
        raise NotFoundError(f"{wanted!r}: no memory or run of that id in this scope")
    said = FeedbackGiven(
        run_id=wanted,
        scope=events[0].scope,
        key=f"{wanted}/feedback/{core.ids()}",
        at=core.clock(),
        good=good,
        text=Redactor().text(text),
    )
    core.store.append(said, owner=core.owner)
    intake.drain(wanted)
