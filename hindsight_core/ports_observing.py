"""What may watch the memory at work: how long its steps took and how they ended, never a text."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Final, Literal, Protocol, TypeAlias

__all__ = ["SECONDS", "SILENT", "Observation", "Observer", "Operation", "Silent", "together"]

Operation: TypeAlias = Literal["recall", "capture", "gate"]
"""`recall` finds memories for a query, `capture` judges a run and stores what it taught, `gate`
looks at a tool call before it runs."""


SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Bounds of the histograms of durations: a gate takes less than a millisecond, a model seconds."""


class Observation(Protocol):
    """One step that is going on."""

    def note(self, name: str, value: str | float) -> None:
        """Add a count, a flag or a name of ours; never a text, an argument or a user."""
        ...


class Observer(Protocol):
    """Watches steps; it is called on the agent's path, so it must not wait for anything."""

    def watch(self, operation: Operation) -> AbstractContextManager[Observation]:
        """The context in which a step runs; an error of the step leaves it unchanged."""
        ...


class _Unnoted:
    def note(self, name: str, value: str | float) -> None:
        """Nobody is watching."""


class Silent:
    """Watches nothing, which takes a fraction of a microsecond."""

    _nothing: Final = nullcontext(_Unnoted())

    def watch(self, operation: Operation) -> AbstractContextManager[Observation]:
        del operation
        return self._nothing


SILENT: Final = Silent()


class _Several:
    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    @contextmanager
    def watch(self, operation: Operation) -> Generator[Observation]:
        with ExitStack() as stack:
            yield _Noted([stack.enter_context(one.watch(operation)) for one in self._observers])


class _Noted:
    def __init__(self, observations: Sequence[Observation]) -> None:
        self._observations = observations

    def note(self, name: str, value: str | float) -> None:
        for one in self._observations:
            one.note(name, value)


def together(*observers: Observer) -> Observer:
    """One observer for several; of none it is the silent one."""
    return observers[0] if len(observers) == 1 else _Several(observers) if observers else SILENT
