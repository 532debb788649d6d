"""`HindsightMemory`: memory for an AutoGen agent, in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

from autogen_core import CancellationToken, Component
from autogen_core.memory import (
    Memory,
    MemoryContent,
    MemoryMimeType,
    MemoryQueryResult,
    UpdateContextResult,
)
from autogen_core.model_context import ChatCompletionContext
from autogen_core.tools import FunctionTool

from autogen_hindsight._calls import calling_now
from autogen_hindsight._conversation import PEOPLE, HindsightMemoryConfig
from autogen_hindsight._details import Details, make_details_tool
from autogen_hindsight._reading import text_of
from autogen_hindsight._tap import ContextTap, tap_of
from hindsight_core import Block, Handle, Hindsight, Kind, LiveRuns, Scope, in_executor

__all__ = ["HindsightMemory", "HindsightMemoryConfig"]


class HindsightMemory(Handle, Memory, Component[HindsightMemoryConfig]):
    """Captures what the agent does, recalls what matters, and speaks up at known failures.

    Give it to each agent: `AssistantAgent(..., memory=[HindsightMemory()])`. It sees messages, tool
    calls and results in the agent's model context, and puts what it recalls before the model at
    each call, never into the context itself. To stop calls, and for the time and the exception of
    each call, `attach` the agent. An error of ours never reaches it: see `hindsight.health()`.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store. A memory opened here is closed by `close`, or else at exit.
        user: Whose memories these are.
        tenant: The tenant of the user.
        agent: Narrows the scope: what this agent learns no other agent sees.
        session: The conversation's id, where the application has one that outlives the process.
        task: What is done, in the application's words; without it the person's own.
        task_id: All turns are one run of that id, so that a failure in one turn finds its fix in a
            later one. Without it a run is what is done about one message of a person.
        people: The sources whose messages a person writes; all others are agents.
        nested: Whether another agent writes what this one is told, so that no preference is learnt
            of it. Without it that is so inside a tool of a watched agent.

    Raises:
        HindsightError: The store cannot be opened.
    """

    component_type = "memory"
    component_config_schema = HindsightMemoryConfig
    component_provider_override = "autogen_hindsight.HindsightMemory"

    def __init__(
        self,
        hindsight: Hindsight | str | None = None,
        *,
        user: str | None = None,
        tenant: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        task: str = "",
        task_id: str | None = None,
        people: Sequence[str] = PEOPLE,
        nested: bool | None = None,
    ) -> None:
        self._runs = LiveRuns(hindsight, framework="autogen", agent=agent)
        self.hindsight = self._runs.hindsight
        self._details = Details()
        # Not validated here: who the user is the memory itself checks, and says so in `health()`.
        self._config = HindsightMemoryConfig.model_construct(
            url=self.hindsight.url,
            user=user,
            tenant=tenant,
            agent=agent,
            session=session,
            task=task,
            task_id=task_id,
            people=sorted(people),
            nested=nested,
        )

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Begin a turn: what is recalled for it is shown at each of its model calls.

        The framework reports the result as an event; nothing is added to the context.
        """
        block: Block | None = None
        with self.hindsight.guard("autogen.update_context"):
            block = await self.tap(model_context).begin()
        lines = zip(block.lines, block.memory_ids, strict=True) if block else ()
        found = [_content(line, memory_id=memory_id) for line, memory_id in lines]
        return UpdateContextResult(memories=MemoryQueryResult(results=found))

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        """Recall for a query; `top_k` and `threshold` as `Hindsight.recall` takes them."""
        del cancellation_token
        text = query if isinstance(query, str) else text_of(query.content)
        found = await in_executor(self.hindsight.recall, self._scope(), text, **kwargs)
        return MemoryQueryResult(
            results=[
                _content(m.content, memory_id=m.id, kind=m.kind.value, source=m.source.value)
                for m in found.memories
            ]
        )

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Remember a text; `metadata["kind"]` may say what it is. Raises `HindsightError`."""
        del cancellation_token
        kind: Any = (content.metadata or {}).get("kind", Kind.FACT)
        text = text_of(content.content)
        await in_executor(self.hindsight.remember, self._scope(), text, kind=kind)

    async def clear(self) -> None:
        """Erase everything in this memory's scope."""
        await in_executor(self.hindsight.forget, self._scope())

    async def close(self) -> None:
        """Close the memory, if it was opened here."""
        await in_executor(self._runs.close)

    def tap(self, context: ChatCompletionContext) -> ContextTap:
        """Watch a context from now on; the same one is watched once."""
        return tap_of(context, self._runs, self._config, self._details)

    def details_tool(self) -> FunctionTool:
        """The tool `memory_details`, to be given to each agent that has this memory.

        From then on a memory is shown as one line, of which the agent can ask more.
        """
        self._details.given = True

        def answering() -> Callable[[str], str]:
            scope, calling = self._scope(), calling_now.get()
            run = calling.live.recorder if calling is not None and not calling.over else None
            # A task may still know of a turn that was left, for another user perhaps.
            if run is not None and run.scope is not None and _whose(run.scope) == _whose(scope):
                return run.details
            return partial(self.hindsight.details, scope)

        return make_details_tool(answering)

    def _scope(self) -> Scope:
        config = self._config
        return self.hindsight.scope_of(config.user, tenant=config.tenant, agent=config.agent)

    def _to_config(self) -> HindsightMemoryConfig:
        return self._config

    @classmethod
    def _from_config(cls, config: HindsightMemoryConfig) -> Self:
        return cls(config.url, **config.model_dump(exclude={"url"}))


def _whose(scope: Scope) -> tuple[str | None, ...]:
    return scope.tenant, scope.user, scope.agent


def _content(text: str, **metadata: str) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=dict(metadata))
