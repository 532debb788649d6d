"""Find secrets that a whole phrase gives away, where no name stands just before the value.

"the password was changed from A to B", "log in with bob / A", "your verification code is 482913",
a wallet's words, `IDENTIFIED BY 'A'`, `echo A | sudo -S`. One row a phrase; a language adds rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hindsight_core.capture.redaction.checks import is_placeholder
from hindsight_core.capture.redaction.spans import Finding
from hindsight_core.capture.redaction.values import is_password
from hindsight_core.capture.redaction.words import NOT_A_VALUE

__all__ = ["find_told"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """One phrase: where a mark occurs, each group named `s…` of the pattern is a secret.

    `mixed` asks for letters and digits in the value; else whatever stands there is one.
    """

    type: str
    marks: tuple[str, ...]
    pattern: str
    mixed: bool = False


def _value(number: int) -> str:
    """A value that ends where a word does."""
    return (
        rf"[\"'`“]?(?P<s{number}>[!-~]{{3,80}}?)[\"'`”]?"
        r"(?=[\s,;，。；）)]|\.?(?:\s|$)|[\u4e00-\u9fff])"
    )


_WORD_FOR_IT: Final = r"(?:password|passphrase|passcode|passwort|pwd)"
_MI_MA: Final = "(?:密码|密碼|口令|通行码|通行碼)"

_CODE: Final = (
    r"(?:verification|security|one[- ]time|login|log-in|sign-in|access|confirmation|2fa|mfa|sms"
    r"|auth\w*)[ ]code(?:[ ]is|[ ]was)?[ :]{1,2}(?P<s1>\d{4,8})(?!\d)"
)
_SEED: Final = (
    r"(?:seed|mnemonic|recovery|助[记記][词詞])[^\n:：]{0,30}?(?:[ ](?:is|are)|[:：是])\s{0,3}"
    r"(?P<s1>(?:[a-z]{3,8}[ ,，]{1,2}){11,23}[a-z]{3,8})(?![a-z])"
)
_SQL: Final = (
    r"identified\s{1,3}(?:with\s{1,3}\S{1,40}\s{1,3})?by\s{1,3}"
    r"(?P<q>['\"])(?P<s1>[^'\"\n]{3,200})(?P=q)"
)
_SUDO: Final = (
    r"echo\s{1,3}(?:-n\s{1,3})?['\"]?(?P<s1>[^\s'\"|]{3,80})['\"]?\s{0,3}\|\s{0,3}"
    r"sudo\s[^\n|]{0,40}-\w*S"
)
_HTPASSWD: Final = (
    r"htpasswd\s[^\n|;&]{0,60}?-\w{0,6}b\w{0,6}\s{1,3}[^\n|;&]{0,120}?"
    r"(?P<s1>\S{3,80})[ \t]{0,3}(?=$|[\n|;&])"
)
_SIGNED_URL: Final = (
    r"[?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|signature|sig)="
    r"(?P<s1>[^&\s\"'<>]{16,2000})"
)
_PASSPORT: Final = (
    r"(?:passport(?:[ ](?:no|nr|number)\.?)?(?:[ ]is)?[ :#]{1,3}"
    r"|[护護]照[号號]?[码碼]?[是为為：:\s]{0,3})"
    r"(?P<s1>(?=(?:[A-Z]{0,8}\d){3})[A-Z0-9]{8,9})(?![A-Za-z0-9_])"
)
_SAYING_PASSWORD: Final = ("passw", "passp", "passc", "pwd")
_LOGIN: Final = ("log in", "login", "log on", "sign in", "creds", "credentials")
_LOGIN_ZH: Final = ("登录", "登陆", "登錄", "登入", "账号", "帐号", "賬號", "帳號")

# fmt: off
_PHRASES: Final = (
    Phrase(type="password", marks=_SAYING_PASSWORD, mixed=True,
        pattern=rf"{_WORD_FOR_IT}\b[^\n]{{0,40}}?\bfrom[ ]{_value(1)}[ ]to[ ]{_value(2)}"),
    Phrase(type="password", marks=_SAYING_PASSWORD, mixed=True,
        pattern=rf"{_WORD_FOR_IT}[ ](?:for|of|to|on)[ ][^\n:=.!?，。]{{1,40}}?:[ ]?{_value(1)}"),
    Phrase(type="password", marks=_SAYING_PASSWORD, mixed=True,
        pattern=rf"{_WORD_FOR_IT}[ ]as[ ]{_value(1)}"),
    Phrase(type="password", marks=("密码", "密碼", "口令", "通行"), mixed=True,
        pattern=rf"{_MI_MA}[由从從]\s?{_value(1)}\s?(?:改|换|換|变|變)?[成为為到]\s?{_value(2)}"),
    Phrase(type="password", marks=_LOGIN, mixed=True,
        pattern=r"(?:log ?[io]n|sign in|creds|credentials)\b[^\n]{0,40}?[ :][\w.@+-]{2,40}"
                rf"(?:[ ]?/[ ]?|:[ ]?){_value(1)}"),
    Phrase(type="password", marks=_LOGIN_ZH, mixed=True,
        pattern=r"(?:登[录陆錄入]|[账帐賬帳][号號])[^\n]{0,20}?[\w.@+-]{2,40}"
                rf"\s?[/／]\s?{_value(1)}"),
    Phrase(type="password", marks=("wifi", "wi-fi", "wlan"), mixed=True,
        pattern=rf"(?:wi-?fi|wlan)[ ](?:key|pass\w*|code)(?:[ ]is)?[ :]{{1,2}}{_value(1)}"),
    Phrase(type="password", marks=(" code",), pattern=_CODE),
    Phrase(type="password", marks=("identified",), pattern=_SQL),
    Phrase(type="password", marks=("sudo",), pattern=_SUDO),
    Phrase(type="password", marks=("htpasswd",), pattern=_HTPASSWD),
    Phrase(type="private_key", marks=("seed", "mnemonic", "recovery", "助记词", "助記詞"),
        pattern=_SEED),
    Phrase(type="national_id", marks=("passport", "护照", "護照"), pattern=_PASSPORT),
    Phrase(type="token", marks=("signature=", "sig=", "credential="), pattern=_SIGNED_URL),
)
# fmt: on
_COMPILED: Final = tuple((phrase, re.compile(phrase.pattern, re.IGNORECASE)) for phrase in _PHRASES)


def find_told(text: str, lower: str) -> Iterator[Finding]:
    """Yield the secrets of phrases; `lower` is the text in lower case, of the same length."""
    for phrase, pattern in _COMPILED:
        if any(mark in lower for mark in phrase.marks):
            for match in pattern.finditer(text):
                for name in pattern.groupindex:
                    if name.startswith("s") and _is_secret(phrase, match[name]):
                        yield Finding(phrase.type, *match.span(name))


def _is_secret(phrase: Phrase, value: str) -> bool:
    if is_placeholder(value) or value.lower() in NOT_A_VALUE or value.startswith("$"):
        return False
    if not phrase.mixed:
        return True
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and len(value) >= 6 and is_password(value, sure=False, quoted=False, after="")
