"""Ends an open memory: what this process recorded is judged, then threads and store are let go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.intake import Intake

__all__ = ["close_down"]


class Worker(Protocol):
    """A thread of ours."""

    def stop(self) -> None:
        """End after the step at hand."""
        ...


def close_down(core: Core, intake: Intake, encoder: Encoder, background: Sequence[Worker]) -> None:
    """Release everything; runs once, at `close`, at exit, or when nobody holds the memory."""
    for worker in background:
        worker.stop()
    core.failsafe.wait_for_kept(core.settings.deadline)
    if core.store_is_open:
        core.failsafe.call("close", None, intake.drain_own)
    encoder.stop()
    core.close()
