"""What well-known codes and exception names mean: HTTP, errno, SQLSTATE, JSON-RPC, exit codes.

`decisive` codes say what happened whatever the text adds; the others only rank before a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hindsight_core.schema import ErrorClass as E

__all__ = [
    "class_of_exit",
    "class_of_http",
    "class_of_symbol",
    "class_of_vendor_code",
    "is_decisive",
    "is_own_mistake",
]

_HTTP: Final[Mapping[int, E]] = {
    400: E.VALIDATION, 401: E.PERMISSION, 402: E.QUOTA, 403: E.PERMISSION, 404: E.NOT_FOUND,
    405: E.VALIDATION, 406: E.VALIDATION, 407: E.PERMISSION, 408: E.TIMEOUT, 409: E.CONFLICT,
    410: E.NOT_FOUND, 411: E.VALIDATION, 412: E.CONFLICT, 413: E.VALIDATION, 414: E.VALIDATION,
    415: E.VALIDATION, 416: E.VALIDATION, 417: E.VALIDATION, 421: E.UNAVAILABLE, 422: E.VALIDATION,
    423: E.CONFLICT, 424: E.SOFT, 425: E.UNAVAILABLE, 428: E.CONFLICT, 429: E.RATE_LIMIT,
    431: E.VALIDATION, 451: E.PERMISSION, 498: E.PERMISSION, 499: E.TIMEOUT, 500: E.INTERNAL,
    501: E.VALIDATION, 502: E.UNAVAILABLE, 503: E.UNAVAILABLE, 504: E.TIMEOUT, 507: E.QUOTA,
    508: E.INTERNAL, 511: E.PERMISSION, 520: E.UNAVAILABLE, 521: E.UNAVAILABLE, 522: E.TIMEOUT,
    523: E.UNAVAILABLE, 524: E.TIMEOUT, 525: E.UNAVAILABLE, 529: E.UNAVAILABLE,
}  # fmt: skip
_DECISIVE: Final = frozenset({401, 402, 403, 404, 408, 409, 410, 412, 429, 502, 503, 504})

_SYMBOLS: Final[Mapping[E, tuple[str, ...]]] = {
    E.NOT_FOUND: (
        "enoent", "esrch", "enxio", "enodev", "filenotfounderror", "modulenotfounderror",
        "lookuperror", "importerror", "classnotfoundexception", "nosuchelementexception",
        "42p01", "42703", "42s02", "42s22", "42883", "3d000", "3f000", "nameresolution",
    ),
    E.PERMISSION: (
        "eacces", "eperm", "erofs", "permissionerror", "securityexception", "unauthenticated",
        "unauthorizedaccessexception", "42501", "28000", "28p01",
    ),
    E.CONFLICT: (
        "eexist", "enotempty", "ebusy", "eaddrinuse", "etxtbsy", "fileexistserror", "aborted",
        "integrityerror", "uniqueviolation", "concurrentmodificationexception", "23505", "23503",
        "23000", "optimisticlockexception", "failedprecondition",
    ),
    E.UNAVAILABLE: (
        "econnrefused", "econnreset", "econnaborted", "ehostunreach", "enetunreach", "epipe",
        "enotfound", "eaiagain", "enetdown", "ehostdown", "enotconn", "connectionerror",
        "connectionrefusederror", "connectionreseterror", "connectionabortederror", "gaierror",
        "brokenpipeerror", "apiconnectionerror", "connecterror", "sslerror", "operationalerror",
        "remotedisconnected", "57p01", "57p02", "57p03", "53300", "08000", "08001", "08006",
    ),
    E.TIMEOUT: ("etimedout", "esockettimedout", "timeouterror", "57014", "hyt00"),
    E.QUOTA: ("enospc", "edquot", "53100", "resourceexhausted"),
    E.VALIDATION: (
        "einval", "enotdir", "eisdir", "enametoolong", "erange", "edom", "badrequest",
        "valueerror", "validationerror", "jsondecodeerror", "unicodedecodeerror", "parsererror",
        "syntaxerror", "indentationerror", "taberror", "illegalargumentexception",
        "numberformatexception", "argumenterror", "unimplemented", "notimplementederror",
        "isadirectoryerror", "notadirectoryerror", "outofrange", "decodeerror", "usageerror",
        "22001", "22003", "22007", "22008", "22p02", "23502", "23514", "42601", "42000",
        "-32700", "-32600", "-32602",
    ),
    E.INTERNAL: (
        "enomem", "eio", "efault", "runtimeerror", "memoryerror", "recursionerror", "systemerror",
        "assertionerror", "nullpointerexception", "nullreferenceexception", "internal", "dataloss",
        "outofmemoryerror", "stackoverflowerror", "xx000", "xx001", "-32603",
    ),
}  # fmt: skip
_BY_SYMBOL: Final = {name: found for found, names in _SYMBOLS.items() for name in names}
_BY_SYMBOL["-32601"] = E.NOT_FOUND

_OWN_CODE: Final = frozenset({
    "typeerror", "nameerror", "attributeerror", "keyerror", "indexerror", "zerodivisionerror",
    "overflowerror", "arithmeticerror", "unboundlocalerror", "referenceerror", "rangeerror",
    "stopiteration", "arrayindexoutofboundsexception", "indexoutofboundsexception",
})  # fmt: skip
""
"Mistakes in code: of whoever wrote it, so the agent's own where the tool runs what it is given."
""

_ERRNO: Final[Mapping[str, str]] = {
    "1": "eperm", "2": "enoent", "5": "eio", "9": "einval", "11": "ebusy", "12": "enomem",
    "13": "eacces", "16": "ebusy", "17": "eexist", "20": "enotdir", "21": "eisdir", "22": "einval",
    "28": "enospc", "30": "erofs", "32": "epipe", "36": "enametoolong", "39": "enotempty",
    "98": "eaddrinuse", "101": "enetunreach", "104": "econnreset", "110": "etimedout",
    "111": "econnrefused", "113": "ehostunreach", "122": "edquot",
}  # fmt: skip
_EXIT: Final[Mapping[int, E]] = {
    124: E.TIMEOUT, 126: E.PERMISSION, 127: E.NOT_FOUND, 134: E.INTERNAL, 136: E.INTERNAL,
    137: E.INTERNAL, 139: E.INTERNAL, -6: E.INTERNAL, -9: E.INTERNAL, -11: E.INTERNAL,
}  # fmt: skip
_CURL_EXIT: Final[Mapping[int, E]] = {
    3: E.VALIDATION, 5: E.UNAVAILABLE, 6: E.UNAVAILABLE, 7: E.UNAVAILABLE, 28: E.TIMEOUT,
    35: E.UNAVAILABLE, 52: E.UNAVAILABLE, 56: E.UNAVAILABLE, 60: E.UNAVAILABLE, 67: E.PERMISSION,
}  # fmt: skip
_PLAIN: Final = re.compile(r"[^a-z0-9-]")


def class_of_http(status: int) -> E | None:
    """Return the class of an HTTP status; None below 400 and above 599."""
    if not 400 <= status < 600:
        return None
    return _HTTP.get(status, E.VALIDATION if status < 500 else E.INTERNAL)


def is_decisive(status: int) -> bool:
    """Whether an HTTP status outranks what the text says."""
    return status in _DECISIVE


def class_of_symbol(symbol: str, *, own_code: bool) -> E | None:
    """Return the class of an exception's name, an errno, an SQLSTATE, a gRPC or JSON-RPC code."""
    name = _PLAIN.sub("", symbol.casefold().rpartition(".")[2] or symbol.casefold())
    if name.startswith("errno"):
        name = _ERRNO.get(name.removeprefix("errno"), name)
    if name in _OWN_CODE:
        return E.VALIDATION if own_code else E.INTERNAL
    if name == "assertionerror" and own_code:
        return E.VALIDATION
    return _BY_SYMBOL.get(name)


def is_own_mistake(symbol: str) -> bool:
    """Whether an exception's name is one of a mistake in code."""
    return _PLAIN.sub("", symbol.casefold().rpartition(".")[2]) in _OWN_CODE


def class_of_exit(code: int, *, command: str) -> E | None:
    """Return the class of a process's exit code, as shells (and curl) define it."""
    if command in ("curl", "wget") and code in _CURL_EXIT:
        return _CURL_EXIT[code]
    return _EXIT.get(code)


def class_of_vendor_code(code: int) -> E | None:
    """Guess at a vendor's number that begins or ends like an HTTP status: 42901, 20404."""
    digits = str(abs(code))
    if len(digits) < 4:
        return None
    return class_of_http(int(digits[:3])) or (
        class_of_http(int(digits[-3:])) if len(digits) == 5 else None
    )
