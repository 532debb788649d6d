"""Whether a tool call is about to repeat a known failure, decided from counts alone.

Pure. The situation (the task's fingerprint) matters: the same call may fail in one task and work in
another, so a failure elsewhere counts only while the call was never seen to work anywhere and its
class says that the arguments themselves were at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from hindsight_core.capture import State, in_state
from hindsight_core.ports import CallStats
from hindsight_core.schema import ErrorClass
from hindsight_core.settings import GateMode

__all__ = [
    "DETERMINISTIC",
    "Flag",
    "GateAction",
    "GateDecision",
    "Reason",
    "decide",
    "describe_flag",
    "find_flag",
]

DETERMINISTIC: Final = frozenset(
    {
        ErrorClass.VALIDATION,
        ErrorClass.NOT_FOUND,
        ErrorClass.PERMISSION,
        ErrorClass.CONFLICT,
        ErrorClass.QUOTA,
    }
)
"""Failures that the same call meets again; only these may block."""

_NO_STATE: Final = State(digest="", foreign=True)

TRANSIENT_MEMORY: Final = timedelta(minutes=10)
"""How long a failure that passes by itself is worth a word before the same call."""


class GateAction(StrEnum):
    """What the adapter does with the call."""

    RUN = "run"
    ADVISE = "advise"
    CONFIRM = "confirm"
    BLOCK = "block"


_FORCE: Final = (GateAction.RUN, GateAction.ADVISE, GateAction.CONFIRM, GateAction.BLOCK)
"""From the least to the most that is done to a call."""


class Reason(StrEnum):
    """What a flag rests on: this very call failed, one like it did, or the user ruled it out."""

    FAILED = "failed"
    ALIKE = "alike"
    RULED_OUT = "ruled_out"


@dataclass(frozen=True, kw_only=True, slots=True)
class GateDecision:
    """The gate's word on one call; `message` is ready to be shown, empty for a plain run.

    `trial` says that the call runs in order to see whether it works again.
    """

    action: GateAction = GateAction.RUN
    message: str = ""
    memory_ids: tuple[str, ...] = ()
    flagged: bool = False
    trial: bool = False
    reason: Reason | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """Why a call is flagged: how often it failed, of which class, and which memory says so."""

    reason: Reason = Reason.FAILED
    failures: int
    error_class: str
    transient: bool
    here: bool
    memory_id: str
    last_failure_at: datetime | None = None
    first: str = ""
    """The tool that has to be called before, where that is what it lacks."""


def find_flag(
    stats: Sequence[CallStats],
    situation: str,
    clock: Callable[[], datetime],
    state: Callable[[], State] = lambda: _NO_STATE,
) -> Flag | None:
    """Look for a known failure of one signature; `stats` has one entry a situation.

    A later success of the same signature closes a failure wherever it was. One without effect is
    bound to a state of its task: it counts in that very `state`, and where the call names what is
    not known to exist.
    """
    if not stats:
        return None
    here = next((entry for entry in stats if entry.situation == situation), None)
    if here is not None and here.failures:
        return None if _worked_since(here, stats) else _flag(here, clock(), here=True)
    prefix = f"{situation}/"
    bound = [entry for entry in stats if entry.situation.startswith(prefix)]
    failed = [entry for entry in bound if entry.failures]
    if failed:
        found = state()
        alike = [entry for entry in failed if entry.situation == in_state(situation, found)]
        if not alike and found.foreign:
            alike = failed
        return _flag(alike[0], clock(), here=True) if alike else None
    if here is not None or bound:
        return None
    if any(entry.successes for entry in stats):
        return None
    failed = [entry for entry in stats if entry.failures and _stands(entry)]
    if not failed:
        return None
    return _flag(max(failed, key=lambda entry: entry.failures), clock(), here=False)


def decide(flag: Flag | None, mode: GateMode, message: str) -> GateDecision:
    """Turn a flag into an action under a mode; what is not deterministic never blocks."""
    if flag is None or mode is GateMode.OFF:
        return GateDecision()
    action = GateAction.RUN if mode is GateMode.OBSERVE else GateAction(mode.value)
    firm = flag.error_class in DETERMINISTIC and not flag.transient
    if flag.reason is not Reason.FAILED or not firm:
        action = min(action, GateAction.ADVISE, key=_FORCE.index)
    return GateDecision(
        action=action,
        message=message,
        memory_ids=(flag.memory_id,) if flag.memory_id else (),
        flagged=True,
        reason=flag.reason,
    )


def describe_flag(flag: Flag, tool: str, lesson: str) -> str:
    """Say in words what is known of a flagged call, with the memory that says so."""
    if flag.reason is Reason.RULED_OUT:
        return f"This {tool} call is against what the user asked for: {lesson}"
    if flag.reason is Reason.ALIKE:
        why = f" without {flag.first} first" if flag.first else " like this one"
        known = f"{tool} calls{why} failed before ({flag.error_class})."
        return f"{known} {lesson}" if lesson else known
    times = "once" if flag.failures == 1 else f"{flag.failures} times"
    place = "before in such a task" if flag.here else "before"
    advice = "It may work later." if flag.transient else "It is likely to fail again."
    known = f"This {tool} call failed {times} {place} ({flag.error_class}). {advice}"
    return f"{known} {lesson}" if lesson else known


def _worked_since(failed: CallStats, stats: Sequence[CallStats]) -> bool:
    """Whether the same call worked anywhere after it failed: what was in its way is gone.

    Not where nothing was in its way: a soft failure judges what the call came to in that task.
    """
    last = None if failed.error_class == ErrorClass.SOFT else failed.last_failure_at
    return last is not None and any(e.last_success_at and e.last_success_at > last for e in stats)


def _stands(entry: CallStats) -> bool:
    """Whether the failure was about the call itself: what is closed for good is so again."""
    for_good = entry.error_class == ErrorClass.UNAVAILABLE and not entry.transient
    return for_good or entry.error_class in DETERMINISTIC


def _flag(entry: CallStats, now: datetime, *, here: bool) -> Flag | None:
    if entry.transient and (
        entry.last_failure_at is None or now - entry.last_failure_at > TRANSIENT_MEMORY
    ):
        return None
    return Flag(
        failures=entry.failures,
        error_class=entry.error_class,
        transient=entry.transient,
        here=here,
        memory_id=entry.memory_id,
        last_failure_at=entry.last_failure_at,
    )
