"""`AutoGenChat`: the agent's own model client, for what is thought about after its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from autogen_core.models import (
    ChatCompletionClient,
    CreateResult,
    SystemMessage,
    UserMessage,
)

from hindsight_core.answering import Forms, response_format
from hindsight_core.errors import ConfigurationError, ModelError

__all__ = ["AutoGenChat"]

_SECONDS: Final = 60.0


class AutoGenChat:
    """Answers by an AutoGen model client: `Hindsight.open(chat=AutoGenChat(client))`.

    A client belongs to the event loop that it was first used in, so each answer is asked of a copy
    that is made from the client's own configuration (`dump_component`) and closed afterwards. A
    client that cannot be copied so is given as a function that makes one. JSON is asked for by
    schema, then as any JSON, then by the prompt alone. An answer that takes longer than `timeout`
    seconds is given up. Raises `ConfigurationError`.
    """

    def __init__(
        self,
        client: ChatCompletionClient | Callable[[], ChatCompletionClient],
        *,
        timeout: float = _SECONDS,
    ) -> None:
        self._make = _maker(client)
        self._timeout = timeout
        self._forms = Forms("json_schema", "json_object", "text")
        self._name = _name(client)

    @property
    def name(self) -> str:
        """The model's name, as far as the client tells it."""
        return self._name

    def answer(
        self, system: str, user: str, *, schema: Mapping[str, Any] | None, max_tokens: int
    ) -> str:
        """Return the answer's text; raises `ModelError` for a failure."""
        form = self._forms.now if schema is not None else "text"
        asking = self._ask(system, user, form, schema, max_tokens)
        # On a thread of its own: the caller's may run an event loop.
        with ThreadPoolExecutor(1, thread_name_prefix="hindsight-autogen") as pool:
            try:
                result = pool.submit(asyncio.run, asking).result()
            except ModelError:
                raise
            except Exception as error:  # noqa: BLE001 - raised again as what it means
                self._forms.failed(self._name, form, error)
        if not isinstance(result.content, str):
            raise ModelError(f"{self._name!r} called a tool where none was offered")
        return result.content

    async def _ask(
        self,
        system: str,
        user: str,
        form: str,
        schema: Mapping[str, Any] | None,
        max_tokens: int,
    ) -> CreateResult:
        client = self._make()
        messages = [SystemMessage(content=system), UserMessage(content=user, source="user")]
        wanted = response_format(form, schema)
        plain: dict[str, Any] = {"json_output": True} if wanted and _knows_json(client) else {}
        ways: list[dict[str, Any]] = [
            {"extra_create_args": {"max_tokens": max_tokens, "response_format": wanted}},
            {"extra_create_args": {"max_tokens": max_tokens}, **plain},
            plain,
        ]
        try:
            for options in ways[:-1] if wanted else ways[1:-1]:
                try:
                    asked = client.create(messages, **options)
                    return await asyncio.wait_for(asked, self._timeout)
                except (TypeError, ValueError):
                    # A client says so, before it asks, that it does not know an argument.
                    continue
            return await asyncio.wait_for(client.create(messages, **ways[-1]), self._timeout)
        finally:
            await client.close()


def _knows_json(client: ChatCompletionClient) -> bool:
    return bool(client.model_info.get("json_output"))


def _maker(
    client: ChatCompletionClient | Callable[[], ChatCompletionClient],
) -> Callable[[], ChatCompletionClient]:
    if not isinstance(client, ChatCompletionClient):
        if not callable(client):
            raise ConfigurationError(
                f"client: must be a model client or make one, got {type(client).__name__}"
            )
        return client
    try:
        component = client.dump_component()
    except NotImplementedError as error:
        raise ConfigurationError(
            f"client: {type(client).__name__} cannot be copied. Pass a function that makes one: "
            "AutoGenChat(lambda: ...)"
        ) from error
    return lambda: ChatCompletionClient.load_component(component)


def _name(client: object) -> str:
    if isinstance(client, ChatCompletionClient):
        config: Any = client.dump_component().config
        return str(config.get("model") or type(client).__name__)
    return "autogen"
