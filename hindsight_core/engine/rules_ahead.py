"""The rules that a run's first tool call is held to, read while nobody waits for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from hindsight_core.engine.core import Core
from hindsight_core.engine.gating import Gatekeeper
from hindsight_core.schema import Scope

__all__ = ["RulesAhead"]


class RulesAhead:
    """What the gate goes by in one run, read with the recall; good until anybody writes anything.

    So a rule that is told while the model thinks holds for the very next call.
    """

    def __init__(self, core: Core, gatekeeper: Gatekeeper) -> None:
        self._core = core
        self._gatekeeper = gatekeeper
        self._read = False
        self._counter: int | None = None

    def steps(self, scope: Scope, tools: Iterable[str]) -> list[Callable[[], object]]:
        """What is to be read, one by one: the user's rules, then what is known of each tool."""
        return [partial(self._read_book, scope, tool) for tool in ("", *sorted(tools))]

    def mark(self) -> None:
        """Say that the run itself writes nothing more before the model answers."""
        if self._read:
            with self._core.failsafe.guard("gate"):  # without it they are read once more
                self._counter = self._core.store.change_counter()

    def still_hold(self) -> bool:
        """Whether nothing was written since, by any process."""
        return self._counter is not None and self._counter == self._core.store.change_counter()

    def _read_book(self, scope: Scope, tool: str) -> None:
        self._gatekeeper.read_ahead(scope, tool, again=not self._read)
        self._read = True
