"""Words that tell what a value is: data tables.

A language is one `Words`; to add one, add it to `LANGUAGES`. Chinese words are listed in simplified
and in traditional form. Names of fields are English in every language's code, so their tables stand
by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = [
    "KEY_QUALIFIERS",
    "LANGUAGES",
    "NEUTRAL_WORDS",
    "NOT_A_VALUE",
    "NOT_SECRET_WORDS",
    "SECRET_HEADS",
    "Words",
    "any_of",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The cues of one language; all in lower case, `spaced` where words have borders.

    `secrets` maps a word for a secret to its type, `copulas` stand between it and its value.
    `cards`, `accounts`, `passports` and `social` announce such numbers; `things` say that a number
    names an order, a ticket or a time. `phone_labels` announce a phone number even where it is
    short and in one piece, `phone_cues` one in groups, `phone_trailers` come after it. `versions`
    tell a version from an address of the net.
    """

    code: str
    spaced: bool
    secrets: Mapping[str, str]
    copulas: tuple[str, ...]
    cards: tuple[str, ...]
    accounts: tuple[str, ...]
    passports: tuple[str, ...]
    social: tuple[str, ...]
    things: tuple[str, ...]
    phone_labels: tuple[str, ...]
    phone_cues: tuple[str, ...]
    phone_trailers: tuple[str, ...]
    versions: tuple[str, ...]


def any_of(field: str) -> str:
    """A regular expression for the words of a field in all languages, for text in lower case."""
    return "|".join(_pattern(words.spaced, getattr(words, field)) for words in LANGUAGES)


def _pattern(spaced: bool, words: Iterable[str]) -> str:
    choices = "|".join(sorted(words, key=len, reverse=True)) or "(?!)"
    return f"(?<![a-z0-9])(?:{choices})(?![a-z0-9])" if spaced else f"(?:{choices})"


# fmt: off
_ENGLISH: Final = Words(
    code="en",
    spaced=True,
    secrets={},
    copulas=(
        "is", "was", "are", "will be", "set to", "to", "equals", "was set to", "changed to",
        "was changed to", "has been changed to", "is now", "reset to",
    ),
    cards=(
        "card", "credit", "debit", "visa", "mastercard", "amex", "maestro", "unionpay", "cc", "pan",
    ),
    accounts=(
        "bank account", "account number", "account no", "routing number",
    ),
    passports=(
        "passport",
    ),
    social=(
        "ssn", "social security",
    ),
    things=(
        "id", "ids", "order", "orders", "ticket", "invoice", "ref", "reference", "tracking",
        "trace", "span", "request", "run", "job", "build", "commit", "timestamp", "ts", "epoch",
        "sku", "isbn", "ean", "size", "bytes", "offset", "seed", "pid", "uid", "gid", "row", "line",
        "memory",
    ),
    phone_labels=(
        "phone", "telephone", "tel", "mobile", "cell", "cellphone", "fax", "whatsapp", "hotline",
        "landline",
    ),
    phone_cues=(
        "call", "calling", "called", "reach", "ring", "dial", "text me", "text us", "sms",
        "contact", "desk", "answering", "pick up", "registered", "message", "messages", "voicemail",
        "callback", "pager", "extension", "ext",
    ),
    phone_trailers=(
        "office", "fax", "mobile", "cell", "home", "work", "desk", "phone", "tel", "voicemail",
    ),
    versions=(
        "version", "versions", "ver", "v", "release", "build", "section", "sec", "chapter",
    ),
)
_CHINESE: Final = Words(
    code="zh",
    spaced=False,
    secrets={
        "密码": "password", "密碼": "password", "口令": "password", "通行码": "password",
        "验证码": "password", "驗證碼": "password", "提取码": "password", "令牌": "token",
        "权杖": "token", "權杖": "token", "凭证": "secret", "憑證": "secret", "凭据": "secret",
        "憑據": "secret", "密钥": "api_key", "密鑰": "api_key", "金钥": "api_key",
        "金鑰": "api_key", "秘钥": "api_key", "秘鑰": "api_key", "私钥": "private_key",
        "私鑰": "private_key",
    },
    copulas=(
        "是", "为", "為", "成", "：", ":",
    ),
    cards=(
        "卡", "银联", "銀聯", "信用",
    ),
    accounts=(
        "银行账", "銀行賬", "銀行帳", "账号", "賬號", "帐号", "帳號", "账户", "賬戶", "帳戶",
    ),
    passports=(
        "护照", "護照", "通行证", "通行證",
    ),
    social=(),
    things=(
        "单号", "單號", "编号", "編號", "订单", "訂單", "流水", "工单", "工單", "时间戳", "時間戳",
        "快递",
    ),
    phone_labels=(
        "电话", "電話", "手机", "手機", "座机", "座機", "传真", "傳真", "热线", "熱線", "联系方式",
        "聯絡方式",
    ),
    phone_cues=(
        "拨打", "撥打", "致电", "致電", "联系", "聯絡", "聯繫", "呼叫", "来电", "來電", "短信",
        "簡訊", "打给", "打給",
    ),
    phone_trailers=(
        "手机", "手機", "电话", "電話", "传真", "傳真",
    ),
    versions=(
        "版本",
    ),
)
LANGUAGES: Final = (_ENGLISH, _CHINESE)

SECRET_HEADS: Final[Mapping[str, str]] = {
    "password": "password", "passwords": "password", "passwd": "password", "pwd": "password",
    "passphrase": "password", "passwort": "password", "kennwort": "password",
    "passcode": "password", "pass": "password", "pswd": "password",
    "pw": "password", "userpass": "password", "pin": "password", "otp": "password",
    "cvv": "password", "cvc": "password", "secret": "secret", "secrets": "secret",
    "credential": "secret", "credentials": "secret", "creds": "secret", "cred": "secret",
    "clientsecret": "secret", "token": "token", "tokens": "token", "authtoken": "token",
    "accesstoken": "token", "jwt": "token", "authorization": "token", "auth": "token",
    "bearer": "token", "cookie": "cookie", "cookies": "cookie", "sessionid": "cookie",
    "phpsessid": "cookie", "jsessionid": "cookie", "apikey": "api_key", "apikeys": "api_key",
    "accesskey": "api_key", "secretkey": "api_key", "accountkey": "api_key", "key": "api_key",
    "keys": "api_key", "privatekey": "private_key",
}
"""The last word of the name of a field that holds a secret, and the type of that secret."""

KEY_QUALIFIERS: Final[frozenset[str]] = frozenset((
    "access", "account", "admin", "aes", "api", "app", "application", "auth", "client", "consumer",
    "crypto", "decryption", "deploy", "encryption", "hmac", "host", "licence", "license", "live",
    "management", "master", "private", "rest", "root", "secret", "security", "service", "session",
    "shared", "signing", "ssh", "subscription", "token", "user", "webhook", "x",
))
"""What before `key` makes it a secret one; a bare `key` is judged by its value alone."""

NOT_SECRET_WORDS: Final[frozenset[str]] = frozenset((
    "algorithm", "alias", "arn", "attempts", "authenticity", "author", "board", "bucket", "budget",
    "cache", "callback", "change", "char", "class", "code", "column", "composite", "config",
    "continuation", "count", "csrf", "cursor", "dedupe", "dict", "enabled", "endpoint", "error",
    "exists", "expiration", "expired", "expires", "expiry", "field", "file", "filename", "foreign",
    "forgot", "format", "group", "hash", "hint", "hot", "id", "idempotency", "ids", "idx", "index",
    "input", "issue", "label", "length", "limit", "link", "list", "manager", "map", "max", "mesh",
    "method", "min", "missing", "mode", "name", "names", "natural", "next", "num", "number",
    "object", "optional", "page", "pair", "partition", "path", "policy", "press", "prev", "primary",
    "project", "provider", "pub", "public", "range", "ref", "required", "reset", "ring", "rotation",
    "route", "routing", "row", "rules", "schema", "scheme", "sequence", "settings", "size", "sort",
    "state", "status", "stone", "store", "strength", "sync", "total", "type", "types", "uri", "url",
    "usage", "used", "validator", "version", "word", "words",
))
"""Words that turn a name away from a secret: `max_tokens`, `public_key`, `token_type`."""

NEUTRAL_WORDS: Final[frozenset[str]] = frozenset((
    "a", "again", "b", "b64", "base", "base64", "cleartext", "confirm", "confirmation", "current",
    "data", "default", "dev", "env", "for", "header", "hex", "in", "live", "main", "master", "new",
    "old", "plain", "plaintext", "primary", "prod", "production", "raw", "repeat", "secondary",
    "srt", "srv", "staging", "str", "string", "test", "text", "val", "value", "values", "var",
))
"""Words after the head of a name that change nothing: `password_confirmation`."""

NOT_A_VALUE: Final[frozenset[str]] = frozenset((
    "account", "admin", "and", "any", "are", "array", "basic", "bearer", "bool", "boolean", "bytes",
    "change", "changed", "changeit", "changeme", "character", "characters", "correct", "default",
    "digest", "disabled", "dummy", "empty", "enabled", "encrypted", "expired", "fail", "failed",
    "false", "field", "foo", "foobar", "from", "get", "hash", "hashed", "hidden", "incorrect",
    "int", "integer", "invalid", "key", "login", "manager", "manual", "masked", "minimum",
    "mismatch", "missing", "must", "nil", "none", "not", "null", "number", "oauth", "oauth2",
    "argon2", "argon2id", "base64", "bcrypt", "md5", "pbkdf2", "sha1", "sha256", "sha512", "utf8",
    "object", "off", "omitted", "optional", "pass", "passed", "passwd", "password", "placeholder",
    "plain", "please", "prompt", "protected", "pwd", "read", "redacted", "refresh", "rejected",
    "removed", "required", "reset", "revoked", "rotate", "sample", "secret", "secrets", "security",
    "session", "set", "should", "start", "str", "string", "test", "testing", "text", "that", "the",
    "this", "token", "true", "type", "undefined", "unknown", "unset", "update", "updated", "user",
    "username", "valid", "value", "void", "weak", "when", "write", "wrong", "yes", "yours",
))
"""Plain words that stand where a secret might, and are none."""
# fmt: on
