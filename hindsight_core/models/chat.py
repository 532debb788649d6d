"""Chat models of any OpenAI-compatible endpoint, through the `openai` package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from hindsight_core.errors import ModelError, ModelRefusedError
from hindsight_core.models.openai import open_client

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["OpenAIChat"]

_FORMATS: Final = ("json_schema", "json_object", "text")
"""How an answer is asked to be JSON: by schema, as any JSON, by the prompt alone."""


class OpenAIChat:
    """Answers through `POST {base_url}/chat/completions`: OpenAI, Azure, vLLM, Ollama and others.

    An answer is asked for by `json_schema`; a server that rejects it is asked for `json_object`,
    and one that rejects that for plain text, from then on. Requests are retried `max_retries`
    times with growing pauses on 408, 409, 429 and 5xx. `options` go into every request (such as
    `temperature`). Pass `client` to bring your own, e.g. `AzureOpenAI`. Raises `MissingExtraError`
    and `ConfigurationError`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int = 3,
        timeout: float = 60.0,
        options: Mapping[str, Any] | None = None,
        client: OpenAI | None = None,
    ) -> None:
        self._client = client or open_client(base_url, api_key, max_retries, timeout)
        self._model = model
        self._options = dict(options or {})
        self._format = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def answer(
        self, system: str, user: str, *, schema: Mapping[str, Any] | None, max_tokens: int
    ) -> str:
        """Return the answer's text; raises `ModelError` for a failure or a refusal."""
        from openai import BadRequestError, OpenAIError, UnprocessableEntityError

        create: Callable[..., Any] = self._client.chat.completions.create
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        while True:
            options = self._options | self._json(schema)
            try:
                answer = create(
                    model=self._model, messages=messages, max_tokens=max_tokens, **options
                )
            except (BadRequestError, UnprocessableEntityError) as error:
                if schema is None or self._format + 1 == len(_FORMATS):
                    raise ModelRefusedError(
                        f"{self._model!r} rejected the request: {error}"
                    ) from error
                self._format += 1
            except OpenAIError as error:
                raise ModelError(f"the endpoint for {self._model!r} failed: {error}") from error
            else:
                return self._text(answer)

    def _json(self, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        form = _FORMATS[self._format] if schema is not None else "text"
        if form == "text":
            return {}
        if form == "json_object":
            return {"response_format": {"type": form}}
        named = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": form, "json_schema": named}}

    def _text(self, answer: Any) -> str:
        if not answer.choices:
            raise ModelError(f"{self._model!r} gave no answer")
        message = answer.choices[0].message
        if getattr(message, "refusal", None):
            raise ModelRefusedError(f"{self._model!r} refused to answer")
        return message.content or ""
