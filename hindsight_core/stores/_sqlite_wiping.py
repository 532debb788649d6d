"""Overwrites what was deleted, so that no text of it is left in the file.

Three places keep deleted text: the segments of the text index until they are merged, the log until
a checkpoint truncates it, and pages whose cells SQLite moved. `secure_delete` zeroes what it frees,
but not the copies that moving cells leaves in a page: of some 1,500 deleted records about one was
found again in the file. Only VACUUM, which writes every page anew, takes those.
"""

from __future__ import annotations

from typing import Final

from hindsight_core.stores._sqlite_connection import SqliteDatabase

__all__ = ["wipe_deleted"]

_SMALL: Final = 64 * 1024 * 1024
"""A file up to this size is rewritten for every deletion: it takes a fraction of a second."""
_MERGED_PAGES: Final = 1_000


def wipe_deleted(database: SqliteDatabase, *, whole: bool = False) -> bool:
    """Overwrite what was deleted, and say whether nothing of it can be left in unused space.

    A large file is only rewritten `whole`, because nobody can write meanwhile. Until then fragments
    of a few deleted records may stand in the unused part of some pages.
    """
    _merge_texts(database)
    rewritten = whole or database.path.stat().st_size <= _SMALL
    if rewritten:
        with database.exclusive() as connection:
            connection.execute("VACUUM")
    _checkpoint(database)
    return rewritten


def _merge_texts(database: SqliteDatabase) -> None:
    # FTS5 marks a deleted row and drops it when its segments are merged, so merge all of them into
    # one, some pages a transaction. (Its own secure-delete needs SQLite 3.42, and older versions
    # that share the file could not read it any more.)
    with database.exclusive() as connection:
        pages = -_MERGED_PAGES
        while True:
            before = connection.total_changes
            connection.execute("INSERT INTO texts (texts, rank) VALUES ('merge', ?)", (pages,))
            if connection.total_changes - before < 2:
                return
            pages = _MERGED_PAGES


def _checkpoint(database: SqliteDatabase) -> None:
    with database.exclusive() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
