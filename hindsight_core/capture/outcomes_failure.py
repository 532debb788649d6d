"""What was found to have failed, before it is classed; and which class that is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.outcomes_codes import (
    class_of_exit,
    class_of_http,
    class_of_symbol,
    class_of_vendor_code,
    is_decisive,
)
from hindsight_core.capture.outcomes_context import Role, ToolContext
from hindsight_core.capture.outcomes_rules import Rule, normalise
from hindsight_core.capture.outcomes_tables import found, rules
from hindsight_core.schema import ErrorClass, Outcome
from hindsight_core.text import clean, shorten

__all__ = ["MAX_MESSAGE", "Failure", "outcome_of"]

MAX_MESSAGE: Final = 600
"""Characters of the tool's own words that an outcome keeps."""

_TRANSIENT: Final = frozenset(
    {ErrorClass.RATE_LIMIT, ErrorClass.TIMEOUT, ErrorClass.UNAVAILABLE},
)
_SYMBOL: Final = re.compile(
    r"\b(?:[A-Za-z_][\w]*\.)*[A-Z]\w*(?:Error|Exception|Exceeded|Denied|Fault|Timeout|NotFound)\b"
    r"|\bE[A-Z]{4,14}\b|\[Errno ?-?[0-9]{1,3}\]|\(([0-9]{2}[0-9A-Z]{3})\)|\b[A-Z]{3,}_[A-Z_]{3,}\b"
)
_STATUS: Final = re.compile(
    r"(?:\bhttp(?:/[0-9.]+)?|\bstatus(?: code)?|\bhttp ?error|\bcode|\berror|\bresponded with"
    r"|\breturned)[ :=(]{1,3}([45][0-9]{2})\b|^\(?([45][0-9]{2})\)?[ :]|\(([45][0-9]{2})\)",
    re.IGNORECASE,
)
_VENDOR: Final = re.compile(r"(?:error|code|错误码?)[ :=\"#]{1,3}([0-9]{4,6})\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A failure in the tool's own words, with the codes and names that came with it."""

    message: str = ""
    symbols: tuple[str, ...] = ()
    status: int | None = None
    number: int | None = None
    exit_code: int | None = None
    unmet: bool = False
    raised: bool = False


def outcome_of(failure: Failure, context: ToolContext) -> Outcome:
    """Class a failure, and tell whether its cause passes and the same call may yet work."""
    text = normalise(" ".join((failure.message, *failure.symbols)))
    error_class, transient = _classify(failure, context, text)
    if transient is None:
        transient = _passes(error_class, failure, context, text)
    unknown = error_class is ErrorClass.TIMEOUT and bool(
        found(text, lambda language: language.unknown_result)
    )
    return Outcome(
        ok=False,
        error_class=error_class,
        transient=transient,
        retry_same_args=transient and not unknown,
        message=shorten(clean(failure.message).strip(), MAX_MESSAGE),
    )


def _classify(failure: Failure, context: ToolContext, text: str) -> tuple[ErrorClass, bool | None]:
    status = failure.status or _stated_status(failure.message)
    if rule := _first(rules(lambda language: language.specific), text):
        return rule.error_class, rule.transient
    if status is not None and is_decisive(status):
        return class_of_http(status) or ErrorClass.INTERNAL, None
    rule = _first(rules(lambda language: language.plain), text)
    if rule and not (failure.unmet and rule.error_class in _NOT_OF_WISHES):
        return rule.error_class, rule.transient
    symbols = (*failure.symbols, *(match[0] for match in _SYMBOL.finditer(failure.message[:2_000])))
    by_code = (
        *(class_of_symbol(symbol, own_code=context.own_code) for symbol in symbols),
        class_of_http(status) if status is not None else None,
        class_of_exit(failure.exit_code, command=context.command.name)
        if failure.exit_code is not None
        else None,
        class_of_vendor_code(failure.number or _stated_number(failure.message) or 0),
    )
    for error_class in by_code:
        if error_class is not None:
            return error_class, None
    if not failure.unmet and (rule := _first(rules(lambda language: language.vague), text)):
        return rule.error_class, rule.transient
    return (ErrorClass.INTERNAL if failure.raised else ErrorClass.SOFT), None


_NOT_OF_WISHES: Final = frozenset({ErrorClass.VALIDATION, ErrorClass.INTERNAL})


def _first(table: Iterable[Rule], text: str) -> Rule | None:
    return next((rule for rule in table if rule.pattern.search(text)), None)


def _stated_status(message: str) -> int | None:
    match = _STATUS.search(message[:1_000])
    return int(match[1] or match[2] or match[3]) if match else None


def _stated_number(message: str) -> int | None:
    match = _VENDOR.search(message[:1_000])
    return int(match[1]) if match else None


def _passes(error_class: ErrorClass, failure: Failure, context: ToolContext, text: str) -> bool:
    if error_class in _TRANSIENT:
        if error_class is ErrorClass.UNAVAILABLE:
            return not found(text, lambda language: language.for_good)
        own_limit = context.role in (Role.SHELL, Role.CODE, Role.SQL)
        cut_off = own_limit and found(text, lambda language: language.cut_off)
        return not (error_class is ErrorClass.TIMEOUT and cut_off)
    if error_class is ErrorClass.NOT_FOUND:
        return bool(found(text, lambda language: language.not_yet))
    if error_class is ErrorClass.INTERNAL:
        if found(text, lambda language: language.crash):
            return False
        served = failure.status is not None or _stated_status(failure.message) is not None
        server_word = found(text, lambda language: language.server_side)
        return served or bool(server_word) or bool(found(text, lambda it: it.again_later))
    return False
