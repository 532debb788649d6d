"""`HindsightMemory`: memory for an AutoGen agent, in one line."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Self

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
from pydantic import BaseModel

from autogen_hindsight._conversation import TapOptions
from autogen_hindsight._details import make_details_tool
from autogen_hindsight._reading import text_of
from autogen_hindsight._tap import ContextTap, calling_run
from hindsight_core import Block, Hindsight, Kind, LiveRuns, Place, Scope, in_executor

__all__ = ["HindsightMemory", "HindsightMemoryConfig"]

_PEOPLE: Final = ("user", "user_proxy")
_taps: weakref.WeakKeyDictionary[ChatCompletionContext, dict[tuple[str | None, ...], ContextTap]]
_taps = weakref.WeakKeyDictionary()
"""The taps of each context, by store and scope: two memories of one scope count as one."""


class HindsightMemoryConfig(BaseModel):
    """A `HindsightMemory` as data; `url` is the path or URL of its store."""

    url: str | None = None
    user: str | None = None
    tenant: str | None = None
    agent: str | None = None
    session: str | None = None
    task: str = ""
    task_id: str | None = None
    people: list[str] = list(_PEOPLE)
    nested: bool | None = None


class HindsightMemory(Memory, Component[HindsightMemoryConfig]):
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
        people: Sequence[str] = _PEOPLE,
        nested: bool | None = None,
    ) -> None:
        self._runs = LiveRuns(hindsight, framework="autogen", agent=agent)
        self.hindsight = self._runs.hindsight
        self._options = TapOptions(
            place=Place(user=user, tenant=tenant, session=session, task=task),
            people=frozenset(people),
            agent=agent,
            task_id=task_id,
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
        place = self._options.place
        key = (self.hindsight.url, place.tenant, place.user, self._options.agent)
        taps = _taps.setdefault(context, {})
        if key not in taps:
            taps[key] = ContextTap(self._runs, self._options, context)
        return taps[key]

    def details_tool(self) -> FunctionTool:
        """The tool `memory_details`, to be given to each agent that has this memory.

        From then on a memory is shown as one line, of which the agent can ask more.
        """
        self._options.details.set()

        def answering() -> Callable[[str], str]:
            live = calling_run()
            if live is not None:
                return live.recorder.details
            return partial(self.hindsight.details, self._scope())

        return make_details_tool(answering)

    def _scope(self) -> Scope:
        place, agent = self._options.place, self._options.agent
        return self.hindsight.scope_of(place.user, tenant=place.tenant, agent=agent)

    def _to_config(self) -> HindsightMemoryConfig:
        options = self._options
        return HindsightMemoryConfig(
            url=self.hindsight.url,
            user=options.place.user,
            tenant=options.place.tenant,
            agent=options.agent,
            session=options.place.session,
            task=options.place.task,
            task_id=options.task_id,
            people=sorted(options.people),
            nested=options.nested,
        )

    @classmethod
    def _from_config(cls, config: HindsightMemoryConfig) -> Self:
        return cls(config.url, **config.model_dump(exclude={"url"}))


def _content(text: str, **metadata: str) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=dict(metadata))
