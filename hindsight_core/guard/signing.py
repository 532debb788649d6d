"""Signs what a record says and where it came from, so that a change behind our back is seen.

HMAC-SHA256 (RFC 2104) over the record's identity, scope, provenance and text, and whether it is
held in quarantine. What the store and the engine count or move by themselves (references, hits,
times of use, links, the way into the archive) is left out: it changes without a new signature.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import logging
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hindsight_core.errors import ConfigurationError, StoreUnavailableError
from hindsight_core.schema import Memory, Status

__all__ = ["KEY_VARIABLE", "is_stamped", "load_key", "sign", "stamp", "verify"]

KEY_VARIABLE: Final = "HINDSIGHT_KEY"
"""The environment variable that holds the key where several hosts share one store."""

logger: Final = logging.getLogger("hindsight_core")

_VERSION: Final = "v1"
_KEY_BYTES: Final = 32
_MIN_KEY_BYTES: Final = 16
_SIGNED: Final = frozenset(
    {"id", "scope", "kind", "source", "trust", "key", "query", "value", "path", "lineage"}
)
_SIGNED_PREFERENCE: Final = frozenset({"slot", "polarity", "condition", "exception"})
_SIGNED_LESSON: Final = frozenset({"trigger", "mistake", "correction", "domain"})
_READ_TRIES: Final = 50
_READ_PAUSE: Final = 0.02


def sign(memory: Memory, key: bytes) -> Memory:
    """Return the memory with its signature; whoever changes a signed field signs again."""
    return memory.model_copy(update={"signature": _signature(memory, key)})


def verify(memory: Memory, key: bytes) -> bool:
    """Whether the memory says what it said when it was signed with this key."""
    return hmac.compare_digest(_signature(memory, key), memory.signature)


def stamp(text: str, key: bytes) -> str:
    """Return the signature of one whole line of an export; no other text has the same."""
    line = f"{_VERSION} export\n{text}".encode()
    return f"{_VERSION}:{hmac.new(key, line, hashlib.sha256).hexdigest()}"


def is_stamped(text: str, signature: str, key: bytes) -> bool:
    """Whether a line of an export is as it was written with this key."""
    return hmac.compare_digest(stamp(text, key).encode(), signature.encode(errors="replace"))


def load_key(
    path: Path | None,
    *,
    environment: Mapping[str, str] | None = None,
    random_bytes: Callable[[int], bytes] = secrets.token_bytes,
) -> bytes:
    """Return the signing key: of the environment, else of the file, which is made if missing.

    The file is readable by its owner alone. Of two processes that make it at once one wins and both
    read the same key. With `path` None (a store in memory) the key lasts as long as the caller
    keeps it. Raises `ConfigurationError` for a key that is too short, `StoreUnavailableError` when
    the file can neither be read nor made.
    """
    named = (os.environ if environment is None else environment).get(KEY_VARIABLE, "")
    if named:
        return _checked(named.encode(), f"the environment variable {KEY_VARIABLE}")
    if path is None:
        return random_bytes(_KEY_BYTES)
    try:
        if not path.exists():
            _create(path, random_bytes(_KEY_BYTES).hex().encode())
        _warn_if_readable(path)
        return _checked(_read(path), f"the key file {path.name}")
    except OSError as error:
        raise StoreUnavailableError(
            f"the key file {path.name} beside the store cannot be used ({error.strerror}). "
            f"Make it readable and writable for this user, or set {KEY_VARIABLE}"
        ) from error


def _signature(memory: Memory, key: bytes) -> str:
    fields = memory.model_dump(mode="json", include=set(_SIGNED))
    fields["held"] = memory.status is Status.QUARANTINED
    if memory.preference is not None:
        fields["preference"] = memory.preference.model_dump(
            mode="json", include=set(_SIGNED_PREFERENCE)
        )
    if memory.lesson is not None:
        fields["lesson"] = memory.lesson.model_dump(mode="json", include=set(_SIGNED_LESSON))
    text = json.dumps(fields, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    digest = hmac.new(key, f"{_VERSION}\n{text}".encode(), hashlib.sha256)
    return f"{_VERSION}:{digest.hexdigest()}"


def _checked(key: bytes, place: str) -> bytes:
    key = key.strip()
    if len(key) < _MIN_KEY_BYTES:
        raise ConfigurationError(
            f"{place} holds a key of {len(key)} bytes, at least {_MIN_KEY_BYTES} are needed. "
            "Make one with: python -c 'import secrets; print(secrets.token_hex(32))'"
        )
    return key


def _create(path: Path, key: bytes) -> None:
    """Put the whole key in place at once, unless another process was faster."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            _place(Path(name), path, key)
    finally:
        Path(name).unlink(missing_ok=True)


def _place(written: Path, path: Path, key: bytes) -> None:
    try:
        os.link(written, path)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here: then exclusively, and a reader waits for the few bytes to arrive.
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR)
        with os.fdopen(handle, "wb") as file:
            file.write(key)


def _read(path: Path) -> bytes:
    for _ in range(_READ_TRIES):
        key = path.read_bytes()
        if key:
            return key
        time.sleep(_READ_PAUSE)
    return b""


def _warn_if_readable(path: Path) -> None:
    mode = path.stat().st_mode
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        logger.warning(
            "the key file %s can be read by others, who could sign what they like: chmod 600",
            path.name,
        )
