"""`capture_everywhere`: one handler for all that the process runs."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any, Final, cast

from langchain_core.tracers.context import register_configure_hook

from hindsight_core import Hindsight
from langchain_hindsight.callbacks import HindsightCallbackHandler, Listener

__all__ = ["capture_everywhere"]


class _EverywhereHandler(HindsightCallbackHandler):
    """Hears the whole process until it is closed."""

    def close(self) -> None:
        """Capture nothing more, and close the memory if it was opened here."""
        if _everywhere.handler is self:
            _everywhere.handler = None
        super().close()


class _Everywhere:
    """What the framework asks, as it would a `ContextVar`, for the handler of any context.

    A context variable would not do: a thread begins with an empty context.
    """

    handler: HindsightCallbackHandler | None = None

    def get(self) -> HindsightCallbackHandler | None:
        """The handler that the process has now."""
        return self.handler


_everywhere: Final = _Everywhere()
_registered = threading.Event()


def capture_everywhere(
    hindsight: Hindsight | str | None = None,
    *,
    user: str | None = None,
    tenant: str | None = None,
) -> HindsightCallbackHandler:
    """Capture every chain and agent of this process from now on, with no change to them.

    It holds for all threads and event loops, until it is called again or the handler is closed.
    What has a handler of this kind among its own callbacks is left to that. Raises `HindsightError`
    when the store cannot be opened.
    """
    handler = _EverywhereHandler(hindsight, user=user, tenant=tenant)
    if not _registered.is_set():
        _registered.set()
        hook = cast("ContextVar[Any]", _everywhere)
        register_configure_hook(hook, inheritable=True, handle_class=Listener)
    _everywhere.handler = handler
    return handler
