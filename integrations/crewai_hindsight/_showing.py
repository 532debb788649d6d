"""What stands in an agent's messages for the time of one model call, and is taken back after it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

from crewai_hindsight._reading import text_of

__all__ = ["Showing"]


class Showing:
    """Puts what is recalled into an executor's list of messages, which CrewAI keeps and hands on.

    Whole messages are replaced by copies, so taking them back leaves what was there, to the byte.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._messages: list[Any] = []
        self._originals: dict[int, tuple[Any, Any]] = {}

    def put(self, messages: list[Any], block: str, advice: Mapping[str, str]) -> None:
        """Complete the first message with the block, and that of each failed call with advice.

        `advice` is by the text that the agent saw of the failure.
        """
        self.take_back()
        with self._lock:
            self._messages = messages
            if block and messages:
                self._replace(0, block)
            for seen, said in advice.items():
                place = _last(messages, lambda text, seen=seen: text.rstrip().endswith(seen))
                if place:
                    self._replace(place, said)

    def take_back(self) -> None:
        """Put the original messages back; harmless where nothing is shown."""
        with self._lock:
            for place, message in enumerate(self._messages):
                shown, original = self._originals.get(id(message), (None, None))
                if shown is message:
                    self._messages[place] = original
            self._messages, self._originals = [], {}

    def _replace(self, place: int, text: str) -> None:
        original: dict[str, Any] = self._messages[place]
        content = original.get("content")
        longer: object = f"{content}\n\n{text}" if content else text
        if isinstance(content, list):
            longer = [*cast("list[object]", content), {"type": "text", "text": text}]
        shown = {**original, "content": longer}
        _, first = self._originals.pop(id(original), (None, original))
        self._messages[place] = shown
        self._originals[id(shown)] = (shown, first)


def _last(messages: list[Any], wanted: Callable[[str], bool]) -> int:
    """The place of the last message after the first whose text is wanted, else 0."""
    places = range(len(messages) - 1, 0, -1)
    return next((place for place in places if wanted(text_of(messages[place]))), 0)
