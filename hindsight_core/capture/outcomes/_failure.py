"""What was found to have failed, before it is classed; and which class that is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.outcomes._codes import (
    class_of_exit,
    class_of_http,
    class_of_symbol,
    class_of_vendor_code,
    is_decisive,
    is_own_mistake,
)
from hindsight_core.capture.outcomes._context import Role, ToolContext
from hindsight_core.capture.outcomes._tables import first_rule, normalise, says, without_harmless
from hindsight_core.schema import ErrorClass, Outcome
from hindsight_core.text import clean, shorten

__all__ = ["MAX_MESSAGE", "Failure", "outcome_of"]

MAX_MESSAGE: Final = 600
"""Characters of the tool's own words that an outcome keeps."""

_SYMBOL: Final = re.compile(
    r"\b(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Exceeded|Denied|Fault|Timeout"
    r"|NotFound)\b|\bE[A-Z]{4,14}\b|\[Errno ?-?[0-9]{1,3}\]|(?<=\()[0-9]{2}[0-9A-Z]{3}(?=\))"
    r"|\b[A-Z]{3,20}_[A-Z_]{3,40}\b"
)
_STATUS: Final = re.compile(
    r"(?:\bhttp(?:/[0-9.]{1,3})?|\bstatus(?: code)?|\bhttp ?error|\bcode|\berror|\bresponded with"
    r"|\breturned)[ :=(]{1,3}([45][0-9]{2})\b|^\(?([45][0-9]{2})\)?[ :]|\(([45][0-9]{2})\)",
    re.IGNORECASE,
)
_VENDOR: Final = re.compile(r"(?:error|code|错误码?)[ :=\"#]{1,3}([0-9]{4,6})\b", re.IGNORECASE)
_NOT_OF_WISHES: Final = frozenset({ErrorClass.VALIDATION, ErrorClass.INTERNAL})
"""What a wish that was not carried out is not put down to on a passing word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A failure in the tool's own words, with the codes and names that came with it."""

    message: str = ""
    symbols: tuple[str, ...] = ()
    status: int | None = None
    number: int | None = None
    exit_code: int | None = None
    unmet: bool = False
    partial: bool = False
    raised: bool = False


def outcome_of(failure: Failure, context: ToolContext) -> Outcome:
    """Class a failure, and tell whether its cause passes and the same call may yet work."""
    whole = normalise(" ".join((failure.message, *failure.symbols)))
    text = without_harmless(whole) or whole
    error_class, transient = _classify(failure, context, text)
    if transient is None:
        transient = _passes(error_class, failure, context, text)
    unknown = error_class is ErrorClass.TIMEOUT and says(text, "unknown_result")
    return Outcome(
        ok=False,
        error_class=error_class,
        transient=transient,
        retry_same_args=transient and not unknown,
        message=shorten(clean(failure.message).strip(), MAX_MESSAGE),
    )


def _classify(failure: Failure, context: ToolContext, text: str) -> tuple[ErrorClass, bool | None]:
    status = failure.status or _stated_status(failure.message)
    if rule := first_rule("first", text, own_code=context.own_code):
        return rule.error_class, rule.transient
    if rule := first_rule("specific", text, own_code=context.own_code):
        return rule.error_class, rule.transient
    if status is not None and is_decisive(status):
        return class_of_http(status) or ErrorClass.INTERNAL, None
    symbols = (*failure.symbols, *(match[0] for match in _SYMBOL.finditer(failure.message[:2_000])))
    if any(map(is_own_mistake, symbols)):
        passed = context.own_code or says(text, "wrong_call")
        return (ErrorClass.VALIDATION if passed else ErrorClass.INTERNAL), None
    if failure.partial:
        return ErrorClass.SOFT, None
    rule = first_rule("plain", text, own_code=context.own_code)
    if rule and not (failure.unmet and rule.error_class in _NOT_OF_WISHES):
        return rule.error_class, rule.transient
    if error_class := _by_code(failure, context, symbols, status):
        return error_class, None
    rule = first_rule("vague", text, own_code=context.own_code)
    if rule and not failure.unmet:
        return rule.error_class, rule.transient
    return (ErrorClass.INTERNAL if failure.raised else ErrorClass.SOFT), None


def _by_code(
    failure: Failure, context: ToolContext, symbols: tuple[str, ...], status: int | None
) -> ErrorClass | None:
    for symbol in symbols:
        if error_class := class_of_symbol(symbol, own_code=context.own_code):
            return error_class
    if status is not None and (error_class := class_of_http(status)):
        return error_class
    if failure.exit_code is not None and (
        error_class := class_of_exit(failure.exit_code, command=context.command.name)
    ):
        return error_class
    return class_of_vendor_code(failure.number or _stated_number(failure.message) or 0)


def _stated_status(message: str) -> int | None:
    match = _STATUS.search(message[:1_000])
    return int(match[1] or match[2] or match[3]) if match else None


def _stated_number(message: str) -> int | None:
    match = _VENDOR.search(message[:1_000])
    return int(match[1]) if match else None


def _passes(error_class: ErrorClass, failure: Failure, context: ToolContext, text: str) -> bool:
    if error_class is ErrorClass.RATE_LIMIT:
        return True
    if error_class is ErrorClass.UNAVAILABLE:
        return says(text, "again_later") or not says(text, "for_good")
    if error_class is ErrorClass.TIMEOUT:
        own_limit = context.role in (Role.SHELL, Role.CODE, Role.SQL)
        return not (own_limit and (failure.exit_code is not None or says(text, "cut_off")))
    if error_class is ErrorClass.NOT_FOUND:
        return says(text, "not_yet")
    if error_class is ErrorClass.INTERNAL:
        served = failure.status is not None or _stated_status(failure.message) is not None
        outage = served or says(text, "server_side") or says(text, "again_later")
        return outage and not says(text, "crash")
    return False
