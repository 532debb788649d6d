"""Which calls without effect may only have come too early, so that they are no evidence yet."""

from __future__ import annotations

from collections.abc import Sequence

from hindsight_core.capture.findings import JudgedCall, argument_text
from hindsight_core.capture.outcomes import says_no_effect
from hindsight_core.capture.pairing.similar_calls import mentions
from hindsight_core.schema import ErrorClass

__all__ = ["premature_calls"]


def premature_calls(calls: Sequence[JudgedCall], known: str) -> frozenset[str]:
    """Signatures of calls without effect that may only have come too early.

    The things that such a call names are known, from the task or from what worked, and some call
    worked on their kind or met them. A tool that worked on others of the one thing's kind has no
    such excuse: there the failure is about the thing.
    """
    without = [
        call
        for call in calls
        if not call.outcome.ok
        and call.outcome.error_class is ErrorClass.SOFT
        and says_no_effect(call.outcome.message)
    ]
    if not without:
        return frozenset()
    met: set[str] = set()
    kinds: dict[str, set[str]] = {}
    for call in calls:
        if call.outcome.ok:
            used = mentions(argument_text(call))
            met |= used | mentions(call.event.result)
            kinds.setdefault(call.tool, set()).update(map(_kind, used))
    anywhere = frozenset[str]().union(*kinds.values())
    exist = met | mentions(known)
    found: set[str] = set()
    for call in without:
        named = mentions(argument_text(call))
        own = frozenset(map(_kind, named))
        if not named or not named <= exist or not (own & anywhere or named <= met):
            continue
        if len(named) > 1 or not own <= kinds.get(call.tool, set()):
            found.add(call.signature)
    return frozenset(found)


def _kind(name: str) -> str:
    return name.partition(" ")[0]
