"""The cache of hot queries on a Redis server."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, Final, cast

from hindsight_core.errors import ConfigurationError, MissingExtraError
from hindsight_core.stores.caching import SECONDS, CacheError

try:
    import redis
except ModuleNotFoundError as error:
    if error.name != "redis":
        raise
    raise MissingExtraError("redis", "redis", reason=str(error)) from error

__all__ = ["RedisCache"]

_TIMEOUT: Final = 0.25
"""Seconds after which the store itself is asked: it would be faster."""
_SET: Final = """
if (redis.call('GET', KEYS[1]) or '0') .. '/' .. (redis.call('GET', KEYS[2]) or '0') == ARGV[1] then
    redis.call('HSET', KEYS[3], ARGV[2], ARGV[1] .. ' ' .. ARGV[3])
    redis.call('EXPIRE', KEYS[3], ARGV[4], 'NX')
end"""
"""Holds a value if neither the owner nor everybody was dropped since the ticket was given."""


class RedisCache:
    """A `Cache` in one hash an owner, so that dropping an owner deletes what was held of him.

    The names of stores, users and queries are only there as hashes; the values hold memories, so
    the server is to be guarded like the store. Needs Redis 7 or a server that speaks like it.
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
            raise ConfigurationError(f"cache: {error}. Use redis://host:port/number") from error
        self._prefix = f"hindsight:{blake2b(store.encode(), digest_size=8).hexdigest()}"
        self._set = self._redis.register_script(_SET)

    def get(self, owner: str, key: str) -> tuple[str | None, str]:
        with _answering():
            pipe = self._redis.pipeline(transaction=True)
            pipe.get(self._count(""))
            pipe.get(self._count(owner))
            pipe.hget(self._held(owner), key)
            everybody, own, held = pipe.execute()
        ticket = f"{everybody or 0}/{own or 0}"
        made, _, value = (held or "").partition(" ")
        return (value if made == ticket else None), ticket

    def set(self, owner: str, key: str, value: str, ticket: str) -> None:
        keys = [self._count(""), self._count(owner), self._held(owner)]
        with _answering():
            self._set(keys=keys, args=[ticket, key, value, SECONDS])

    def drop(self, owners: Iterable[str]) -> None:
        with _answering():
            pipe = self._redis.pipeline(transaction=True)
            for owner in owners:
                pipe.incr(self._count(owner))
                pipe.delete(self._held(owner))
            pipe.execute()

    def close(self) -> None:
        self._redis.close()

    def _count(self, owner: str) -> str:
        return f"{self._prefix}:dropped:{owner}"

    def _held(self, owner: str) -> str:
        return f"{self._prefix}:held:{owner}"


@contextmanager
def _answering() -> Generator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise CacheError(f"{type(error).__name__}: {error}") from error
