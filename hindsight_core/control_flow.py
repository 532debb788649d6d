"""Exceptions by which a host steers its own flow: they are no errors, and always pass."""

from __future__ import annotations

import asyncio
from typing import Final

__all__ = ["is_control_flow", "let_through"]

_known: Final[set[type[BaseException]]] = {asyncio.CancelledError, KeyboardInterrupt, SystemExit}


def let_through(*types: type[BaseException]) -> None:
    """Name exception types by which a host steers its own flow, so that none is swallowed."""
    _known.update(types)


def is_control_flow(error: BaseException) -> bool:
    """Whether an exception steers a host's own flow, and says nothing of what it left."""
    return not isinstance(error, Exception) or isinstance(error, tuple(_known))
