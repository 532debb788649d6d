"""`CrewAIChat`: the crew's own LLM, for what is thought about after its runs."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import Context
from typing import Any

from crewai import LLM
from crewai.llms.base_llm import BaseLLM

from hindsight_core.answering import Forms, least, response_format
from hindsight_core.errors import ConfigurationError, ModelError, ModelRefusedError

__all__ = ["CrewAIChat"]


class CrewAIChat:
    """Answers by a CrewAI LLM: `Hindsight.open(chat=CrewAIChat(LLM(model="...")))`.

    `llm` is an LLM, or the name of a model. JSON is asked for by schema, then as any JSON, where
    the provider has a `response_format`, and else by the prompt alone. The LLM itself is left as it
    is, and no agent's memory is shown to it. It repeats requests by itself, at a rate limit even
    with `max_retries=0`; no budget sees those. Raises `ConfigurationError`.
    """

    def __init__(self, llm: BaseLLM | str) -> None:
        if isinstance(llm, str):
            llm = LLM(model=llm)
        if not isinstance(llm, BaseLLM):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f"llm: must be a CrewAI LLM or a model's name, got {type(llm).__name__}"
            )
        self._llm = llm
        formats = "response_format" in type(llm).model_fields
        self._forms = Forms("json_schema", "json_object", "text") if formats else Forms("text")

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.model

    def answer(
        self, system: str, user: str, *, schema: Mapping[str, Any] | None, max_tokens: int
    ) -> str:
        """Return the answer's text; raises `ModelError` for a failure or a refusal."""
        form = self._forms.now if schema is not None else "text"
        changed: dict[str, Any] = dict(least(self._llm, max_tokens))
        if wanted := response_format(form, schema):
            changed["response_format"] = wanted
        llm = self._llm.model_copy(update=changed)
        messages: Any = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        try:
            # In a context of its own: no crew or agent that runs meanwhile is meant.
            answer: object = Context().run(llm.call, messages)
        except Exception as error:
            if type(error).__name__ == "LLMCallBlockedError":
                raise ModelRefusedError(f"a hook of yours blocked the question: {error}") from error
            self._forms.failed(self.name, form, error)
        if not isinstance(answer, str):
            raise ModelError(f"{self.name!r} called a tool where none was offered")
        return answer
