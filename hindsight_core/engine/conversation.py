"""What was said in a run and before it, and the query that its last words come to."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final

from hindsight_core.engine.rewriting import Rewriter
from hindsight_core.events import AgentSaid, UserSaid
from hindsight_core.recall import Turn, needs_turns, self_contained
from hindsight_core.text import shorten

__all__ = ["Conversation"]

_MOST_TURNS: Final = 8
_MOST_SIGNS: Final = 1_000


class Conversation:
    """The turns of one run, after the last ones of the run before it; thread-safe.

    `events` gives those of a run; it is asked once, and only where a message needs earlier turns.
    """

    def __init__(self, events: Callable[[str], Iterable[object]], rewriter: Rewriter) -> None:
        self.first = ""
        self.last = ""
        self._events = events
        self._rewriter = rewriter
        self._lock = threading.Lock()
        self._turns: deque[Turn] = deque(maxlen=_MOST_TURNS)
        self._earlier = ""
        self._thinking: tuple[str, Future[str] | None] = ("", None)
        self._made: dict[str, str] = {}

    def after(self, run_id: str) -> None:
        """Say which run of the same conversation came before."""
        self._earlier = run_id

    def user(self, text: str, *, before: str = "", asked_before: str = "") -> None:
        """Take in what a person said; `before` is what the agent had said, `asked_before` he.

        Where the words need earlier turns, a chat model begins to think about them.
        """
        self.first, self.last = self.first or text, text
        self._made.clear()
        if needs_turns(text):
            self._look_back(before, asked_before)
            turns = list(self._turns)
            self._thinking = (text, self._rewriter.begin(text, turns) if turns else None)
        self._add(Turn(text=text))

    def agent(self, text: str) -> None:
        """Take in what the agent said."""
        self._add(Turn(text=text, by_user=False))

    def question(self, query: str) -> str:
        """The query as one that needs no earlier turn; the model's, where it came in time.

        It stays what it is until a person speaks again.
        """
        if query not in self._made:
            ruled = self_contained(query, self._before(query))
            thought, asked = self._thinking
            self._made[query] = (
                self._rewriter.come(asked, ruled) if asked and thought == query else ruled
            )
        return self._made[query]

    def _look_back(self, before: str, asked_before: str) -> None:
        earlier, self._earlier = self._earlier, ""
        if self._turns:
            return
        for event in self._events(earlier) if earlier else ():
            if isinstance(event, UserSaid) and not event.nested:
                self._add(Turn(text=event.text))
            elif isinstance(event, AgentSaid):
                self._add(Turn(text=event.text, by_user=False))
        if not self._turns:
            if asked_before:
                self._add(Turn(text=asked_before))
            if before:
                self._add(Turn(text=before, by_user=False))

    def _before(self, message: str) -> list[Turn]:
        with self._lock:
            turns = list(self._turns)
        places = [n for n, turn in enumerate(turns) if turn.by_user and turn.text == message]
        return turns[: places[-1]] if places else turns

    def _add(self, turn: Turn) -> None:
        with self._lock:
            self._turns.append(Turn(text=shorten(turn.text, _MOST_SIGNS), by_user=turn.by_user))
