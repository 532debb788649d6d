"""Waits for the servers that a memory needs, in whatever order they are started."""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from hindsight_core.engine import Hindsight
from hindsight_core.workers import jittered

__all__ = ["wait_until_ready"]

logger: Final = logging.getLogger("hindsight_core")
_FIRST: Final = 0.25
_LONGEST: Final = 10.0
_SAY_AGAIN: Final = 30.0


def wait_until_ready(hindsight: Hindsight, stop: threading.Event) -> bool:
    """Ask again and again until the memory serves, or until `stop` is set; whether it serves.

    The pause doubles from a quarter of a second to ten seconds, with some chance in it, so that
    many clients do not come at once. What is waited for is logged when it changes, and twice a
    minute.
    """
    pause, told, told_at = _FIRST, "", 0.0
    while not stop.is_set():
        state = hindsight.ready()
        if state.ready:
            if told:
                logger.warning("waited for long enough: %s serves", hindsight.url)
            return True
        why = "; ".join(state.waiting_for)
        if why != told or time.monotonic() - told_at > _SAY_AGAIN:
            logger.warning("waiting for %s: %s", hindsight.url, why)
            told, told_at = why, time.monotonic()
        stop.wait(jittered(pause))
        pause = min(2 * pause, _LONGEST)
    return False
