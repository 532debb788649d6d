"""`LangChainChat`: the agent's own chat model, for what is thought about after its runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import Any, Final, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from hindsight_core.answering import Forms, least
from hindsight_core.errors import ConfigurationError, ModelRefusedError

__all__ = ["LangChainChat"]

_FORMS: Final[Mapping[str, Mapping[str, Any] | None]] = {
    "json_schema": {"method": "json_schema", "strict": True},
    "json_object": {"method": "json_mode"},
    "provider": {},
    "text": None,
}
"""What `with_structured_output` is told, the strictest first; None for the prompt alone."""


class LangChainChat:
    """Answers by a LangChain chat model: `Hindsight.open(chat=LangChainChat(model))`.

    `model` is a chat model, or a name that `init_chat_model` reads. JSON is asked for by schema,
    then as any JSON, then as the provider does it, then by the prompt alone, whichever the model
    takes. No callback of the running agent hears the question. A model repeats requests by itself
    unless it was made with `max_retries=0`; no budget sees those. Raises `ConfigurationError`.
    """

    def __init__(self, model: BaseChatModel | str) -> None:
        if isinstance(model, str):
            from langchain.chat_models import init_chat_model

            model = init_chat_model(model)
        if not isinstance(model, BaseChatModel):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f"model: must be a LangChain chat model or its name, got {type(model).__name__}"
            )
        self._model = model
        self._forms = Forms(*_FORMS)

    @property
    def name(self) -> str:
        """The model's name."""
        for field in ("model_name", "model"):
            if isinstance(found := getattr(self._model, field, None), str) and found:
                return found
        return type(self._model).__name__

    def answer(
        self, system: str, user: str, *, schema: Mapping[str, Any] | None, max_tokens: int
    ) -> str:
        """Return the answer's text; raises `ModelError` for a failure or a refusal."""
        model = self._model.model_copy(update=least(self._model, max_tokens))
        form, ask = self._bound(model, schema)
        messages = [SystemMessage(system), HumanMessage(user)]
        config = RunnableConfig(callbacks=[], run_name="hindsight", tags=["hindsight"])
        try:
            # In a context of its own: what listens to the agent's run does not hear this.
            answer = Context().run(ask, messages, config)
        except Exception as error:
            if type(error).__name__ == "OpenAIRefusalError":
                raise ModelRefusedError(f"{self.name!r} refused to answer") from error
            self._forms.failed(self.name, form, error)
        return self._text(answer)

    def _bound(
        self, model: BaseChatModel, schema: Mapping[str, Any] | None
    ) -> tuple[str, Callable[..., Any]]:
        """The strictest form that the model has, and how it is called with it."""
        while schema is not None and (how := _FORMS[form := self._forms.now]) is not None:
            try:
                titled = {"title": "answer", "description": "The answer.", **schema}
                chain = model.with_structured_output(titled, include_raw=True, **how)
            except (NotImplementedError, TypeError, ValueError):
                self._forms.give_up(form)  # an integration without it says so in various ways
            else:
                return form, chain.invoke
        return "text", model.invoke

    def _text(self, answer: Any) -> str:
        parsed = None
        if isinstance(answer, Mapping):
            found = cast("Mapping[str, Any]", answer)
            parsed, answer = found.get("parsed"), found.get("raw")
        if isinstance(parsed, Mapping):
            return json.dumps(parsed, ensure_ascii=False, default=str)
        if not isinstance(answer, AIMessage):
            return ""
        if answer.additional_kwargs.get("refusal"):
            raise ModelRefusedError(f"{self.name!r} refused to answer")
        return str(answer.text)
