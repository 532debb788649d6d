"""Which attempt at which call of a run a hook is about."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TypeAlias

from hindsight_core.schema import ToolCall

__all__ = ["Attempts", "Slot", "slot_of"]

Slot: TypeAlias = tuple[str | None, str]


def slot_of(call: ToolCall) -> Slot:
    """What tells a call from the others of its run: some models give one id to several."""
    return call.call_id, call.signature


class Attempts:
    """Counts the attempts of one run; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._newest: dict[Slot, int] = {}
        self._unnamed = 0

    def begin(self, call: ToolCall) -> None:
        """Count one more attempt at a call."""
        with self._lock:
            name = call.call_id or call.signature
            self._counts[name] += 1
            self._newest[slot_of(call)] = self._counts[name]

    def number(self, call: ToolCall) -> int:
        """The how-manieth attempt under its id this is; the newest one's where none was begun."""
        with self._lock:
            newest = self._newest.get(slot_of(call)) or self._counts[call.call_id or call.signature]
            return max(1, newest)

    def key(self, call: ToolCall) -> str:
        """What makes an attempt the same when a hook fires twice for it.

        A retry counts as a new attempt only when the gate was asked again before it. Another call
        under an id that was given before is told apart in another process too, where the count
        begins anew.
        """
        if call.call_id:
            return f"{call.call_id}/{call.signature}#{self.number(call)}"
        with self._lock:
            self._unnamed += 1
            return f"{call.signature}#{self._unnamed}"
