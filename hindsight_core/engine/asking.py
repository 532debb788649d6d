"""Asks a chat model for JSON: each request within the budget, repeated with growing pauses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar, cast

from hindsight_core.answering import model_error
from hindsight_core.engine.core import Core
from hindsight_core.errors import (
    HindsightError,
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelRejectedError,
)
from hindsight_core.ports_reflection import ChatModel, Spent
from hindsight_core.recall import count_tokens
from hindsight_core.reflect import AnswerError

__all__ = [
    "ANSWER_TOKENS",
    "HOUR",
    "Asker",
    "NotAskedError",
    "Question",
    "RejectedError",
    "UnusableError",
]

ANSWER_TOKENS: Final = 2_000
"""Tokens that an answer may have."""
HOUR: Final = timedelta(hours=1)
_LONGEST_PAUSE: Final = 60.0
_MOST_FORMS: Final = 8
_UNLIMITED: Final = Spent(calls=1 << 31, tokens=1 << 62)

T = TypeVar("T")


class NotAskedError(HindsightError):
    """A question was not put, or not put again: the budget is spent, or the work was stopped."""


class UnusableError(HindsightError):
    """A model refused to answer, or gave no valid JSON twice."""


class RejectedError(UnusableError):
    """A server rejected a question in every form, which may be its fault or that of a setting."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What a model is asked, and the schema of its answer."""

    system: str
    text: str
    schema: Mapping[str, Any]

    @property
    def tokens(self) -> int:
        """What is set aside for it, its answer included."""
        return count_tokens(self.system) + count_tokens(self.text) + ANSWER_TOKENS


class Asker:
    """Puts questions to one chat model; `calls` counts the requests so far.

    `wait` pauses for seconds and returns True where the work is to stop; `go_on` is asked before
    each request.
    """

    def __init__(
        self,
        core: Core,
        model: ChatModel,
        *,
        wait: Callable[[float], bool],
        go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self.calls = 0
        self._core = core
        self._model = model
        self._wait = wait
        self._go_on = go_on

    def ask(self, question: Question, read: Callable[[str], T]) -> T:
        """Return what `read` makes of an answer; where it raises `AnswerError`, ask once more.

        Raises `NotAskedError`, `UnusableError`, and `ModelError` when the model cannot be reached.
        """
        try:
            return read(self._request(question, question.text))
        except AnswerError as error:
            again = f"{question.text}\n\nYour last answer was not valid ({error}). Give JSON alone."
        try:
            return read(self._request(question, again))
        except AnswerError as error:
            raise UnusableError(f"{self._model.name} gave no valid JSON twice ({error})") from error

    def _request(self, question: Question, text: str) -> str:
        settings = self._core.settings
        pause, tries, forms = settings.reflection_backoff, settings.reflection_retries, _MOST_FORMS
        while True:
            self._set_aside(question)
            try:
                answer = self._answer(question, text)
            except ModelRejectedError as error:
                raise RejectedError(str(error)) from error
            except ModelRefusedError as error:
                raise UnusableError(str(error)) from error
            except ModelBusyError as error:
                if error.after == 0.0 and forms:  # it is asked in another form, at once
                    forms -= 1
                    continue
                after = pause if error.after is None else error.after
                if not tries or after > _LONGEST_PAUSE:
                    raise
                tries, pause = tries - 1, pause * 2
                if self._wait(after):
                    raise NotAskedError("the work was stopped") from error
            else:
                self._count_surplus(answer)
                return answer

    def _answer(self, question: Question, text: str) -> str:
        """The answer's text; what a model of somebody's own raises becomes a `ModelError`."""
        try:
            said = self._model.answer(
                question.system, text, schema=question.schema, max_tokens=ANSWER_TOKENS
            )
        except HindsightError:
            raise
        except Exception as error:
            raise model_error(self._model.name, error) from error
        answer = cast("object", said)  # not every model keeps its word
        if not isinstance(answer, str):
            raise ModelError(f"{self._model.name!r} answered {type(answer).__name__}, not a text")
        return answer

    def _set_aside(self, question: Question) -> None:
        if not self._go_on():
            raise NotAskedError("another process has taken over")
        settings, now = self._core.settings, self._core.clock()
        most = Spent(
            calls=settings.reflection_calls_per_hour, tokens=settings.reflection_tokens_per_hour
        )
        if not self._core.store.spend(at=now, since=now - HOUR, tokens=question.tokens, most=most):
            raise NotAskedError("the hourly budget is spent")
        self.calls += 1

    def _count_surplus(self, answer: str) -> None:
        """Count what a model answered beyond its limit, which not every model keeps."""
        surplus = count_tokens(answer) - ANSWER_TOKENS
        if surplus > 0:
            now = self._core.clock()
            self._core.store.spend(at=now, since=now - HOUR, tokens=surplus, most=_UNLIMITED)
