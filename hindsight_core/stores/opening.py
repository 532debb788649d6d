"""Which store a path or URL means, and opening it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from platformdirs import user_data_dir

from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import Store
from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.sqlite import SqliteStore

__all__ = ["is_embedded", "locate", "open_sql_store", "open_store", "without_secrets"]

_ENV: Final = "HINDSIGHT_URL"
_CACHE_ENV: Final = "HINDSIGHT_CACHE"
_REDIS: Final = ("redis", "rediss", "unix")
_POSTGRES: Final = ("postgresql", "postgres")


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


def without_secrets(url: str) -> str:
    """Return a URL of `locate` as it may be shown: without password and options."""
    parts = urlsplit(url)
    if parts.scheme not in _POSTGRES:
        return url
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{host}", parts.path, "", ""))


def open_store(url: str, cache: str | None = None) -> Store:
    """Open the store of a URL of `locate`; raises `StoreError` or `MissingExtraError`.

    `cache` is the URL of a Redis server that keeps what hot queries found; without one that of
    HINDSIGHT_CACHE, else there is none.
    """
    cache = cache if cache is not None else os.environ.get(_CACHE_ENV)
    if not cache:
        return open_sql_store(url)
    if urlsplit(cache).scheme not in _REDIS:
        scheme = urlsplit(cache).scheme
        raise ConfigurationError(f"cache URL {scheme}://...: no such backend. Use redis://host")
    from hindsight_core.stores.caching import CachedStore
    from hindsight_core.stores.redis import RedisCache

    store = open_sql_store(url)
    try:
        return cast("Store", CachedStore(store, RedisCache(cache, store.identity)))
    except BaseException:
        store.close()
        raise


def open_sql_store(url: str) -> SqlStore:
    """Open the store of a URL of `locate`, without any cache."""
    if urlsplit(url).scheme in _POSTGRES:
        from hindsight_core.stores.postgres import PostgresStore

        return PostgresStore(url)
    path = unquote(urlsplit(url).path)
    return SqliteStore(Path(path if os.name != "nt" else path.lstrip("/")))
