"""Find personal numbers and addresses of the net in a text: e-mail, cards, phones, ids, IBAN, IP.

Names of persons and street addresses are not looked for: without a language model they cannot be
told from ordinary words, and "call me Mia" is what a user wants remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight_core.capture.redaction.checks import (
    digits,
    iban_length,
    is_iban,
    is_prc_id,
    is_taiwan_id,
    luhn,
)
from hindsight_core.capture.redaction.spans import Finding
from hindsight_core.capture.redaction.words import any_of

__all__ = ["find_personal"]

_REACH: Final = 48
"""How many characters before a number its cue is looked for."""
_CARD_CUE: Final = re.compile(any_of("cards"))
_ACCOUNT_CUE: Final = re.compile(any_of("accounts"))
_PASSPORT_CUE: Final = re.compile(any_of("passports"))
_SOCIAL_CUE: Final = re.compile(any_of("social"))
_THING_CUE: Final = re.compile(any_of("things"))
_PHONE_LABEL: Final = re.compile(any_of("phone_labels"))
_PHONE_CUE: Final = re.compile(f"{any_of('phone_labels')}|{any_of('phone_cues')}")
_TRAILER: Final = re.compile(rf"[-\s,(（/\\]{{0,3}}(?:{any_of('phone_trailers')})")
_VERSION_CUE: Final = re.compile(rf"(?:{any_of('versions')}|==|>=|<=|~=|[\^§])[\s:：=]*\Z")


def find_personal(text: str, lower: str) -> Iterator[Finding]:
    """Yield personal numbers; `lower` is the text in lower case, of the same length."""
    if "@" in text:
        yield from _emails(text)
    for match in _NUMBER.finditer(text):
        first, last = match.span()
        if not _DATE.match(text, first, last):
            yield from _ibans(text, first, last)
            yield from _cards(text, lower, first, last)
            yield from _ids(text, lower, first, last)
            yield from _phones(text, lower, first, last)
    yield from _addresses(text, lower)


_NUMBER: Final = re.compile(r"\d(?:[ ().\u2013/-]{0,3}\d){5,}")
"""Six digits or more, written together or in groups: whatever is a number of a person has them."""
_DATE: Final = re.compile(r"(?:19|20)\d\d[-/.](?:0\d|1[0-2])[-/.][0-3]\d(?: \d\d)?\Z")

_LOCAL: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_DOMAIN: Final = re.compile(
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}([A-Za-z]{2,24})(?![A-Za-z0-9-])"
)
_FILES: Final = frozenset(("png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "css", "json"))


def _emails(text: str) -> Iterator[Finding]:
    for match in _DOMAIN.finditer(text):
        before = text[max(0, match.start() - 64) : match.start()]
        local = before[len(before.rstrip(_LOCAL)) :].lstrip(".%+-")
        after = text[match.end() : match.end() + 1]
        repository = local == "git" and after in (":", "/")
        if local and not repository and match.group(1).lower() not in _FILES:
            yield Finding("email", match.start() - len(local), match.end())


_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,30}")


def _ibans(text: str, first: int, last: int) -> Iterator[Finding]:
    position = max(0, first - 14)
    while match := _IBAN.search(text, position, last + 20):
        position = match.start() + 4
        wanted, end = iban_length(match.group()[:2]), match.start()
        number = ""
        while len(number) < wanted and end < match.end():
            number += "" if text[end] == " " else text[end]
            end += 1
        if wanted and is_iban(number) and not text[end : end + 1].isalnum():
            yield Finding("iban", match.start(), end)
            position = end


_ALONE: Final = r"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9]-)"
"""Before a number: no letter, digit, dot or word with a dash that it would be a part of."""
_CARD: Final = re.compile(
    _ALONE
    + r"(?:\d{12,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})"
    + r"(?![A-Za-z0-9_]|-\d|\.\d)"
)
_BRANDS: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}"
    r"|62(?:\d{14}|\d{17})"
)
"""Beginnings and lengths of the numbers that card schemes issue (ISO/IEC 7812)."""


def _cards(text: str, lower: str, first: int, last: int) -> Iterator[Finding]:
    for match in _CARD.finditer(text, first, last + 2):
        number = digits(match.group())
        before = lower[max(0, match.start() - _REACH) : match.start()]
        sound = luhn(number)
        cued = _CARD_CUE.search(before) and (sound or len(number) == 16)
        branded = sound and _BRANDS.fullmatch(number) and not _THING_CUE.search(before[-24:])
        if cued or branded:
            yield Finding("card", match.start(), match.end())
        elif _ACCOUNT_CUE.search(before):
            yield Finding("bank_account", match.start(), match.end())


_PRC: Final = re.compile(r"(?<![A-Za-z0-9_])\d{17}[\dXx](?![A-Za-z0-9_])")
_SOCIAL: Final = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?!000|666|9\d\d)\d{3}([- ]?)(?!00)\d{2}\1(?!0000)\d{4}"
    r"(?![A-Za-z0-9_-]|\.\d)"
)
_NATIONAL: Final = re.compile(
    _ALONE + r"(?:(?P<hong_kong>[A-Z]{1,2}\d{6}[(（][\dA][)）])|(?P<taiwan>[A-Z][12]\d{8})"
    r"|(?P<britain>[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D])"
    r"|(?P<brazil>\d{3}\.\d{3}\.\d{3}-\d{2})|(?P<passport>[A-Z]{1,2}\d{7,8}))(?![A-Za-z0-9_])"
)


def _ids(text: str, lower: str, first: int, last: int) -> Iterator[Finding]:
    for match in _PRC.finditer(text, first, last + 2):
        if is_prc_id(digits(match.group()[:17]) + match.group()[17:]):
            yield Finding("national_id", match.start(), match.end())
    for match in _SOCIAL.finditer(text, first, last + 2):
        before = lower[max(0, match.start() - _REACH) : match.start()]
        if match.group(1) == "-" or _SOCIAL_CUE.search(before):
            yield Finding("national_id", match.start(), match.end())
    for match in _NATIONAL.finditer(text, max(0, first - 4), last + 4):
        before = lower[max(0, match.start() - _REACH) : match.start()]
        if match.lastgroup == "taiwan" and not is_taiwan_id(match.group()):
            continue
        if match.lastgroup == "passport" and not _PASSPORT_CUE.search(before):
            continue
        yield Finding("national_id", match.start(), match.end())


_STRONG_PHONE: Final = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?<!\d )(?:"
    r"[+＋][1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d(?:[ .-]?\d){5,12}"  # international
    r"|00[1-9]\d{0,2}[ -][1-9]\d{0,3}(?:[ -]\d{2,5}){1,4}"
    r"|(?:1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d([-.]))\d{3}[-.]\d{4}"  # North America
    r"|(?:\+?86[- ]?)?1[3-9]\d([- ]?)\d{4}\2\d{4}"  # China, mobile
    r"|(?:\(0\d{2,3}\) ?|0\d{2,3}-)[2-9]\d{6,7}|[48]00-\d{3,4}-\d{3,4}"  # China, landline
    r")(?:(?: ?x| ?ext\.? ?)\d{1,5})?(?![A-Za-z0-9_]|[.-]\d|\.[,)])"
)
_WEAK_PHONE: Final = re.compile(
    r"(?<![A-Za-z0-9_.+/-])[+(]?\d(?:[ ()./-]{0,2}\d){5,14}(?: ?x\d{1,5})?"
    r"(?![A-Za-z0-9_%]|[.:/-]\d)"
)
_NOT_PHONE: Final = re.compile(
    r"(?:19|20)\d\d[-/. ](?:0?[1-9]|1[0-2])[-/. ].*|\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d"  # dates
    r"|(?:19|20)\d\d ?[-/] ?(?:19|20)\d\d|(?:19|20)\d{6}"
    r"|(?!(?:\d\d\.){3,4}\d\d)(?!\d{3}\.\d{3}\.\d{4})\d+(?:\.\d+)+"  # versions, addresses, decimals
)
_DECIMAL: Final = re.compile(r"[+＋]\d+\.\d+")
_AMOUNT: Final = re.compile(r"\d{1,3}(?: \d{3})+")
_LINK: Final = re.compile(r"(?:\b(?:at|on|to|is|me|us|number|no)|[:：#给給为為是號号])[ .]{0,2}\Z")


def _phones(text: str, lower: str, first: int, last: int) -> Iterator[Finding]:
    """Yield numbers in the form of a phone number, and those in groups after a word for one."""
    for match in _STRONG_PHONE.finditer(text, max(0, first - 2), last + 8):
        before = lower[max(0, match.start() - 24) : match.start()]
        if _DECIMAL.fullmatch(match.group()):
            continue
        bare = match.group().isdecimal()
        if not (bare and _THING_CUE.search(before) and not _PHONE_LABEL.search(before)):
            yield Finding("phone", match.start(), match.end())
    for match in _WEAK_PHONE.finditer(text, max(0, first - 2), last + 8):
        if _NOT_PHONE.fullmatch(match.group()):
            continue
        before = lower[max(0, match.start() - _REACH) : match.start()]
        least = 9 if match.group().isdecimal() else 6
        if _PHONE_LABEL.search(before[-20:]) or _TRAILER.match(lower, match.end()):
            least = 6
        else:
            amount = _AMOUNT.fullmatch(match.group()) and not _LINK.search(before)
            if amount or not _PHONE_CUE.search(before.rpartition("\n")[2]):
                continue
        size = len(digits(match.group()))
        if least <= size <= 15 and not _THING_CUE.search(before[-16:]):
            yield Finding("phone", match.start(), match.end())


_IPV4: Final = re.compile(
    r"[0-9](?<![A-Za-z0-9_.-].)[0-9]{0,2}(?:\.[0-9]{1,3}){3}(?![A-Za-z0-9_-]|\.[A-Za-z0-9_])"
)
_IPV6: Final = re.compile(
    r"[23](?<![a-z0-9_:.].)[0-9a-f]{3}:(?:[0-9a-f]{1,4}:{1,2}){1,6}[0-9a-f]{1,4}(?![a-z0-9_:])"
)
_LOCAL_NET: Final = re.compile(
    r"(?:0|10|127|255|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\..*|.*\.0"
    r"|8\.8\.(?:8\.8|4\.4)|1\.[01]\.[01]\.1"
)
"""Private networks (RFC 1918, 3927, 6890), networks as a whole, and public name servers."""


def _addresses(text: str, lower: str) -> Iterator[Finding]:
    """Yield addresses of the public net; private ones say nothing about a person."""
    if text.count(".") > 2:
        for match in _IPV4.finditer(text):
            before = lower[max(0, match.start() - 12) : match.start()]
            if not 31 < max(map(int, match.group().split("."))) < 256:
                continue  # no address, or a section or version: those are small throughout
            if not _LOCAL_NET.fullmatch(match.group()) and not _VERSION_CUE.search(before):
                yield Finding("ip", match.start(), match.end())
    if text.count(":") > 2:
        for match in _IPV6.finditer(lower):
            yield Finding("ip", match.start(), match.end())
