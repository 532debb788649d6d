"""Results that are plain text: sentences, and pages; process output is in `_process`."""

from __future__ import annotations

import re
from typing import Final

from hindsight_core.capture.outcomes._context import Role, ToolContext
from hindsight_core.capture.outcomes._failure import Failure
from hindsight_core.capture.outcomes._html import read_page
from hindsight_core.capture.outcomes._names import without_names
from hindsight_core.capture.outcomes._process import error_lines, judge_output
from hindsight_core.capture.outcomes._tables import (
    is_trouble,
    normalise,
    opens,
    says,
    without_harmless,
)
from hindsight_core.text import shorten

__all__ = ["judge_html", "judge_text", "split_http"]

_HTTP: Final = re.compile(
    r"\s*(?:HTTP(?:/[0-9.]{1,3})?|status(?: code)?:?|状态码[:：]?)[ :]*([1-5][0-9]{2})\b"
    r"(?!, [a-z])[^\n{\[<]*",
    re.IGNORECASE,
)
_EXCEPTION: Final = re.compile(
    r"^(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt|Fault|Timeout"
    r"|Exceeded|Denied|NotFound|Expired|Limit|Entity|Full|Invalid|Unavailable)\b ?(?:[0-9]{3})?"
    r"(?:[:(]|$)"
)
_STACK: Final = re.compile(
    r"^Traceback \(most recent call last\)|^\s{1,8}at [\w.$<>]{1,200}\("
    r"|^\s{1,8}at .{1,200}:[0-9]{1,6}:[0-9]{1,6}\)?$",
    re.MULTILINE,
)
_ERROR_PAGE: Final = re.compile(r"\b([45][0-9]{2})\b")
_ENTRY: Final = re.compile(
    r"^\s*(?:[-*•(#]|\[(?!Errno)|(?![45][0-9]{2}\b)[0-9]{1,4}[-:./)]|\S{1,120}:[0-9]+[:-]"
    r"|[一二三四五六七八九十]、|[QA问答][:：])"
)
_FIELD: Final = re.compile(r"\s*[\w -]{1,30}[:：]\s")
_SHORT: Final = 420
_ONE_LINE: Final = 160
_LITTLE: Final = 1_000
"""Characters of a page that is no article."""


def split_http(text: str) -> tuple[int | None, str]:
    """Split a response into its HTTP status (None if it does not begin with one) and the rest."""
    match = _HTTP.match(text[:400])
    if not match:
        return None, text
    return int(match[1]), text[match.end() :].strip()


def judge_html(text: str) -> Failure | None:
    """Judge a page by its title and headings, and by its text where it has little."""
    page = read_page(text)
    for heading in page.headings[:3]:
        normal = normalise(heading)
        code = _ERROR_PAGE.search(normal)
        if len(heading) > 60:
            continue
        if (code and _is_error_title(normal)) or (
            opens(without_harmless(normal)) and len(page.text) <= _LITTLE
        ):
            status = int(code[1]) if code else None
            return Failure(message=f"{heading}. {page.text[:300]}".strip(), status=status)
    normal = without_harmless(normalise(page.text))
    if len(page.text) <= _SHORT and (_says_no(normal) or says(normal, "in_the_way")):
        return Failure(message=" ".join((*page.headings[:1], page.text)))
    return None


def _is_error_title(normal: str) -> bool:
    rest = _ERROR_PAGE.sub(" ", normal)
    return len(rest.split()) <= 3 or (len(rest.split()) <= 5 and says(rest, "statement"))


def judge_text(text: str, context: ToolContext) -> Failure | None:
    """Judge plain text by what kind of tool said it."""
    stripped = text.strip()
    if not stripped:
        return None
    if _EXCEPTION.match(stripped[:600]) and not context.command.pure and not _is_file(context):
        return Failure(message=error_lines(stripped) or stripped)
    role = context.role
    if role in (Role.SHELL, Role.CODE, Role.CHECKER):
        return judge_output(stripped, context)
    if role in (Role.READ, Role.STATUS, Role.TRANSFORM):
        return _content(stripped, context)
    if _STACK.search(stripped[:20_000]):
        return Failure(message=error_lines(stripped) or shorten(stripped, 600))
    normal = without_harmless(context.unsaid(normalise(without_names(stripped))))
    if not normal or (role is not Role.ACT and says(normal, "empty")):
        return None
    if says(normal, "opens_well") and not says(normal, "contrast"):
        return None
    if role is Role.AGENT:
        busy = is_short(stripped) and says(normal, "statement") and says(normal, "again_later")
        gave_up = busy or says(normal, "gave_up")
        return Failure(message=shorten(stripped, 600)) if gave_up else None
    if is_short(stripped) and _in_part(normalise(stripped), normal, context):
        return Failure(message=stripped, partial=True)
    if opens(normal):
        return Failure(message=shorten(stripped, 600))
    if role is Role.SQL or not is_short(stripped):
        return None
    lines = stripped.count("\n")
    if role is Role.ACT and (says(normal, "statement") or says(normal, "unmet")):
        return Failure(message=stripped)
    if lines == 0 and says(normal, "statement"):
        return Failure(message=stripped)
    return None


def _is_state(normal: str) -> bool:
    """Whether a text is no more than the name of a state."""
    return len(normal.split()) == 1 and len(normal) <= (12 if normal.isascii() else 3)


def _is_record(text: str) -> bool:
    """Whether a text is lines of `name: value`, which is data."""
    lines = text.splitlines()
    return len(lines) > 1 and all(_FIELD.match(line) for line in lines)


def _in_part(whole: str, normal: str, context: ToolContext) -> bool:
    """Whether an action says that some of it failed, or an update that it met no row."""
    updates = context.role is Role.ACT or says(context.said, "updates")
    if updates and says(whole, "no_rows"):
        return True
    return context.role is not Role.SQL and says(normal, "counted")


def is_short(text: str) -> bool:
    """Whether a text is a message rather than content."""
    return len(text) <= _SHORT and text.count("\n") < 6


def _says_no(normal: str) -> bool:
    return says(normal, "statement") and not says(normal, "empty")


def _is_file(context: ToolContext) -> bool:
    return context.raw and context.role in (Role.READ, Role.TRANSFORM)


def _of_the_tool(whole: str, context: ToolContext) -> bool:
    """Whether a tool that reads others' words speaks of itself, or of what it was asked for."""
    return len(whole) <= _ONE_LINE and (
        says(whole, "of_itself") or context.names(whole) or context.names_object(whole)
    )


def _content(text: str, context: ToolContext) -> Failure | None:
    """Judge what a search, a file or a translation returned: only the tool's own short word."""
    if is_short(text) and not _is_file(context) and says(normalise(text), "in_the_way"):
        return Failure(message=text)
    if not is_short(text) or text.count("\n") > (0 if context.raw else 2):
        return None
    listed = _ENTRY.match(text) or text.count("、") >= 2
    if listed and context.role is not Role.TRANSFORM:
        return None
    normal = without_harmless(context.unsubjected(normalise(without_names(text))))
    if not normal or not _says_no(normal) or says(normal, "all_well") or _is_record(text):
        return None
    foreign = context.raw or context.quoted or context.role is Role.TRANSFORM
    if not foreign and "\n" not in text and says(normal, "no_effect"):
        return Failure(message=text)
    if context.role is Role.TRANSFORM:
        own = says(normal, "transform_failed")
    elif _is_state(normal):
        own = False
    elif context.quoted:
        own = is_trouble(normal) and _of_the_tool(normalise(text), context)
    elif context.role is Role.STATUS:
        own = says(normal, "hard_opening") or (is_trouble(normal) and context.names(normal))
    elif context.raw:
        own = is_trouble(normal) and says(normal, "about_tool")
        own = own or says(normal, "unreadable")
    else:
        one_line = len(text) <= _ONE_LINE and "\n" not in text
        if "\n" in text:
            own = says(normal, "hard_opening") or says(normal, "about_tool")
        else:
            own = opens(normal) or says(normal, "about_tool") or (one_line and is_trouble(normal))
    if not own or says(without_harmless(context.said), "statement"):
        return None
    return Failure(message=text)
