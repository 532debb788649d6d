"""Chat models of any OpenAI-compatible endpoint, through the `openai` package."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hindsight_core.answering import Forms, response_format
from hindsight_core.errors import ModelBusyError, ModelError, ModelRefusedError
from hindsight_core.models.openai import open_client

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["OpenAIChat"]


class OpenAIChat:
    """Answers through `POST {base_url}/chat/completions`: OpenAI, Azure, vLLM, Ollama and others.

    An answer is asked for by `json_schema`; a server that rejects it is asked for `json_object`,
    and one that rejects that for plain text, from then on. One answer is one request: reflection
    repeats it with growing pauses, each time within its budget. With `max_retries` above 0 the
    client repeats requests too, which no budget sees. `options` go into every request (such as
    `temperature`). Pass `client` to bring your own, e.g. `AzureOpenAI`. Raises `MissingExtraError`
    and `ConfigurationError`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int = 0,
        timeout: float = 60.0,
        options: Mapping[str, Any] | None = None,
        client: OpenAI | None = None,
    ) -> None:
        if client is not None:
            self._client = client.with_options(max_retries=max_retries)
        else:
            self._client = open_client(base_url, api_key, max_retries, timeout)
            weakref.finalize(self, self._client.close)  # its connections are nobody else's
        self._model = model
        self._options = dict(options or {})
        self._forms = Forms("json_schema", "json_object", "text")
        self._limit = "max_tokens"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def answer(
        self, system: str, user: str, *, schema: Mapping[str, Any] | None, max_tokens: int
    ) -> str:
        """Return the answer's text; raises `ModelError` for a failure or a refusal."""
        from openai import OpenAIError

        create: Callable[..., Any] = self._client.chat.completions.create
        form = self._forms.now if schema is not None else "text"
        wanted = response_format(form, schema)
        options = {self._limit: max_tokens} | self._options
        try:
            answer = create(
                model=self._model,
                messages=[
                    {"role": "system", "content": system},
                    {"role": "user", "content": user},
                ],
                **(options | ({"response_format": wanted} if wanted else {})),
            )
        except OpenAIError as error:
            # Models that think know the limit by another name, and their servers say so.
            if self._limit == "max_tokens" and "max_completion_tokens" in str(error):
                self._limit = "max_completion_tokens"
                raise ModelBusyError(f"{self._model!r} limits otherwise", after=0.0) from error
            self._forms.failed(self._model, form, error)
        return self._text(answer)

    def _text(self, answer: Any) -> str:
        if not getattr(answer, "choices", None):
            raise ModelError(f"{self._model!r} gave no answer")
        message = answer.choices[0].message
        if getattr(message, "refusal", None):
            raise ModelRefusedError(f"{self._model!r} refused to answer")
        return message.content or ""
