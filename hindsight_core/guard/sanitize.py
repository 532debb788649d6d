"""Makes a stored text safe to stand in a prompt: one visible line that opens and closes nothing.

Used on output, whatever was checked on input: a text that was stored before a rule existed, or by
somebody else, goes through the same door.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["sanitize"]

_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)?|.)?")
# Control and format signs (Unicode categories Cc and Cf), fillers that show nothing, tag
# characters, lone surrogates. Tab and line breaks are made into spaces before.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4"
    "\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\uffff\ud800-\udfff\U000110bd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
# Joiners belong into emoji and into the scripts of India and Arabia; a selector follows one sign.
_STRAY_JOINER: Final = re.compile(
    "(?<![\u0600-\u08ff\u0900-\u0dff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
    "|[\u200c\u200d](?![\u0600-\u08ff\u0900-\u0dff\u2190-\u2bff\U0001f000-\U0001faff])"
)
_STRAY_SELECTOR: Final = re.compile("(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
_MARKS: Final = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u20d0-\u20ff"
_PILED_MARKS: Final = re.compile(f"([{_MARKS}]{{3}})[{_MARKS}]+")
_LINE_BREAK: Final = re.compile("[ \t]*(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])\\s*")
_LINE: Final = " ⏎ "

# "a < b" and "<3" stay as they are; what could be a tag or a template's token does not.
_TAG: Final = re.compile(
    "[<＜﹤‹](?=\\s*[/!?|<＜\\\\$%@\\w\"'\\-\\[(【])(?!\\s*\\d+(?:[\\s.,;)]|$))"
)
_TOKEN_END: Final = re.compile(r"\|(?=[>＞])")
_BRACKET: Final = re.compile(
    r"[\[【](\s*/?\s*(?:INST|SYS|SYSTEM|USER|ASSISTANT|HUMAN|TOOL|END|BEGIN|系统|系統|指令|用户|用戶|助手)"
    r"[^\]】\n]{0,24})[\]】]",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"((?:^|⏎|[.!?。！？;；])\W{0,8})"
    r"(system|assistant|user|human|developer|operator|tool|ai|"
    r"系统|系統|助手|助理|用户|用戶|开发者|開發者|管理员|管理員|人类|人類)"
    r"((?:\s*(?:prompt|message|note|override|提示|提示词|消息|指令))?[\s*_\"'”」】\])]{0,6})[:：∶﹕]",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_RULER: Final = re.compile(r"([=\-_*—]{2})[=\-_*—]+|(#)#+")


def sanitize(text: str) -> str:
    """Return the text as one line that a model reads as data.

    Invisible, bidirectional and control signs are gone, line breaks shown as ⏎, tags and template
    tokens escaped (`<` as `&lt;`), brackets of roles made round, the colon after a role's name made
    a dash, fences and rulers shortened. Ordinary prose and code stay readable. Idempotent, linear,
    never raises for any string.
    """
    text = _ESCAPES.sub("", text)
    text = _LINE_BREAK.sub(_LINE, text.strip()).replace("\t", " ")
    text = _UNSEEN.sub("", text)
    text = _STRAY_SELECTOR.sub("", _STRAY_JOINER.sub("", text))
    text = _PILED_MARKS.sub(r"\1", text)
    text = _RULER.sub(r"\1\2", _FENCE.sub("''", text))
    text = _TOKEN_END.sub("¦", _TAG.sub("&lt;", text))
    text = _BRACKET.sub(r"(\1)", text)
    return _ROLE.sub(r"\1\2\3 –", text).strip()
