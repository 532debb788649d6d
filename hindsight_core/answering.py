"""What all adapters of chat models share: how JSON is asked for, and what a provider's error means.

An adapter sends one request an answer and repeats nothing: who asks counts each request against the
budget, waits, and asks again.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from hindsight_core.errors import ModelBusyError, ModelError, ModelRejectedError

__all__ = ["Forms", "least", "model_error", "response_format"]

_REJECTED: Final = (400, 422)
_BUSY: Final = (408, 409, 425, 429)
_PASSING: Final = re.compile(r"timeout|connect", re.IGNORECASE)
_LIMITS: Final = ("max_completion_tokens", "max_tokens", "max_output_tokens", "num_predict")
"""The names by which models of the frameworks call the limit of an answer, the best first."""


class Forms:
    """The ways of asking for JSON that a server may know, the strictest first; thread-safe.

    What was rejected once is not tried again, unless the laxest one is rejected as well: then it
    was the question that was at fault, or another setting, and no form.
    """

    def __init__(self, *names: str) -> None:
        self._names = names
        self._at = 0
        self._lock = threading.Lock()

    @property
    def now(self) -> str:
        """The strictest form that was not rejected yet."""
        return self._names[self._at]

    def give_up(self, form: str) -> bool:
        """Note that a form is not known; False after the last one, and all are tried again."""
        with self._lock:
            if form == self._names[-1]:
                self._at = 0
                return False
            self._at = max(self._at, self._names.index(form) + 1)
            return True

    def failed(self, model: str, form: str, error: Exception) -> NoReturn:
        """Raise what a provider's error means: `ModelError`, or one of its kinds.

        A rejected request raises `ModelBusyError` with no pause where a laxer form is left, else
        `ModelRejectedError`.
        """
        if _status(error) in _REJECTED:
            if self.give_up(form):
                raise ModelBusyError(
                    f"{model!r} does not take {form!r}; it is asked another way", after=0.0
                ) from error
            raise ModelRejectedError(f"{model!r} rejected the request: {error}") from error
        raise model_error(model, error) from error


def response_format(form: str, schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The `response_format` of an OpenAI-compatible request; None for plain text."""
    if schema is None or form not in ("json_schema", "json_object"):
        return None
    if form == "json_object":
        return {"type": form}
    return {"type": form, "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}


def model_error(model: str, error: Exception) -> ModelError:
    """What a provider's error means: whether the same question may be asked again, and when.

    Every client has classes of its own; they have the HTTP status in common, or that of the error
    that they were raised from.
    """
    status = _status(error)
    passing = isinstance(error, OSError) or any(
        _PASSING.search(type(one).__name__) for one in _chain(error)
    )
    text = f"{model!r} failed: {error}"
    if status in _BUSY or (status is not None and status >= 500) or (status is None and passing):
        return ModelBusyError(text, after=_retry_after(error))
    return ModelError(text)


def least(model: object, max_tokens: int) -> dict[str, int]:
    """The field by which a framework's model limits its answers, no larger than it was set to."""
    fields: Mapping[str, Any] = getattr(type(model), "model_fields", {})
    known = [name for name in _LIMITS if name in fields]
    for name in known:
        if (limit := getattr(model, name)) is not None:
            return {name: min(int(limit), max_tokens)}
    return {known[-1]: max_tokens} if known else {}


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen:
        seen.append(at)
        yield at
        at = at.__cause__ or at.__context__


def _status(error: BaseException) -> int | None:
    for one in _chain(error):
        status = getattr(one, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _retry_after(error: BaseException) -> float | None:
    """The seconds that a server names; a pause of none is as good as none named."""
    for one in _chain(error):
        headers: Any = getattr(getattr(one, "response", None), "headers", None)
        said = str(headers.get("retry-after", "")) if headers is not None else ""
        if said.isascii() and said.replace(".", "", 1).isdigit():
            return float(said) or None
    return None
