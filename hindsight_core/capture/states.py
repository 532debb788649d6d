"""In what state of its run a call was made: for failures that are not about the call alone.

"Nothing happens" is the answer to a call that came too early as well as to one that never works.
Two calls are made in one state when the last two successes before them are the same, and so are
all the successes that named a thing which they name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from hindsight_core.capture.findings import JudgedCall
from hindsight_core.capture.outcomes import says_no_effect, says_verdict
from hindsight_core.capture.pairing.similar_calls import mentions
from hindsight_core.schema import ErrorClass, Memory, ToolCall

__all__ = ["Course", "State", "had_no_effect", "in_state", "is_of_one_state"]


_LAST: Final = 2
"""With one, more of the calls that were flagged in ALFWorld then succeeded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """The state in which a call is made; `digest` is the same for the same one.

    `foreign` says that the call names a thing of which neither the task nor anything before spoke.
    """

    digest: str
    foreign: bool


class Course:
    """What has worked so far in a run."""

    def __init__(self, task: str, calls: Iterable[JudgedCall] = ()) -> None:
        self._worked: list[tuple[str, frozenset[str]]] = []
        self._known = set(mentions(task))
        for call in calls:
            self.add(call)

    def add(self, call: JudgedCall) -> None:
        """Take up the next call of the run."""
        if call.outcome.ok:
            named = _named(call.event.call)
            self._worked.append((call.signature, named))
            self._known |= named | mentions(call.event.result)

    def state(self, call: ToolCall) -> State:
        """The state in which a call is made now."""
        named = _named(call)
        last = [signature for signature, _ in self._worked[-_LAST:]]
        about = sorted({signature for signature, other in self._worked if other & named})
        text = "\n".join((*last, "", *about))
        return State(
            digest=blake2b(text.encode(), digest_size=8).hexdigest(),
            foreign=not named <= self._known,
        )


def had_no_effect(call: JudgedCall) -> bool:
    """Whether a call failed by doing nothing, which it may not do in another state."""
    outcome = call.outcome
    return (
        not outcome.ok
        and outcome.error_class is ErrorClass.SOFT
        and says_no_effect(outcome.message)
    )


def is_of_one_state(memory: Memory) -> bool:
    """Whether a lesson tells nothing of other tasks: a call without effect, a wrong answer."""
    lesson = memory.lesson
    return (
        lesson is not None
        and lesson.mistake.error_class is ErrorClass.SOFT
        and (says_no_effect(lesson.mistake.consequence) or says_verdict(lesson.mistake.consequence))
    )


def in_state(situation: str, state: State) -> str:
    """The situation of a call that depends on the state: the task's fingerprint and the state's."""
    return f"{situation}/{state.digest}"


def _named(call: ToolCall) -> frozenset[str]:
    return mentions(" ".join(str(value) for value in call.args.values()))
