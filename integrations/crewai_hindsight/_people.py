"""For whom crews were kicked off, as the inputs of each kickoff name them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

__all__ = ["People"]

Person: TypeAlias = tuple[str | None, str | None]
_NOBODY: Final[Person] = (None, None)


class People:
    """The user and the tenant of each crew that goes on; they leave with the crew."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], Person]] = {}

    def come(self, crew: Any, inputs: Mapping[str, object]) -> None:
        """Take those of a kickoff, and nobody from the one before it.

        A kickoff that was cancelled comes to no end at which they could leave.
        """
        self.leave(crew)
        user, tenant = (str(inputs.get(name) or "") for name in ("user_id", "tenant_id"))
        if crew is not None and (user or tenant):
            key = id(crew)  # another crew's, once this one is gone
            gone = weakref.ref(crew, lambda _: self._known.pop(key, None))
            self._known[key] = gone, (user or None, tenant or None)

    def of(self, crew: Any) -> Person:
        """The user and the tenant of a crew, None for whom its inputs do not name."""
        found = self._known.get(id(crew))
        return found[1] if found else _NOBODY

    def leave(self, crew: Any) -> None:
        """Forget those of a crew whose kickoff has come to its end."""
        self._known.pop(id(crew), None)
