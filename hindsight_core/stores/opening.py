"""Which store a path or URL means, and opening it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from platformdirs import user_data_dir

from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import Store
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.points import PointIndex
from hindsight_core.stores.queueing import QueuedStore
from hindsight_core.stores.sqlite import SqliteStore
from hindsight_core.stores.write_queue import LocalQueue, WriteQueue

__all__ = [
    "is_embedded",
    "locate",
    "open_points",
    "open_sql_store",
    "open_store",
    "path_of",
    "with_queue",
    "without_secrets",
]

_ENV: Final = "HINDSIGHT_URL"
_CACHE_ENV: Final = "HINDSIGHT_CACHE"
_QUEUE_ENV: Final = "HINDSIGHT_QUEUE"
_SPOOL_ENV: Final = "HINDSIGHT_SPOOL"
_VECTORS_ENV: Final = "HINDSIGHT_VECTORS"
_REDIS: Final = ("redis", "rediss", "unix")
_POSTGRES: Final = ("postgresql", "postgres")
_QDRANT: Final = ("qdrant", "qdrants")
_QDRANT_EDGE: Final = "qdrant-edge"
_PGVECTOR: Final = "pgvector"


def locate(url: str | os.PathLike[str] | None) -> str:
    """Return the URL that is meant: the one given, else HINDSIGHT_URL, else the user's own file.

    A path becomes a `sqlite:///` URL. Raises `ConfigurationError` for a scheme that no backend has.
    """
    named = os.fspath(url) if url is not None else os.environ.get(_ENV, "")
    if not named:
        named = str(Path(user_data_dir("hindsight-core", appauthor=False)) / "memory.db")
    if "://" not in named:
        return f"sqlite:///{Path(named).expanduser().absolute().as_posix().lstrip('/')}"
    scheme = urlsplit(named).scheme
    if scheme != "sqlite" and scheme not in _POSTGRES:
        raise ConfigurationError(
            f"store URL {scheme}://...: no such backend. Use a path, sqlite:///path/to/memory.db "
            "or postgresql://user@host/database"
        )
    return named


def is_embedded(url: str) -> bool:
    """Whether a URL of `locate` belongs to one machine, so that nobody named means `local`."""
    return urlsplit(url).scheme == "sqlite"


def path_of(url: str) -> Path | None:
    """Return the file of an embedded store; None for a server or a store in memory."""
    if not is_embedded(url):
        return None
    path = unquote(urlsplit(url).path)
    path = path.lstrip("/") if os.name == "nt" else path
    return None if path.endswith(":memory:") or not path.strip("/") else Path(path)


def without_secrets(url: str) -> str:
    """Return a URL of `locate` as it may be shown: without password and options."""
    parts = urlsplit(url)
    if parts.scheme not in _POSTGRES:
        return url
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{host}", parts.path, "", ""))


def open_store(url: str, cache: str | None = None, vectors: str | None = None) -> Store:
    """Open the store of a URL of `locate`; raises `StoreError` or `MissingExtraError`.

    `cache` is the URL of a Redis server that keeps what hot queries found; without one that of
    HINDSIGHT_CACHE, else there is none. `vectors` is the URL of an index of vectors beside the
    store; without one that of HINDSIGHT_VECTORS, else the store compares vectors itself.
    """
    cache = cache if cache is not None else os.environ.get(_CACHE_ENV)
    vectors = vectors if vectors is not None else os.environ.get(_VECTORS_ENV)
    if cache and urlsplit(cache).scheme not in _REDIS:
        raise ConfigurationError(
            f"cache URL {_shown(cache)}: no such backend. Use redis://host:port/number"
        )
    index = open_points(vectors) if vectors and vectors != _PGVECTOR else None
    records = open_sql_store(url)
    try:
        store = cast("Store", records)
        if vectors == _PGVECTOR:
            index = _pgvector(records)
        if index is not None:
            from hindsight_core.stores.vectors import VectorStore

            store = cast("Store", VectorStore(records, index))
        if cache:
            from hindsight_core.stores.caching import CachedStore
            from hindsight_core.stores.redis import RedisCache

            store = cast("Store", CachedStore(store, RedisCache(cache, records.identity)))
    except BaseException:
        records.close()
        raise
    return store


def _pgvector(records: SqlStore) -> PointIndex:
    if records.embedded:
        raise ConfigurationError(
            f"vectors: {_PGVECTOR} is an extension of PostgreSQL; the records"
            " are in SQLite, which compares vectors itself"
        )
    from hindsight_core.stores._postgres_connection import PostgresDatabase
    from hindsight_core.stores.pgvector import PgvectorPoints

    return PgvectorPoints(cast("PostgresDatabase", records.database))


def open_points(url: str) -> PointIndex:
    """Open an index of vectors by its URL; nothing is asked of a server yet.

    Raises `ConfigurationError` or `MissingExtraError`.
    """
    scheme = urlsplit(url).scheme
    if scheme in _QDRANT:
        from hindsight_core.stores.qdrant import open_qdrant

        return open_qdrant(url)
    if scheme == _QDRANT_EDGE:
        from hindsight_core.stores.qdrant_edge import open_qdrant_edge

        return open_qdrant_edge(url)
    raise ConfigurationError(
        f"vectors URL {_shown(url)}: no such backend. Use qdrant://host:6333, qdrants:// for TLS, "
        "qdrant-edge:///path/to/folder, or pgvector beside PostgreSQL"
    )


def _shown(url: str) -> str:
    scheme, there, _ = url.partition("://")
    return f"{scheme}://..." if there else "without a scheme"


def with_queue(open_it: Callable[[], Store], url: str, queue: str | None) -> Callable[[], Store]:
    """Put queues before the store of a server, where events wait while it is away.

    `queue` is the URL of a Redis server or the path of a file; without one that of HINDSIGHT_QUEUE.
    While that is away, or where there is none, they wait in a file of this machine: that of
    HINDSIGHT_SPOOL, else one in the user's data folder. An embedded store needs none.
    """
    if is_embedded(url):
        return open_it
    named = queue if queue is not None else os.environ.get(_QUEUE_ENV, "")
    return lambda: QueuedStore.over(open_it, without_secrets(url), _open_queues(named, url))


def _open_queues(named: str, store: str) -> list[WriteQueue]:
    """Where events wait, in the order in which it is tried."""
    scheme = urlsplit(named).scheme if "://" in named else ""
    parts = urlsplit(store)
    place = repr((parts.hostname, parts.port, parts.path, parts.query))
    queues: list[WriteQueue] = []
    if scheme in _REDIS:
        from hindsight_core.stores.redis_queue import RedisQueue

        queues.append(RedisQueue(named, place))
    elif scheme:
        raise ConfigurationError(
            f"queue URL {scheme}://...: no such backend. Use redis://host:port/number or a path"
        )
    elif named:
        queues.append(LocalQueue(Path(named).expanduser().absolute(), place))
    spool = os.environ.get(_SPOOL_ENV) or Path(
        user_data_dir("hindsight-core", appauthor=False), "queue.db"
    )
    queues.append(LocalQueue(Path(spool).expanduser().absolute(), place))
    return [*queues, LocalQueue()]


def open_sql_store(url: str) -> SqlStore:
    """Open the store of a URL of `locate`, without any cache."""
    if urlsplit(url).scheme in _POSTGRES:
        from hindsight_core.stores.postgres import PostgresStore

        return PostgresStore(url)
    path = unquote(urlsplit(url).path)
    return SqliteStore(Path(path if os.name != "nt" else path.lstrip("/")))
