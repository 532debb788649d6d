"""Find credentials in a text: by their format, by the name they are assigned to, by their place.

Every search is linear in the text: a cheap mark is looked for first, and what is tried around it is
bounded in length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from hindsight_core.capture.redaction.checks import entropy, has_run, is_placeholder
from hindsight_core.capture.redaction.formats import FORMATS, VENDORS
from hindsight_core.capture.redaction.labels import words_of
from hindsight_core.capture.redaction.names import find_assigned, name_around
from hindsight_core.capture.redaction.phrases import find_told
from hindsight_core.capture.redaction.spans import Finding
from hindsight_core.capture.redaction.values import assigned_value, is_random
from hindsight_core.capture.redaction.words import NOT_A_VALUE

__all__ = ["find_secrets"]


def find_secrets(text: str, lower: str) -> Iterator[Finding]:
    """Yield the credentials in a text; `lower` is the text in lower case, of the same length."""
    if "-----begin" in lower:
        yield from _private_keys(text, lower)
    if text.isascii():
        long = " ".join(word for word in text.split() if len(word) >= _SHORTEST)
    else:
        long = " ".join(_LONG.findall(text))
    if long:
        yield from _formats(text, long)
    if "://" in text and "@" in text:
        yield from _urls(text)
    if "curl" in lower:
        yield from _curl(text, lower)
    if " -" in text:
        yield from _commands(text)
    if "secret" in lower and "data:" in lower:
        yield from _kubernetes(text)
    if "auth" in lower:
        yield from _pairs(text)
    yield from find_assigned(text, lower)
    yield from find_told(text, lower)
    if long:
        for vendor in VENDORS:
            if vendor in lower:
                yield from _of_vendor(text, lower, vendor)


_SHORTEST: Final = 14
"""No format and no random value of a vendor is shorter, in characters without a space."""
_LONG: Final = re.compile(rf"[!-~]{{{_SHORTEST},}}")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a format when it is first needed: all of them would cost an import 0.1 s."""
    return re.compile(pattern)


def _formats(text: str, long: str) -> Iterator[Finding]:
    """Yield what has a format of its own; `long` are the words that are long enough for one."""
    for form in {form.pattern: form for mark, form in _MARKS if mark in long}.values():
        for match in _compiled(form.pattern).finditer(text):
            value = match.group()
            if entropy(value) < form.entropy or (form.sample_free and has_run(value)):
                continue
            if _FILE_ENDING.match(text, match.end()):
                continue
            yield Finding(form.type, match.start(), match.end())


_MARKS: Final = tuple((mark, form) for form in FORMATS for mark in form.marks)
_FILE_ENDING: Final = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|ico|css|js|map|html?)(?![A-Za-z0-9])"
)
_KEY_BLOCK: Final = re.compile(r"-----begin[ a-z0-9_-]{0,60}private key(?: block)?-----")
_KEY_END: Final = re.compile(r"-----end[ a-z0-9_-]{0,60}private key(?: block)?-----")
_KEY_BODY: Final = re.compile(r"(?:\\[nr]|[\sA-Za-z0-9+/=:,-])*")
_KEY_DATA: Final = re.compile(r"[A-Za-z0-9+/=]{20}")


def _private_keys(text: str, lower: str) -> Iterator[Finding]:
    """Yield PEM blocks to their end line, or as far as a block that was cut off goes."""
    last_end = max((match.start() for match in _KEY_END.finditer(lower)), default=-1)
    position = 0
    while begin := _KEY_BLOCK.search(lower, position):
        end = _KEY_END.search(lower, begin.end()) if last_end >= begin.end() else None
        body = _KEY_BODY.match(text, begin.end())
        position = end.end() if end else body.end() if body else begin.end()
        if _KEY_DATA.search(text, begin.end(), position):
            yield Finding("private_key", begin.start(), position)


_URL: Final = re.compile(r"://([^\s/@:'\"<>`]{0,256})(?::([^\s/'\"<>`]{1,256}))?@(?=[\w\[$])")
_DATABASES: Final = re.compile(
    r"(?:postgres\w*|mysql\w*|mariadb|mongodb|redis\w?|amqps?|mssql|sqlserver|oracle|jdbc|clickhouse"
    r"|cockroachdb|neo4j|bolt|ldaps?|nats|kafka)(?:\+\w+)?\Z"
)


def _urls(text: str) -> Iterator[Finding]:
    """Yield user and password of URLs; of a database's, as a connection string."""
    for match in _URL.finditer(text):
        user, password = match.group(1), match.group(2)
        if password is None:
            if not is_random(user, least=16, bits=3.0):
                continue
        elif is_placeholder(password) or password.lower() in NOT_A_VALUE:
            continue
        scheme = re.search(
            r"[A-Za-z0-9+.-]{1,24}\Z", text[max(0, match.start() - 24) : match.start()]
        )
        database = scheme and _DATABASES.search(scheme.group().lower())
        start = match.start() + 3
        yield Finding("connection_string" if database else "password", start, match.end() - 1)


_CURL_USER: Final = re.compile(
    r"""(?<=[\s])(?:-u|--user|--proxy-user|-U)(?:=|[ \t]{0,5})
    (?:"([^"\n]{1,300})"(?::"([^"\n]{1,300})")?|'([^'\n]{1,300})'
    |([^\s"':]{1,200}):(?:'([^'\n]{1,200})'|"([^"\n]{1,200})"|([^\s"']{1,200})))""",
    re.VERBOSE,
)


def _curl(text: str, lower: str) -> Iterator[Finding]:
    """Yield what `curl -u user:password` passes."""
    for match in _CURL_USER.finditer(text, lower.find("curl")):
        whole = match.group(1) or match.group(3)
        if match.group(2):
            user, password = match.group(1), match.group(2)
        elif whole is not None:
            user, colon, password = whole.partition(":")
            if not colon:
                continue
        else:
            user, password = match.group(4), match.group(5) or match.group(6) or match.group(7)
        credential = password or user
        if is_placeholder(f"{user}:{password}") or user.startswith("<"):
            continue
        if len(credential) < 3 or is_placeholder(credential) or credential.lower() in NOT_A_VALUE:
            continue
        first = next(i for i in range(1, 8) if match.group(i) is not None)
        yield Finding("password", match.start(first), match.end())


_COMMAND: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?:mysql|mariadb)\w*[^\n|;&]{0,120}? -p|sshpass[ \t]+-p[ \t]?"
    r"|(?:docker|podman)[ \t]login[^\n|;&]{0,120}? -p[ \t]|redis-cli[^\n|;&]{0,120}? -a[ \t]"
    r"|mongo\w*[^\n|;&]{0,120}? -p[ \t]|(?:un)?zip[^\n|;&]{0,120}? -P[ \t]"
    r"|ldap\w+[^\n|;&]{0,120}? -w[ \t])(?=\S)"
)


def _commands(text: str) -> Iterator[Finding]:
    """Yield passwords that other commands take as a short option."""
    for match in _COMMAND.finditer(text):
        value = assigned_value(text, match.end())
        if value and not is_placeholder(text[value[1] : value[2]]):
            yield Finding("password", value[1], value[2])


_KIND_SECRET: Final = re.compile(r"^[ \t]*[\"']?kind[\"']?:[ \t]*[\"']?Secret\b", re.MULTILINE)
_DATA_ENTRY: Final = re.compile(
    r"^[ \t]+[\w.-]+:[ \t]*(?:[|>][-+]?[ \t]*\n[ \t]+)?"
    r"[\"']?((?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)[\"']?[ \t]*$",
    re.MULTILINE,
)


def _kubernetes(text: str) -> Iterator[Finding]:
    """Yield the values under `data:` of a Kubernetes secret, which are base64."""
    at = 0
    for document in text.split("\n---"):
        data = document.find("data:")
        if data >= 0 and _KIND_SECRET.search(document):
            for match in _DATA_ENTRY.finditer(document, data):
                yield Finding("secret", at + match.start(1), at + match.end(1))
        at += len(document) + 4


_PAIR: Final = re.compile(
    r"auth\s{0,3}=\s{0,3}\(\s{0,3}([\"'])[^\"'\n]{0,200}\1\s{0,3},\s{0,3}([\"'])([^\"'\n]{3,200})\2"
)


def _pairs(text: str) -> Iterator[Finding]:
    """Yield the password of `auth=("user", "password")`, as HTTP clients take it."""
    for match in _PAIR.finditer(text):
        if not is_placeholder(match.group(3)) and match.group(3).lower() not in NOT_A_VALUE:
            yield Finding("password", match.start(3), match.end(3))


_ASSIGNED: Final = re.compile(r"[\\\"'`\]\)]{0,3}\s{0,3}(?:=>|:{1,3}=|={1,3}|:|,)\s{0,5}")


def _of_vendor(text: str, lower: str, vendor: str) -> Iterator[Finding]:
    """Yield random values that are assigned to the name of a service."""
    at = lower.find(vendor)
    while at >= 0:
        start, end = name_around(text, at, at + len(vendor))
        operator = _ASSIGNED.match(text, end)
        if operator and f"_{vendor}_" in f"_{'_'.join(words_of(text[start:end]))}_":
            value = assigned_value(text, operator.end())
            if value and is_random(text[value[1] : value[2]], least=_SHORTEST, bits=3.0):
                yield Finding("token", value[1], value[2])
        at = lower.find(vendor, end)
