"""Whether a tool call worked, and if not, what kind of failure it was.

`judge_outcome` takes what the framework said (raised, flagged) as given and otherwise reads the
result: JSON envelopes, HTTP and HTML, process output, plain sentences, in English and Chinese.
What a search, a log or a file contains is data and is not judged. No model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from hindsight_core.capture.outcomes._codes import class_of_http
from hindsight_core.capture.outcomes._commands import stages_of
from hindsight_core.capture.outcomes._context import Role, ToolContext, context_of, things_of
from hindsight_core.capture.outcomes._failure import Failure, outcome_of
from hindsight_core.capture.outcomes._html import is_page
from hindsight_core.capture.outcomes._json import judge_json
from hindsight_core.capture.outcomes._parse import read_json
from hindsight_core.capture.outcomes._process import exit_code_of, judge_process
from hindsight_core.capture.outcomes._tables import normalise, says
from hindsight_core.capture.outcomes._text import judge_html, judge_text, split_http
from hindsight_core.schema import Outcome
from hindsight_core.text import clean, shorten

__all__ = [
    "acts",
    "command_of",
    "judge_outcome",
    "looks",
    "says_no_effect",
    "says_of_a_set",
    "says_of_form",
    "says_of_the_moment",
    "says_verdict",
    "says_what_comes_first",
    "stages_of",
    "taken_by_others",
    "things_of",
]

_XML_ERROR: Final = re.compile(
    r"<(?:\w+:)?(Code|Message|faultcode|faultstring|error|ErrorMessage)>([^<]{1,500})<",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"\s*```(?:json)?\s*")
_BROKEN_JSON: Final = re.compile(
    r"\s*\{\s*[\"'](?:(?:success|ok)[\"']\s*:\s*(?:false|False)|error[\"']\s*:\s*[\"'{])"
)
_MAX_HEADER: Final = 160


def judge_outcome(
    tool: str,
    args: Mapping[str, Any],
    *,
    raised: bool,
    flagged_error: bool | None = None,
    error_type: str | None = None,
    result: str,
) -> Outcome:
    """Judge one call by what came of it.

    `raised` and a `flagged_error` of True are failures whatever the result says; False and None
    leave it to the result. `error_type` is the exception's class name, `result` what was returned
    or the exception's text. Linear in the result's length; never raises on any text.
    """
    context = context_of(tool, args)
    text = clean(result)
    if raised or flagged_error:
        return outcome_of(_told(text, error_type, context, raised=raised), context)
    failure = _find(text, context, 0)
    return Outcome(ok=True) if failure is None else outcome_of(failure, context)


def acts(tool: str) -> bool:
    """Whether a tool by its name changes something, and does not only look."""
    return context_of(tool, {}).role is Role.ACT


def looks(tool: str) -> bool:
    """Whether a tool by its name only looks at what there is."""
    return context_of(tool, {}).role in (Role.READ, Role.STATUS, Role.CHECKER)


def says_no_effect(message: str) -> bool:
    """Whether all that a tool says is that nothing came of the call."""
    return says(normalise(message), "no_effect")


def says_verdict(message: str) -> bool:
    """Whether a tool judges what it was given for what was asked, which tells nothing elsewhere."""
    return says(normalise(message), "verdict")


def says_of_a_set(message: str) -> bool:
    """Whether a tool says that a set of things, such as a journal, was not subscribed to."""
    return says(normalise(message), "of_a_set")


def says_of_form(message: str) -> bool:
    """Whether a tool says that something was written in a form that it does not read."""
    text = normalise(message)
    return says(text, "of_form") and not says(text, "of_choice")


def says_of_the_moment(message: str) -> bool:
    """Whether a failure was of its moment: a session that expired, a version that is old."""
    return says(normalise(message), "of_the_moment")


def says_what_comes_first(message: str) -> bool:
    """Whether a tool says that something has to be done before it can be called."""
    return says(normalise(message), "comes_first")


def taken_by_others(message: str) -> bool:
    """Whether a tool says that what was asked for is taken, so that another one would do."""
    return says(normalise(message), "taken")


def command_of(tool: str, args: Mapping[str, Any]) -> str:
    """What a tool runs of what it is given: `shell`, `sql`, or "" for a tool with arguments."""
    role = context_of(tool, args).role
    kind = role.value if role in (Role.SHELL, Role.SQL) else ""
    return kind if any(isinstance(value, str) for value in args.values()) else ""


def _told(text: str, error_type: str | None, context: ToolContext, *, raised: bool) -> Failure:
    """Read the details of a failure that is known to be one."""
    symbols = (error_type,) if error_type else ()
    parsed, value = read_json(_unfenced(text))
    inner = judge_json(value, context) if parsed else None
    if inner is None and not parsed:
        lines = [line for line in text.strip().splitlines() if line.strip()]
        traced = "Traceback (most recent call last)" in text
        inner = Failure(message=lines[-1].strip() if traced and lines else shorten(text, 2_000))
    if inner is None:
        inner = Failure(message=shorten(text, 600))
    return Failure(
        message=inner.message or error_type or "",
        symbols=(*symbols, *inner.symbols),
        status=inner.status,
        number=inner.number,
        exit_code=inner.exit_code if inner.exit_code is not None else exit_code_of(text),
        raised=raised,
    )


def _unfenced(text: str) -> str:
    match = _FENCE.match(text[:40])
    return text[match.end() :].rstrip("` \n") if match else text


def _find(text: str, context: ToolContext, depth: int) -> Failure | None:
    stripped = text.strip()
    if not stripped:
        return None
    parsed, value = read_json(_unfenced(stripped))
    if parsed:
        return _parsed(value, context, depth)
    if _BROKEN_JSON.match(stripped[:80]):
        return Failure(message=shorten(stripped, 600))
    if stripped[0] in "{[" and len(stripped) > _MAX_HEADER:
        return None
    status, body = split_http(stripped)
    if status is not None:
        return _response(status, body, context, depth)
    if is_page(stripped):
        return judge_html(stripped)
    if stripped[0] == "<" and not context.raw:
        told = [words for _, words in _XML_ERROR.findall(stripped[:20_000])]
        if told:
            return Failure(message=" ".join(told), symbols=tuple(told))
    return _prose(stripped, context)


def _response(status: int, body: str, context: ToolContext, depth: int) -> Failure | None:
    if class_of_http(status) is None:
        return (
            _find(body, context, depth + 1) if depth < 3 and body[:1] in ("{", "[", "<") else None
        )
    parsed, value = read_json(body)
    inner = judge_json(value, context) if parsed else None
    if inner is None and is_page(body):
        inner = judge_html(body)
    return Failure(
        message=f"HTTP {status} {inner.message if inner else shorten(body, 600)}".strip(),
        symbols=inner.symbols if inner else (),
        status=status,
    )


def _parsed(value: Any, context: ToolContext, depth: int) -> Failure | None:
    if isinstance(value, str):
        return _find(value, context, depth + 1) if depth < 3 else None
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        if (process := _process_fields(fields)) is not None:
            return judge_process(*process, context)
        content = fields.get("content")
        if isinstance(content, list) and not fields.get("isError"):
            return _parsed(content, context, depth + 1) if depth < 3 else None
    if isinstance(value, list):
        texts = _content_texts(cast("list[Any]", value))
        if texts is not None:
            return _find("\n".join(texts), context, depth + 1) if depth < 3 else None
    return None if context.command.content else judge_json(value, context)


def _content_texts(items: list[Any]) -> list[str] | None:
    """Return the texts of content blocks (`{"type": "text", "text": …}`), None for other lists."""
    texts: list[str] = []
    for item in items:
        if not isinstance(item, Mapping):
            return None
        block = cast("Mapping[str, Any]", item)
        text = block.get("text")
        if block.get("type") != "text" or not isinstance(text, str):
            return None
        texts.append(text)
    return texts or None


def _process_fields(fields: Mapping[str, Any]) -> tuple[int, str, str] | None:
    names = {re.sub(r"[\W_]", "", str(key).casefold()): key for key in list(fields)[:40]}
    key = next(
        (names[n] for n in ("exitcode", "returncode", "exitstatus", "退出码", "rc") if n in names),
        None,
    )
    if key is None and "code" in names and ("stdout" in names or "stderr" in names):
        key = names["code"]
    code = fields.get(key) if key is not None else None
    if not isinstance(code, int) or isinstance(code, bool):
        return None
    out = "\n".join(
        str(fields[names[n]]) for n in ("stdout", "output", "out", "输出") if n in names
    )
    err = "\n".join(str(fields[names[n]] or "") for n in ("stderr", "error", "err") if n in names)
    return code, out, err


def _prose(text: str, context: ToolContext) -> Failure | None:
    if context.role in (Role.SHELL, Role.CODE, Role.CHECKER, Role.OTHER, Role.AGENT, Role.ACT):
        code = exit_code_of(text)
        if code is not None:
            return judge_process(code, text, "", context)
    start = text.find("{", 0, _MAX_HEADER)
    header = normalise(text[: max(start, 0)])
    if start > 0 and "\n" not in header.strip() and context.role is not Role.SHELL:
        parsed, value = read_json(text[start:])
        if parsed and (failure := judge_json(value, context, 1)):
            return failure
    return judge_text(text, context)
