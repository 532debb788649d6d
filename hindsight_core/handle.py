"""What stands for something that the process has once."""

from __future__ import annotations

from typing import Any, Self

__all__ = ["Handle"]


class Handle:
    """A copy of it, shallow or deep, is the same object.

    A host that copies its agents goes on with the one memory and the runs that go on in it.
    """

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
