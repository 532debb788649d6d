"""The file of a store: made where it is missing, and still the same while it is open."""

from __future__ import annotations

import os
from pathlib import Path

from hindsight_core.errors import StoreUnavailableError

__all__ = ["SameFile", "make_file"]


class SameFile:
    """Knows the file that a path led to when this was made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._now()

    def check(self) -> None:
        """Raise `StoreUnavailableError` where the file was moved, deleted or replaced.

        SQLite would go on with the file that has no name any more, which nobody finds again.
        """
        if self._now() != self._known:
            raise StoreUnavailableError(
                f"{self._path} was moved, deleted or replaced while it was open. Put it back where "
                "it was, or close this store and open it again"
            )

    def _now(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - before every statement, so the fastest
        except OSError:
            return None
        return found.st_dev, found.st_ino


def make_file(path: Path) -> None:
    """Make an empty file and its folder where they are missing, for their owner alone."""
    # Never open a file that exists: closing it would drop the locks that this process holds on it.
    try:
        if path.is_dir():
            raise StoreUnavailableError(f"{path} is a folder; name a file inside it")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not path.parent.is_dir():
            raise StoreUnavailableError(
                f"{path.parent} is not a folder; open another path"
            ) from None
    except OSError as error:
        raise StoreUnavailableError(
            f"{path} cannot be made ({error.strerror}). Check that the folder exists and that this "
            "user may write there, or open another path"
        ) from error
