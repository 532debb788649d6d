"""The write queue on a Redis server: one stream a store, shared by all processes.

Durable as far as Redis is: with `appendonly yes` what it acknowledged outlives its process, and
with `appendfsync always` its machine. See docs/deployment.md.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast
from urllib.parse import urlsplit

from hindsight_core.errors import ConfigurationError, MissingExtraError
from hindsight_core.stores.write_queue import LEAD_SECONDS, Position, QueueError, name_of

try:
    import redis
except ModuleNotFoundError as error:
    if error.name != "redis":
        raise
    raise MissingExtraError("redis", "redis", reason=str(error)) from error

__all__ = ["RedisQueue"]

_TIMEOUT: Final = 0.5
"""Seconds; two tries of it end before the deadline of the agent's call."""

_TAKE: Final = """
local leads = redis.call('GET', KEYS[1])
if leads and leads ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1"""


class RedisQueue:
    """A `WriteQueue` for the store of that URL. Needs Redis 5 or a server that speaks like it.

    It holds what users and agents said, redacted like in the store: guard the server like it.
    """

    def __init__(self, url: str, store: str) -> None:
        try:
            self._redis = cast("Any", redis.Redis).from_url(
                url,
                decode_responses=True,
                socket_timeout=_TIMEOUT,
                socket_connect_timeout=_TIMEOUT,
            )
        except ValueError as error:
            raise ConfigurationError(f"queue: {error}. Use redis://host:port/number") from error
        self._lead = self._redis.register_script(_TAKE)
        self._me = secrets.token_hex(8)
        self._closed = False
        parts = urlsplit(url)
        self._name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._key = f"hindsight:{name_of(store)}:queue"

    @property
    def name(self) -> str:
        return self._name

    @property
    def durable(self) -> bool:
        return True

    def push(self, body: str) -> Position:
        with self._answering():
            return _position(self._redis.xadd(self._key, {"body": body}))

    def peek(self, limit: int) -> list[tuple[Position, str]]:
        with self._answering():
            found = self._redis.xrange(self._key, count=limit)
        return [(_position(id_), str(fields.get("body", ""))) for id_, fields in found]

    def remove(self, positions: Sequence[Position]) -> None:
        if positions:
            with self._answering():
                self._redis.xdel(self._key, *(f"{one}-{other}" for one, other in positions))

    def lead(self) -> bool:
        me = f"{self._me}:{os.getpid()}"  # a forked process is another one
        with self._answering():
            return bool(self._lead(keys=[f"{self._key}:lead"], args=[me, 1_000 * LEAD_SECONDS]))

    def size(self) -> int:
        with self._answering():
            return int(self._redis.xlen(self._key))

    def warning(self) -> str:
        with self._answering():
            about = self._redis.info()
        if not int(about.get("aof_enabled", 0)):
            return "appendonly is off: what waits is lost when Redis ends"
        policy = str(about.get("maxmemory_policy", "noeviction"))
        if int(about.get("maxmemory", 0)) and policy.startswith("allkeys"):
            return f"maxmemory-policy {policy} may evict what waits: set volatile-lru"
        return ""

    def close(self) -> None:
        self._closed = True
        self._redis.close()

    @contextmanager
    def _answering(self) -> Generator[None]:
        if self._closed:
            raise QueueError(f"{self._name}: the queue was closed")
        try:
            yield
        except (redis.RedisError, OSError, ValueError, AttributeError) as error:
            # The last three: closed meanwhile, under the hands of another thread.
            raise QueueError(f"{self._name}: {type(error).__name__}: {error}") from error
        finally:
            if self._closed:  # or a connection that was made meanwhile would stay
                self._redis.close()


def _position(id_: str) -> Position:
    one, _, other = id_.partition("-")
    return int(one), int(other)
