"""Find values that are assigned to a name that says secret, in code, settings, prose and flags.

`api_key = "…"`, `"password": "…"`, `--token …`, `Authorization: Bearer …`, "my password is …",
密码：…. A value is judged too: a variable, a mask or an ordinary word is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight_core.capture.redaction.checks import is_placeholder
from hindsight_core.capture.redaction.labels import (
    OTHER_HEADS,
    SHORT_CODES,
    fits,
    is_bare_key,
    secret_type,
    words_of,
)
from hindsight_core.capture.redaction.spans import Finding
from hindsight_core.capture.redaction.values import (
    assigned_value,
    end_of_value,
    is_code,
    is_password,
    is_random,
)
from hindsight_core.capture.redaction.words import (
    LANGUAGES,
)

__all__ = ["find_assigned", "name_around", "without_scheme"]

_STEMS: Final = ("pass", "pw", "pswd", "secret", "token", "key", "cred", "auth", "cookie", "sess",
                 "jwt", "bearer", "otp", "cvv", "cvc", "pin")  # fmt: skip
"""What every name of `SECRET_HEADS` has in it: looked for first, since it is cheap."""
_OTHER_STEM: Final = re.compile("|".join(OTHER_HEADS))
_NAME_SIGNS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_NAME_REST: Final = re.compile(r"[A-Za-z0-9_-]{0,60}")


_WORD_BEFORE: Final = re.compile(r"([A-Za-z]{2,16})[ -]\Z")


def _copulas(*, spaced: bool) -> str:
    words = [word for lang in LANGUAGES if lang.spaced is spaced for word in lang.copulas]
    words.sort(key=len, reverse=True)  # "was changed to" is tried before "was"
    return "|".join(re.escape(word).replace(r"\ ", "[ ]") for word in words)


_OPERATOR: Final = re.compile(
    rf"""
    (?:[\\"'`\]\)*_]{{0,4}}(?:[ \t]?[\[(][^\])\n]{{0,20}}[\])])?\s{{0,3}}(?:
        (?::[ \t]?[A-Za-z_][\w.\[\]|]{{0,30}}[ \t]=(?!=)      # password: str = "…"
        |=>|:{{1,3}}=|={{1,3}}|->|\|\||:|：|＝)(?P<strong>)
        |(?<=["'])[ \t]?,(?=[ \t]?["'])(?P<comma>)            # ("password", "…")
        |(?<=["'])\s{{1,3}}value\s?=(?P<attribute>)             # name="password" value="…"
        |>(?P<tag>)                                           # <password>…
    ))\s{{0,5}}
    |(?:[ \t]+(?:for|of|to|on)[ \t]+[^\n:=.!?，。]{{1,40}}?)?  # the password for the wifi is …
        (?:[ \t]+(?:{_copulas(spaced=True)})|['’]s)[ \t]*:?[ \t]+(?P<prose>)
    |[\u4e00-\u9fff]{{0,6}}?(?:{_copulas(spaced=False)})[：:]?[ \t]{{0,3}}(?P<unspaced>)
    |[ ](?P<space>)
    """,
    re.VERBOSE,
)
_SCHEME: Final = re.compile(
    r"(?:bearer|basic|token|apikey|api-key|key|negotiate|digest)[ \t]+(?=\S)", re.IGNORECASE
)
_COOKIES: Final = re.compile(
    r"\\{0,3}[\"']?([A-Za-z0-9_.%$-]{1,64}=[^\s\"'\\][^\r\n\"'\\]{0,4096})"
)
_ASCII: Final = re.compile(r"[!-~]+")
_MIXED: Final = re.compile(
    r"[\u4e00-\u9fff]{1,12}(?=[!-~]{0,20}\d)[!-+\--~]{3,40}(?![\u4e00-\u9fff])"
)
"""A password that begins with Chinese words and ends with signs; what goes on is a sentence."""
_ASCII_AHEAD: Final = re.compile(r"[\"'`“(]?[!-~]")


def find_assigned(text: str, lower: str) -> Iterator[Finding]:
    """Yield values of names that say secret; `lower` is the text in lower case, as long as it."""
    done = 0
    for start, end in sorted(_stems(lower)):
        if start < done:
            continue
        start, done = name_around(text, start, end)
        found = _of_name(text, start, done)
        if found:
            yield found
            done = max(done, found.end)
    if not text.isascii():
        yield from _of_other_language(text)


def _stems(lower: str) -> Iterator[tuple[int, int]]:
    for stem in _STEMS:
        at = lower.find(stem)
        while at >= 0:
            yield at, at + len(stem)
            at = lower.find(stem, at + len(stem))


def name_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a place in a name to the whole name, by 60 characters at most to either side."""
    before = text[max(0, start - 60) : start]
    rest = _NAME_REST.match(text, end)
    return start - len(before) + len(before.rstrip(_NAME_SIGNS)), rest.end() if rest else end


def _of_name(text: str, start: int, end: int) -> Finding | None:
    name = text[start:end]
    if name.lower() in ("key", "keys"):
        before = _WORD_BEFORE.search(text, max(0, start - 20), start)
        name = f"{before.group(1)}_{name}" if before else name
    kind = secret_type(name)
    operator = _OPERATOR.match(text, end) if kind else None
    if kind is None or operator is None:
        return None
    how = operator.lastgroup
    flag = name.startswith("-")
    if how == "comma" and text[max(0, start - 1) : start] not in ("'", '"'):
        return None
    at = operator.end()
    if name.lower() in ("cookie", "set-cookie"):
        jar = _COOKIES.match(text, at)
        return Finding("cookie", *jar.span(1)) if jar and not is_placeholder(jar.group(1)) else None
    if how != "strong" and words_of(name)[-1] == "pass":
        return None
    scheme = _SCHEME.match(text, at) if kind == "token" else None
    value = assigned_value(
        text, scheme.end() if scheme else at, in_query=start > 0 and text[start - 1] in "?&"
    )
    if value is None:
        return None
    quoted, first, last = value
    found = text[first:last]
    if not quoted and is_code(found):
        return None
    if scheme and how == "strong" and len(found) >= 8 and not _WORDS_ONLY.fullmatch(found):
        return (
            None if is_placeholder(found) else Finding(kind, first, end_of_value(text, first, last))
        )
    if how == "tag" and not (text.startswith("<", last) and text.endswith("<", 0, start)):
        return None
    sure = how == "strong"
    variable = not quoted and operator.group().startswith(" =")  # and not a word of settings
    if how == "space" and not flag:
        good = _is_said(found, kind, name, quoted=quoted)
    elif kind == "password":
        word = sure and not variable
        good = is_password(found, sure=word, quoted=quoted, after=text[last : last + 1])
        good = good and fits(name, found)
    elif kind == "api_key" and is_bare_key(name):
        good = is_random(found, least=16, bits=3.5)
    else:
        good = is_random(found, least=8, bits=2.75 if sure or flag else 3.0)
    return Finding(kind, first, end_of_value(text, first, last)) if good else None


def _of_other_language(text: str) -> Iterator[Finding]:
    """Yield values after words of a language that is not spelt in names; they are in ASCII."""
    done = 0
    for match in _OTHER_STEM.finditer(text):
        operator = _OPERATOR.match(text, match.end())
        at = operator.end() if operator else match.end()
        if match.start() < done:
            continue
        if operator and (mixed := _MIXED.match(text, at)):
            done = mixed.end()
            yield Finding(OTHER_HEADS[match.group()], mixed.start(), done)
            continue
        if not _ASCII_AHEAD.match(text, at):
            continue
        value = assigned_value(text, at)
        if value is None:
            continue
        quoted, first, last = value
        if not quoted and (ascii_part := _ASCII.match(text, first, last)):
            last = ascii_part.end()
        found, kind = text[first:last], OTHER_HEADS[match.group()]
        if not quoted and is_code(found):
            continue
        if kind == "password":
            good = is_password(found, sure=False, quoted=quoted, after=text[last : last + 1])
        else:
            good = is_random(found, least=8, bits=2.75)
        if good:
            done = end_of_value(text, first, last)
            yield Finding(kind, first, done)


def _is_said(value: str, kind: str, name: str, *, quoted: bool) -> bool:
    """Whether what just follows the name in prose, as in "use password hunter2", is its value."""
    if kind != "password":
        return is_random(value, least=12, bits=3.0)
    if words_of(name)[-1] in (*SHORT_CODES, "passcode"):
        return value.isdecimal() and 4 <= len(value) <= 8
    digit, letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    return (
        len(value) >= 6
        and digit
        and letter
        and is_password(value, sure=False, quoted=quoted, after="")
    )


_WORDS_ONLY: Final = re.compile(r"[a-z]+(?:[-_][a-z]+)*")


def without_scheme(value: str) -> str:
    """Return the credential of an `Authorization` header without the word before it."""
    scheme = _SCHEME.match(value)
    return value[scheme.end() :] if scheme else value
