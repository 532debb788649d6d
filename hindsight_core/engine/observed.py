"""Lets the observer see a step of the engine: one line above the method that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from hindsight_core.engine.core import Core
from hindsight_core.ports import PutResult
from hindsight_core.ports_observing import SILENT, Operation
from hindsight_core.recall import RecallReport
from hindsight_core.schema import Memory

__all__ = ["count_found", "count_stored", "observed"]


def count_stored(results: Sequence[PutResult]) -> Mapping[str, float]:
    """How many memories a step stored anew."""
    return {"records": sum(result.created for result in results)}


class _Recalled(Protocol):
    @property
    def memories(self) -> Sequence[Memory]: ...
    @property
    def report(self) -> RecallReport: ...


def count_found(found: _Recalled) -> Mapping[str, str | float]:
    """What may be known of a recall: counts, and whether it went by meaning."""
    return {
        "records": len(found.memories),
        "candidates": len(found.report.candidates),
        "tokens": found.report.tokens,
        "by_meaning": bool(found.report.embedder),
    }


class _Part(Protocol):
    @property
    def _core(self) -> Core: ...


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=_Part)


def observed(
    operation: Operation, facts: Callable[[Any], Mapping[str, str | float]]
) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Run a method under the observer; `facts` of its result are counts and names of ours."""

    def over(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def watched(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            observer = self._core.observer  # pyright: ignore[reportPrivateUsage]
            if observer is SILENT:
                return method(self, *args, **kwargs)
            with observer.watch(operation) as seen:
                result = method(self, *args, **kwargs)
                for name, value in facts(result).items():
                    seen.note(name, value)
                return result

        return watched

    return over
