"""Where memories are kept: SQLite in one file by default, servers past one machine."""

from hindsight_core.stores._sql_store import SqlStore
from hindsight_core.stores.opening import (
    is_embedded,
    locate,
    open_points,
    open_sql_store,
    open_store,
    path_of,
    with_queue,
    without_secrets,
)
from hindsight_core.stores.sqlite import SqliteStore

__all__ = [
    "SqlStore",
    "SqliteStore",
    "is_embedded",
    "locate",
    "open_points",
    "open_sql_store",
    "open_store",
    "path_of",
    "with_queue",
    "without_secrets",
]
