"""Results that are text: process output, HTTP and HTML, tracebacks, and plain sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hindsight_core.capture.outcomes_context import Role, ToolContext
from hindsight_core.capture.outcomes_failure import Failure
from hindsight_core.capture.outcomes_html import read_page
from hindsight_core.capture.outcomes_rules import Phrases, normalise
from hindsight_core.capture.outcomes_tables import LANGUAGES, found
from hindsight_core.text import shorten

__all__ = ["exit_code_of", "judge_html", "judge_process", "judge_text", "split_http"]

_HTTP: Final = re.compile(
    r"\s*(?:HTTP(?:/[0-9.]+)?|status(?: code)?:?|状态码[:：]?)[ :]*([1-5][0-9]{2})\b[^\n{\[<]*",
    re.IGNORECASE,
)
_EXIT: Final = re.compile(
    r"^[^\w\n]{0,4}(?:[\w ,]{0,40}?\b(?:exit(?:ed)?|returned)(?: with)?(?: (?:non-?zero|unix))?"
    r"(?: exit)?[ _-]?(?:code|status)?|exit ?code|exit status|returncode|退出(?:码|状态|代码)"
    r"|返回码)"
    r"[ :：=]*(-?[0-9]{1,3})\b",
    re.IGNORECASE | re.MULTILINE,
)
_TRACEBACK: Final = re.compile(r"Traceback \(most recent call last\)")
_EXCEPTION: Final = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Fault|Timeout|Exceeded|Denied"
    r"|NotFound|Expired|Limit|Entity|Full|Invalid|Unavailable)\b ?(?:[0-9]{3})?(?:[:(]|$)[^\n]*"
)
_LAST_EXCEPTION: Final = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Fault|Timeout)\b.*$",
    re.MULTILINE,
)
_JAVA: Final = re.compile(r"^\s+at [\w.$<>]+\(", re.MULTILINE)
_NODE: Final = re.compile(r"^\s+at .{1,200}:[0-9]+:[0-9]+\)?$", re.MULTILINE)
_ERROR_PAGE: Final = re.compile(r"\b([45][0-9]{2})\b")
_OWN_WORD: Final = re.compile(
    r"^(?:bash|sh|zsh|dash|ksh|/[\w./-]+|\w[\w.-]{0,20})(?:: line [0-9]+)?: "
)
_LOUD: Final = re.compile(
    r"^\W{0,4}(?:[\w./@ -]{1,40}: ){0,3}(?:\w+ )?(?:error|fatal|err!|e)(?:\[\w+\])?:\s|^npm err"
    r"|^error(?: from| response| \d|s? occurred)|^error\b|^fatal\b|command not found"
    r"|no such file or directory"
    r"|permission denied|segmentation fault|core dumped|^killed$|未找到命令|^错误[:：]|^致命错误"
    r"|没有那个文件"
    r"|\[rejected\]|build failure|^panic: |cannot connect to|could not resolve host"
)
_GOOD_END: Final = re.compile(
    r"\b(?:success\w*|passed|ok|done|completed?|installed|finished|up to date|created|saved"
    r"|built in"
    r"|0 errors?)\b|成功|完成|通过"
)
_COUNTED: Final = re.compile(
    r"\b(?:failed|failures?|unreachable|errors?)\s*[=:]\s*[1-9]|\b[1-9]\d* (?:failed|errors?"
    r"|failures?)\b"
    r"|[1-9]\d* ?[个条项]\S{0,4}(?:失败|错误)"
)
_SHORT: Final = 420


def _without_harmless(text: str) -> str:
    for language in LANGUAGES:
        text = language.harmless.sub(" ", text)
    return text.strip()


def _says(text: str, kind: Callable[[Phrases], re.Pattern[str]]) -> bool:
    return bool(found(text, kind))


def _opens(text: str) -> bool:
    """Whether a text begins as a report of failure."""
    head = text.lstrip(" \t\r\n#>*-—✖✗❌⚠️!【[(\"'“")
    return any(language.opening.match(head) for language in LANGUAGES)


def split_http(text: str) -> tuple[int | None, str]:
    """Split a response into its HTTP status (None if it does not begin with one) and the rest."""
    match = _HTTP.match(text[:400])
    if not match:
        return None, text
    return int(match[1]), text[match.end() :].strip()


def exit_code_of(text: str) -> int | None:
    """Return the exit code that a text states at the beginning of one of its lines."""
    for part in (text[:400], text[-300:]):
        if match := _EXIT.search(part):
            return int(match[1])
    return None


def judge_process(exit_code: int, out: str, err: str, context: ToolContext) -> Failure | None:
    """Judge a process by its exit code; some codes are answers, as grep's 1 is."""
    if exit_code == 0:
        return None
    command = context.command
    if command.answers(exit_code) and not err.strip():
        return None
    if command.checker and exit_code <= 2 and out.strip() and not _says_broken(err or out):
        return None
    message = _error_lines(err) or _error_lines(out) or err or out or f"exit code {exit_code}"
    return Failure(message=shorten(message.strip(), 1_000), exit_code=exit_code)


def _says_broken(text: str) -> bool:
    """Whether a checker did not run at all, rather than found faults."""
    normal = normalise(text)
    return bool(
        re.search(r"usage:|command not found|no such file|no module named|not found", normal)
    )


def _error_lines(text: str) -> str:
    if _TRACEBACK.search(text) or _LAST_EXCEPTION.search(text):
        last = _LAST_EXCEPTION.findall(text[-20_000:])
        if last:
            return last[-1].strip()
    lines = [line for line in text.splitlines()[:400] if line.strip()]
    loud = [line for line in lines if _LOUD.search(normalise(line[:300]))]
    return "\n".join(loud[:4])


def judge_html(text: str) -> Failure | None:
    """Judge a page by its title and headings, and by its text where it has little."""
    page = read_page(text)
    for heading in page.headings[:3]:
        normal = normalise(heading)
        code = _ERROR_PAGE.search(normal)
        if len(heading) <= 60 and (_opens(normal) or (code and _fits(normal))):
            status = int(code[1]) if code else None
            return Failure(message=f"{heading}. {page.text[:300]}".strip(), status=status)
    if len(page.text) <= _SHORT:
        normal = _without_harmless(normalise(page.text))
        if _says(normal, lambda it: it.statement) and not _says(normal, lambda it: it.empty):
            return Failure(message=" ".join((*page.headings[:1], page.text)))
    return None


def _fits(normal: str) -> bool:
    rest = _ERROR_PAGE.sub(" ", normal)
    return len(rest.split()) <= 3 or _says(rest, lambda it: it.statement)


def judge_text(text: str, context: ToolContext) -> Failure | None:
    """Judge plain text by what kind of tool said it."""
    stripped = text.strip()
    if not stripped:
        return None
    role = context.role
    if _EXCEPTION.match(stripped[:400]) and not context.command.pure:
        return Failure(message=_error_lines(stripped) if "\n" in stripped else stripped)
    normal = _without_harmless(normalise(stripped))
    if not normal or _says(normal, lambda it: it.empty):
        return None
    if role in (Role.SHELL, Role.CODE):
        return _process_text(stripped, normal, context)
    if role is Role.READ or role is Role.STATUS or role is Role.TRANSFORM:
        return _content_text(stripped, normal, context)
    if _TRACEBACK.search(stripped) or _JAVA.search(stripped) or _NODE.search(stripped):
        return Failure(message=_error_lines(stripped) or shorten(stripped, 600))
    if _opens(normal):
        return Failure(message=shorten(stripped, 600))
    if _is_short(stripped) and role is not Role.SQL and _says(normal, lambda it: it.statement):
        return Failure(message=stripped)
    return None


def _is_short(text: str) -> bool:
    return len(text) <= _SHORT and text.count("\n") < 6


def _content_text(text: str, normal: str, context: ToolContext) -> Failure | None:
    """Judge what a search, a file or a translation returned: only the tool's own short word."""
    if not _is_short(text) or text.count("\n") > 2:
        return None
    opens = _opens(normal)
    if not (opens or _says(normal, lambda it: it.statement)):
        return None
    if context.role is Role.TRANSFORM:
        if not _says(normal, lambda it: it.transform_failed):
            return None
    elif not _says(normal, lambda it: it.about_tool):
        return None
    asked_for = _says(_without_harmless(context.said), lambda it: it.statement)
    return None if asked_for else Failure(message=text)


def _process_text(text: str, normal: str, context: ToolContext) -> Failure | None:
    command = context.command
    lines = [line for line in text.splitlines() if line.strip()]
    if command.content or command.pure:
        own = [line for line in lines[:3] if _is_own_word(line, context)]
        return Failure(message="\n".join(own)) if own and len(lines) <= 6 else None
    broken = _TRACEBACK.search(text) or _LOUD.search(normalise(lines[0][:300]))
    if context.role is Role.CODE and not broken:
        return Failure(message=text) if _opens(normal) and _is_short(text) else None
    loud = _error_lines(text)
    last = normalise(lines[-1][:300])
    if command.checker:
        broken = len(lines) <= 3 and bool(loud) and _says_broken(loud)
        cut_off = len(lines) <= 3 and _says(normal, lambda it: it.cut_off)
        return Failure(message=loud or text) if broken or cut_off else None
    if _TRACEBACK.search(text):
        return Failure(message=loud)
    if _GOOD_END.search(_without_harmless(last)) and not _LOUD.search(last):
        return None
    if loud:
        return Failure(message=shorten(text, 600) if _is_short(text) else loud)
    if _COUNTED.search(normal):
        return Failure(message=shorten(text, 600), unmet=True)
    if _opens(normal) or (_is_short(text) and _says(normal, lambda it: it.statement)):
        return Failure(message=shorten(text, 600))
    return None


def _is_own_word(line: str, context: ToolContext) -> bool:
    """Whether a line is the command's own complaint, and not what it was asked to print."""
    normal = normalise(line[:300])
    name = _OWN_WORD.match(line)
    if name and (name[0].partition(":")[0] in ("bash", "sh", "zsh", *context.command.names)):
        return _says(normal, lambda it: it.statement)
    return (
        not context.command.pure and bool(_opens(normal)) and _says(normal, lambda it: it.statement)
    )
