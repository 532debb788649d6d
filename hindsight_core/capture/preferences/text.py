"""What of a text is the user's own statement: quotes, code and logs masked, the rest in sentences.

Masking keeps the length: every masked character becomes `MASK`, so that an offset in the masked
text is one in the original. All patterns are bounded, so time grows linearly with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["MASK", "MAX_CONSIDERED", "MAX_SENTENCE", "Sentence", "mask", "sentences", "window"]

MASK: Final = "\ue000"
"""Stands for each character that somebody else wrote; of the private use area, in no word."""
MAX_CONSIDERED: Final = 8192
"""Characters of one text that are judged: two thirds from its head, one third from its tail."""
MAX_SENTENCE: Final = 400
"""A longer sentence is a paste, not a statement, and is passed over rather than cut in half."""

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BLOCK_TAG: Final = re.compile(r"<([a-z][\w.-]{0,40})\b[^<>\n]{0,200}>", re.IGNORECASE)
_PAIRS: Final = re.compile(
    r"“[^”\n]{0,600}”|‘[^’\n]{2,600}’(?!\w)|「[^」\n]{0,600}」|『[^』\n]{0,600}』"
    r"|«[^»\n]{0,600}»|\"[^\"\n]{0,600}\"|`[^`\n]{1,300}`"
    r"|(?<![\w'])'(?=\S)(?:[^'\n]|(?<=\w)'(?=\w)){2,300}'(?!\w)"
)
_FOREIGN_LINE: Final = re.compile(
    r"[ \t]*(?:>"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b(?!\s*[,.!?])"
    r"|Traceback \(|File \"|at [\w.$<>]{1,120}\(|[\w.]{1,80}(?:Error|Exception)\b\s*[:(]"
    r"|(?:#|//|/\*|\*/|<!--|--\s)"
    r"|[$%]\s\S"
    r"|(?:def|class|import|from|return|const|let|var|function|public|private|package|elif|while)\s"
    r"[\w.{*]{1,60}\s?[({:=;.]"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|ALTER|CREATE|DROP)\s{1,4}[A-Z*]"
    r"|(?:if|for|while|switch)\s{0,2}\([^\n]{0,200}\)\s{0,2}[{;]?"
    r"|[a-z]{1,30}(?:[A-Z][a-z]{0,30}|[._-][a-z]{1,30})[\w.-]{0,60}\s{0,2}[:=]"
    r"|[A-Z][A-Z0-9_]{2,60}=|[{}\[\]]\s{0,4}$|\"[\w.-]{1,60}\"\s{0,2}:"
    r"|(?:git|npm|pnpm|yarn|pip|uv|docker|kubectl|curl|sudo|cargo|brew|apt|cd|ls|rm)\s{1,3}"
    r"(?:[a-z-]{1,20}\s{1,3}){0,2}--?[a-z](?![^\n]{0,400}[\u3400-\u9fff]))"
)
_FORWARDED: Final = re.compile(
    r"^[ \t]{0,8}(?:-{2,8}\s?)?(?:(?:fwd?|fw|from|sent|subject|cc)[ \t]?:"
    r"|(?:begin )?forwarded message|original message"
    r"|(?:on [^\n]{4,80} )?[\w.' -]{2,40} wrote:[ \t]*$"
    r"|发件人|寄件人|寄件者|转发|轉發|主题|主旨|抄送|以下是转发"
    r"|[\u4e00-\u9fff]{2,4}(?:写道|寫道|来信|說|说)[：:][ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""The head of a message of somebody else, which goes on to the end of the text."""
_CODE_SIGN: Final = re.compile(
    r"[{}\[\]\\|=<>_*+]|&&|=>|->|::|\w\(|\);?\s{0,4}$|;\s{0,4}$|\w\.\w{1,40}\("
)
_CODE_SHARE: Final = 0.05
"""A line is code when so many of its characters, and at least three, are signs of code."""
_END: Final = re.compile(r"[。！？!?…]{1,8}[”’」』）)\"']?|\.{1,6}[\"')]?(?=\s|$)|\n")
_BULLET: Final = re.compile(
    r"[\s\-*•·–—>]{0,12}(?:\(?(?:\d{1,2}|[a-z])[.)、](?!\d)\s{0,4}"
    r"|[一二三四五六七八九十]、)?\s{0,8}"
)
_INITIAL: Final = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.?|\b[A-Z]\.) ?[A-Z]\.\Z")
"""The end of "Dr. T." and "J. R.": a name goes on."""
_ABBREVIATIONS: Final = ("e.g.", "i.e.", "etc.", "vs.", "mr.", "mrs.", "ms.", "dr.", "prof.", "no.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence: `raw` as it was written, `masked` with what others wrote masked."""

    raw: str
    masked: str
    line: int


def window(text: str) -> str:
    """Return the head and tail of a text that is longer than `MAX_CONSIDERED` characters.

    Both are cut at the end of a sentence, so no statement is seen in half.
    """
    if len(text) <= MAX_CONSIDERED:
        return text
    head = text[: MAX_CONSIDERED * 2 // 3]
    tail = text[-(MAX_CONSIDERED // 3) :]
    ends = [found.end() for found in _END.finditer(head)]
    first = _END.search(tail)
    head = head[: ends[-1]] if ends else ""
    tail = tail[first.end() :] if first else ""
    return f"{head}\n{tail}"


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        parts += (text[at:start], "".join(c if c == "\n" else MASK for c in text[start:end]))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _unwrapped(text: str) -> str:
    """Blank the marks of a text that is one single quotation: then it is the user's statement."""
    body = text.strip()
    for opening, closing in ('""', "“”", "「」"):
        inner = body[1:-1]
        if len(body) > 2 and body[0] == opening and body[-1] == closing:
            if opening in inner or closing in inner:
                return text
            return text.replace(opening, " ", 1)[::-1].replace(closing, " ", 1)[::-1]
    return text


def _tagged(text: str) -> list[tuple[int, int]]:
    """Spans of `<tag> ... </tag>`, each found with one forward search for its closing tag."""
    spans: list[tuple[int, int]] = []
    at = 0
    lowered = text.lower()
    missing: set[str] = set()
    while found := _BLOCK_TAG.search(text, at):
        name = found[1].lower()
        end = -1 if name in missing else lowered.find(f"</{name}>", found.end())
        if end < 0:
            missing.add(name)
            spans.append(found.span())
            at = found.end()
        else:
            at = end + len(name) + 3
            spans.append((found.start(), at))
    return spans


def mask(text: str) -> str:
    """Mask code fences, tagged blocks, foreign lines (quoted, log, code) and quotations."""
    masked = _unwrapped(text)
    if (head := _FORWARDED.search(masked)) is not None:
        masked = _blank(masked, [(head.start(), len(masked))])
    if "```" in masked or "~~~" in masked:
        masked = _blank(masked, (found.span() for found in _FENCE.finditer(masked)))
    if "<" in masked:
        masked = _blank(masked, _tagged(masked))
    lines = masked.split("\n")
    for index, line in enumerate(lines):
        head = line[:MAX_SENTENCE].replace(MASK, "")
        signs = len(_CODE_SIGN.findall(head))
        if _FOREIGN_LINE.match(line) or signs >= max(3, _CODE_SHARE * len(head)):
            lines[index] = MASK * len(line)
    masked = "\n".join(lines)
    return _blank(masked, (found.span() for found in _PAIRS.finditer(masked)))


def _is_cut_short(text: str) -> bool:
    """Whether the full stop at the end is one of an abbreviation or an initial."""
    return text.lower().endswith(_ABBREVIATIONS) or _INITIAL.search(text[-12:]) is not None


def sentences(text: str, masked: str) -> list[Sentence]:
    """Cut a text and its masked twin, of equal length, into sentences without bullets."""
    found: list[Sentence] = []
    start = line = 0
    ends = [(m.start(), m.end(), m[0]) for m in _END.finditer(masked)]
    for stop, end, sign in [*ends, (len(masked), len(masked), "")]:
        if sign.startswith(".") and _is_cut_short(masked[start:end]):
            continue
        lead = _BULLET.match(masked, start, stop)
        begin = lead.end() if lead else start
        cut = masked[begin:end].rstrip()
        raw = text[begin : begin + len(cut)]
        if cut.strip(MASK + " \t\r\n.。!！?？…") and len(cut) <= MAX_SENTENCE:
            found.append(Sentence(raw=raw, masked=cut, line=line))
        line += sign == "\n"
        start = end
    return found
