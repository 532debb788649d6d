"""Whether a later call of a tool achieved what a failing one was meant to, or did another thing.

Equal arguments beside it say little: a second refund has the same amount. What counts is what was
exchanged. Where the error is about the thing that was named, another thing is another task; a
correction of its name, a value that the error names, or a choice that the error leaves open is the
fix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from hindsight_core.capture._formats import format_of
from hindsight_core.capture.outcomes import command_of, taken_by_others
from hindsight_core.capture.pairing.corrections import corrects, is_measure, is_stated, words_in
from hindsight_core.capture.pairing.means import by_other_means, names_an_object
from hindsight_core.capture.pairing.same_command import same_command, topic_of
from hindsight_core.capture.signatures import canonical
from hindsight_core.events import ToolCalled
from hindsight_core.han import simplified
from hindsight_core.schema import ErrorClass, Outcome
from hindsight_core.text import fold

__all__ = ["blamed_arguments", "same_aim", "topic_of_failure"]

_OF_FORM: Final = frozenset({ErrorClass.VALIDATION})
"""Failures about how something was said: what the error names may be exchanged."""
_OF_AMOUNT: Final = frozenset({
    ErrorClass.VALIDATION, ErrorClass.CONFLICT, ErrorClass.QUOTA, ErrorClass.UNAVAILABLE,
    ErrorClass.SOFT, ErrorClass.INTERNAL,
})  # fmt: skip
"""Failures that another amount, date or time may avoid."""
_OF_MEANS: Final = frozenset({
    ErrorClass.VALIDATION, ErrorClass.NOT_FOUND, ErrorClass.PERMISSION, ErrorClass.UNAVAILABLE,
})  # fmt: skip
"""Failures of a way that another way may avoid; a conflict or an empty account is of the thing."""
_TIMES: Final = frozenset({"iso-date", "iso-datetime", "clock-time", "slash-date", "cjk-date"})
_IDENTIFIER: Final = re.compile(
    r"(?:^|[_\W])(?:id|no|nr|number|key|code)$|Id$|ID$|编号|号$|編號|號$"
)


def same_aim(failed: ToolCalled, outcome: Outcome, worked: ToolCalled, asked: str = "") -> bool:
    """Whether a call of the same tool that worked may be taken for the fix of one that failed.

    `asked` is the user's request that both served, "" where it is not known.
    """
    error = _error_of(failed, outcome)
    old, new = failed.call.args, worked.call.args
    kind = command_of(failed.call.tool, old)
    if kind:
        return same_command(kind, old, new, error)
    changed = {
        name for name in old.keys() & new.keys() if canonical(old[name]) != canonical(new[name])
    }
    if not changed:
        return True
    named = named_arguments(error, {**old, **new})
    error_class = outcome.error_class or ErrorClass.SOFT
    if error_class in _OF_FORM and named & (changed | (new.keys() ^ old.keys())):
        return True
    if taken_by_others(outcome.message) or error_class is ErrorClass.UNAVAILABLE:
        kept = (old.keys() & new.keys()) - changed
        if any(_is_time(old[name]) for name in kept):
            return True  # the time is what was wanted, the place a choice
        if not outcome.transient and _is_replaced(old, new, changed, error, asked):
            return True
    means = error_class in _OF_FORM and asked and not any(map(names_an_object, changed))
    if means and _is_replaced(old, new, changed, error, asked):
        return True
    of_means = error_class in _OF_MEANS or (
        error_class is ErrorClass.SOFT and any(is_stated(old[name], error) for name in changed)
    )
    if of_means and by_other_means(old, new, changed, asked):
        return True
    return all(
        corrects(old[name], new[name])
        or is_stated(new[name], error)
        or (error_class in _OF_AMOUNT and _may_vary(name, old[name], new[name], error_class))
        or (name in named and _kind(old[name]) != _kind(new[name]))
        for name in changed
    )


def _is_replaced(
    old: Mapping[str, Any], new: Mapping[str, Any], changed: set[str], error: str, asked: str
) -> bool:
    """Whether all but the one thing that the error says is gone was kept, and none was asked for.

    Beside nothing else the new one may be a task of its own, and so may one that the user named.
    """
    if len(changed) != 1 or old.keys() != new.keys() or len(old) < 2:
        return False
    (name,) = changed
    wish = simplified(fold(asked[:4_000]))
    return is_stated(old[name], error) and not is_stated(new[name], wish)


def topic_of_failure(failed: ToolCalled, outcome: Outcome) -> str:
    """What sets a failure apart from others of its tool and class, "" where nothing does.

    The command or the table of what was run; the arguments that a refusal of form names.
    """
    if kind := command_of(failed.call.tool, failed.call.args):
        return topic_of(kind, failed.call.args)
    return " ".join(sorted(blamed_arguments(failed, outcome, failed.call.args)))[:80]


def blamed_arguments(
    failed: ToolCalled, outcome: Outcome, args: Mapping[str, Any]
) -> frozenset[str]:
    """The arguments that a refusal of form names, none for other failures."""
    if outcome.error_class not in _OF_FORM:
        return frozenset()
    return named_arguments(_error_of(failed, outcome), args)


def _error_of(failed: ToolCalled, outcome: Outcome) -> str:
    return simplified(fold(f"{outcome.message} {failed.result}"[:4_000]))


def named_arguments(error: str, args: Mapping[str, Any]) -> frozenset[str]:
    """The arguments that an error names; `error` is folded.

    A name that is also a common word counts as any other: the error speaks of that very argument.
    """
    found = {name for name in args if (parts := words_in(name)) and _occurs(parts, error)}
    return frozenset(found)


def _occurs(parts: list[str], error: str) -> bool:
    if not all(part.isascii() for part in parts):
        return "".join(parts) in error
    spelt = r"[\W_]?".join(map(re.escape, parts))
    return re.search(rf"(?<![a-z0-9]){spelt}(?![a-z0-9])", error) is not None


def _may_vary(name: str, old: Any, new: Any, error_class: ErrorClass) -> bool:
    if _IDENTIFIER.search(name) and error_class is not ErrorClass.VALIDATION:
        return False
    return is_measure(old) or (is_measure(new) and error_class is ErrorClass.VALIDATION)


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and format_of(value) in _TIMES


def _kind(value: Any) -> str:
    if not isinstance(value, str):
        return type(value).__name__
    return f"{format_of(value)} {'' if value.isascii() else 'not '}ASCII"
