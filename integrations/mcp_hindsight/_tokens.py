"""Bearer tokens: each fixes a tenant and a user, and nothing that a caller sends changes that.

Tokens are kept and compared as SHA-256 digests. Every known one is compared in constant time and
none is skipped, so that the time of an answer says nothing about how close a guess came.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import threading
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hindsight_core import ConfigurationError, ScopeError
from mcp_hindsight._callers import Caller

__all__ = ["MIN_TOKEN", "Tokens", "new_token"]

logger: Final = logging.getLogger("mcp_hindsight")
MIN_TOKEN: Final = 20
"""Characters of the shortest token that is taken."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")

Name = Annotated[str, Field(min_length=1)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    user: Name
    tenant: Name = "default"
    agent: Name | None = None
    token: str | None = None
    sha256: str | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    token: list[_Entry]


class Tokens:
    """Which token speaks for whom; thread-safe.

    `pairs` are tokens with their callers. A `path` names a TOML file of `[[token]]` tables with
    `user`, optionally `tenant` and `agent`, and either `sha256` or `token`; it is read again when
    it changes, so that a token is revoked without a restart. Raises `ConfigurationError`.
    """

    def __init__(
        self, pairs: Sequence[tuple[str, Caller]] = (), *, path: Path | None = None
    ) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] = (0, 0)
        self._fixed = {_digest(_long(token, "token")): caller for token, caller in pairs}
        self._read: Mapping[bytes, Caller] = {}
        if path is not None:
            self._stamp = _stamp(path)
            self._read = _read(path)
        if not self._fixed and not self._read:
            raise ConfigurationError(
                "token: over HTTP each caller needs one. Set HINDSIGHT_MCP_TOKEN with --user, or "
                "name a file with --tokens; 'hindsight-core mcp-token --user NAME' makes both"
            )

    def caller(self, token: str) -> Caller | None:
        """For whom a token speaks; None for an unknown one."""
        wanted = _digest(token)
        found: Caller | None = None
        for known in (self._fixed, self._current()):
            for digest, caller in known.items():
                if hmac.compare_digest(digest, wanted):
                    found = caller
        return found

    def _current(self) -> Mapping[bytes, Caller]:
        if self._path is None:
            return self._read
        with self._lock:
            try:
                stamp = _stamp(self._path)
                if stamp != self._stamp:
                    self._read = _read(self._path)
                    self._stamp = stamp
                    logger.info("tokens were read again: %d", len(self._read))
            except ConfigurationError as error:
                # Half a file, or none: who was let in before still is, and the log says why.
                if self._stamp != (-1, -1):
                    logger.warning("tokens stay as they were: %s", error)
                self._stamp = (-1, -1)
        return self._read


def new_token() -> tuple[str, str]:
    """A new token, and its digest for the file."""
    token = secrets.token_urlsafe(32)
    return token, hashlib.sha256(token.encode()).hexdigest()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _long(token: str, where: str) -> str:
    if len(token) < MIN_TOKEN:
        raise ConfigurationError(
            f"{where}: must be at least {MIN_TOKEN} characters long. "
            "'hindsight-core mcp-token --user NAME' makes one"
        )
    return token


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise ConfigurationError(f"tokens: {path}: {error.strerror or error}") from error
    return found.st_mtime_ns, found.st_size


def _read(path: Path) -> dict[bytes, Caller]:
    try:
        entries = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).token
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"tokens: {path}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"tokens: {path} is no TOML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"tokens: {path}: {where}: {first['msg']}") from None
    known: dict[bytes, Caller] = {}
    for number, entry in enumerate(entries, 1):
        where = f"tokens: {path}: token {number}"
        digest = _entry_digest(entry, where)
        caller = Caller(user=entry.user, tenant=entry.tenant, agent=entry.agent)
        try:
            _ = caller.scope
        except ScopeError as error:
            raise ConfigurationError(f"{where}: {error}") from error
        if digest in known:
            raise ConfigurationError(f"{where}: the same token stands there twice")
        known[digest] = caller
    return known


def _entry_digest(entry: _Entry, where: str) -> bytes:
    if (entry.token is None) == (entry.sha256 is None):
        raise ConfigurationError(f"{where}: needs either token or sha256")
    if entry.token is not None:
        return _digest(_long(entry.token, where))
    if not _DIGEST.match(entry.sha256 or ""):
        raise ConfigurationError(f"{where}: sha256 must be 64 hexadecimal digits in lower case")
    return bytes.fromhex(entry.sha256 or "")
