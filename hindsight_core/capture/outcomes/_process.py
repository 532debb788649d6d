"""What processes print, and what their exit codes say."""

from __future__ import annotations

import re
from typing import Final

from hindsight_core.capture.outcomes._context import Role, ToolContext
from hindsight_core.capture.outcomes._failure import Failure
from hindsight_core.capture.outcomes._names import without_names
from hindsight_core.capture.outcomes._tables import normalise, opens, says, without_harmless
from hindsight_core.text import shorten

__all__ = ["error_lines", "exit_code_of", "judge_output", "judge_process"]

_EXIT: Final = re.compile(
    r"^[^\w\n]{0,4}(?:[\w ,]{0,40}?\b(?:exit(?:ed)?|returned)(?: with)?(?: (?:non-?zero|unix))?"
    r"(?: exit)?[ _-]?(?:code|status)?|exit ?code|exit status|returncode"
    r"|退出(?:码|状态|代码)|返回码)"
    r"[ :：=]{0,3}(-?[0-9]{1,3})\b",
    re.IGNORECASE | re.MULTILINE,
)
_TRACEBACK: Final = "Traceback (most recent call last)"
_EXCEPTION_LINE: Final = re.compile(
    r"^(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt|Fault|Timeout)\b"
    r"[^\n]{0,600}",
    re.MULTILINE,
)
_OWN_NAME: Final = re.compile(r"^(/[\w./-]{1,80}|\w[\w.-]{0,20})(?:: line [0-9]{1,6})?: ")
_NOT_RUN: Final = frozenset({124, 126, 127, 134, 137, 139, 143})
"""Exit codes that say that a command did not run to its end."""
_SHELLS: Final = ("bash", "sh", "zsh", "dash", "ksh")
_LINES: Final = 40
"""Lines of a long output that are read at its beginning, and at its end."""
_LINE: Final = 300
_SHORT: Final = 420


def exit_code_of(text: str) -> int | None:
    """Return the exit code that a text states at the beginning of one of its lines."""
    for part in (text[:400], text[-300:]):
        if match := _EXIT.search(part):
            return int(match[1])
    return None


def judge_process(exit_code: int, out: str, err: str, context: ToolContext) -> Failure | None:
    """Judge a process by its exit code; some codes are answers, as grep's 1 is."""
    if exit_code == 0:
        hidden = "" if out.strip() else error_lines(err)
        return Failure(message=hidden) if hidden else None
    command = context.command
    if command.answers(exit_code) and not err.strip():
        return None
    built = not says(normalise(out), "build_failed")
    checks = command.checker or context.role is Role.CHECKER
    if checks and built and exit_code not in _NOT_RUN and _is_report(out):
        return None
    message = error_lines(err) or error_lines(out) or err or out or f"exit code {exit_code}"
    return Failure(message=shorten(message.strip(), 1_000), exit_code=exit_code)


def _is_report(out: str) -> bool:
    """Whether a checker says what it found, and not that it could not run."""
    normal = normalise(out)
    return says(normal, "report") and not (out.count("\n") < 4 and says(normal, "broken"))


def error_lines(text: str) -> str:
    """Return the lines that tell the error: the last exception, else those that are loud."""
    last = _EXCEPTION_LINE.findall(text[-20_000:])
    if last:
        return last[-1].strip()
    loud = [line for line in _lines(text) if says(normalise(line), "loud")]
    return "\n".join(loud[:4])


def _lines(text: str) -> list[str]:
    lines = [line[:_LINE] for line in text[:20_000].splitlines() if line.strip()]
    if len(text) > 20_000:
        lines += [line[:_LINE] for line in text[-8_000:].splitlines()[1:] if line.strip()]
    return lines if len(lines) <= 2 * _LINES else lines[:_LINES] + lines[-_LINES:]


def judge_output(text: str, context: ToolContext) -> Failure | None:
    """Judge what a command printed, where no exit code came with it."""
    command = context.command
    lines = _lines(text)
    if command.content:
        told = lines if command.filters else lines[:1]
        own = len(lines) <= 6 and all(_is_own_word(line, context) for line in told)
        return Failure(message=text) if own else None
    normal = without_harmless(normalise(without_names(text)))
    if context.role is Role.CODE:
        return _code_output(text, normal)
    loud = error_lines(text)
    if command.checker or context.role is Role.CHECKER:
        if says(normal, "build_failed"):
            return Failure(message=loud or shorten(text, 600))
        few = len(lines) <= 3 and not says(normal, "report")
        failed = says(normal, "broken") or says(normal, "cut_off") or _TRACEBACK in text
        return Failure(message=loud or text) if few and failed else None
    if _TRACEBACK in text:
        return Failure(message=loud)
    last = without_harmless(normalise(lines[-1]))
    if says(last, "good_end") and not says(last, "statement"):
        return None
    short = len(text) <= _SHORT and len(lines) <= 6
    if loud:
        return Failure(message=text if short else loud)
    if says(normal, "counted"):
        return Failure(message=shorten(text, 600), partial=True)
    name = _OWN_NAME.match(lines[0])
    complains = name is not None and name[1] in command.names and len(lines) <= 2
    if complains and without_harmless(normalise(text)) == normalise(text).strip():
        return Failure(message=text)
    if opens(normal) or (short and says(normal, "statement") and not says(normal, "empty")):
        return Failure(message=shorten(text, 600))
    return None


def _code_output(text: str, normal: str) -> Failure | None:
    if _TRACEBACK in text:
        return Failure(message=error_lines(text) or shorten(text, 600))
    last = _EXCEPTION_LINE.findall(text[-2_000:])
    if last and text.rstrip().endswith(last[-1].strip()):
        return Failure(message=last[-1])
    opened = len(text) <= _SHORT and opens(normal) and not says(normal, "empty")
    return Failure(message=text) if opened else None


def _is_own_word(line: str, context: ToolContext) -> bool:
    """Whether a line is the command's own complaint, and not what it was asked to print."""
    normal = normalise(line)
    name = _OWN_NAME.match(line)
    if name and name[1] in (*_SHELLS, *context.command.names):
        return says(normal, "statement")
    if context.command.filters:
        return False
    return says(normal, "own_word_pure" if context.command.pure else "own_word")
