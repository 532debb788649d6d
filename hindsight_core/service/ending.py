"""Ends a service that is told to end: in order where it can, in any case soon."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, Protocol

__all__ = ["LONGEST_GOODBYE", "end_on_sigterm", "end_server_on_sigterm"]

LONGEST_GOODBYE: Final = 9.0
"""Seconds from SIGTERM until a process that has not ended is ended; Docker kills at ten."""


class _Server(Protocol):
    should_exit: bool


def end_server_on_sigterm(server: _Server) -> None:
    """End a `uvicorn.Server` in order on SIGTERM, with exit code 0.

    It has a handler of its own while it listens; this one is for the time before, and for what
    follows: the server raises the signal once more when it has ended.
    """

    def stop() -> None:
        server.should_exit = True

    end_on_sigterm(stop, code=0)


def end_on_sigterm(
    ask: Callable[[], object], *, code: int, within: float = LONGEST_GOODBYE
) -> None:
    """On SIGTERM call `ask`, which is to end the service; leave with `code` if it does not.

    `ask` runs in the main thread wherever that happens to be, so it only leaves a word: raising
    there could part the service's own bookkeeping, or be swallowed by it. What may hold the end
    up for ever is outside of the process, as a client that no longer reads; `within` seconds
    after the signal the process is over. A store loses nothing by that: each write was durable
    when it was acknowledged. Call it in the main thread.
    """

    def told(number: int, frame: FrameType | None) -> None:
        del number, frame
        threading.Thread(target=_leave, args=(code, within), daemon=True).start()
        ask()

    signal.signal(signal.SIGTERM, told)


def _leave(code: int, within: float) -> None:
    time.sleep(within)
    sys.stderr.write(f"hindsight_core: told to end {within:g} s ago and still held up: leaving\n")
    sys.stderr.flush()
    os._exit(code)
