"""Has a run judged at its end, with what it showed to be a secret taken out first."""

from __future__ import annotations

from hindsight_core.capture import Redactor
from hindsight_core.engine.core import Core
from hindsight_core.engine.covering import cover_all
from hindsight_core.engine.intake import Intake
from hindsight_core.schema import Scope

__all__ = ["RunEnd"]


class RunEnd:
    """The judging of one run, as often as it ends.

    What it showed to be a secret, which its `redactor` knows, is taken out of all its texts first.
    """

    def __init__(
        self, core: Core, intake: Intake, redactor: Redactor, *, run_id: str, session: str | None
    ) -> None:
        self._core = core
        self._intake = intake
        self._redactor = redactor
        self._run_id = run_id
        self._session = session
        self._covered = 0

    def judge(self, scope: Scope) -> None:
        """Judge the run."""
        if len(self._redactor) > self._covered:
            self._covered = len(self._redactor)
            cover_all(self._core.store, scope, self._run_id, self._redactor, session=self._session)
        self._intake.drain(self._run_id)
