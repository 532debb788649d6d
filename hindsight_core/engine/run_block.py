"""Lets a run of a loop by hand be held by `with`, so that it ends however its block is left."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from hindsight_core.capture import error_text
from hindsight_core.control_flow import is_control_flow
from hindsight_core.workers import in_executor

__all__ = ["RunBlock"]


class RunBlock(ABC):
    """The `with` and `async with` of a run.

    A block that comes to its end is a run that ended well; one that an exception leaves, a run that
    failed, and the exception passes on. One that was cancelled or interrupted came to no outcome.
    What `finish` was told inside stands, unless something happened after it.
    """

    _over = False

    @abstractmethod
    def finish(self, ok: bool | None = None, error: str = "") -> None:
        """End the run."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._over:
            return
        if error is None:
            self.finish(ok=True)
        elif is_control_flow(error):
            self.finish()
        else:
            self.finish(ok=False, error=error_text(error))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await in_executor(self.__exit__, kind, error, trace)
