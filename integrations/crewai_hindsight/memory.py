"""`HindsightMemory`: memory for a CrewAI crew or agent, in one line."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

from crewai import Agent, Memory, Task
from crewai.memory.types import MemoryMatch, MemoryRecord
from pydantic import PrivateAttr

from crewai_hindsight._asking import Ask
from crewai_hindsight._details import DetailsTool
from crewai_hindsight._hooks import take_up_hooks
from crewai_hindsight._reading import asked_by_the_framework
from crewai_hindsight._records import Records, as_record
from crewai_hindsight._watching import Watcher
from hindsight_core import Hindsight, LiveRuns, Source

__all__ = ["HindsightMemory"]


class HindsightMemory(Memory):
    """Captures what the agents do, recalls what matters, and stops known failures.

    Give it to a crew, to an agent, or to both: `Crew(agents, tasks, memory=HindsightMemory())`,
    `Agent(..., memory=HindsightMemory())`. CrewAI's embedder and its model for memories are not
    used. Who the user is comes from the inputs of the crew's kickoff (`user_id`, `tenant_id`),
    else from `user` and `tenant`.

    What is recalled stands in the agent's messages for the time of a model call, and is taken back
    after it. CrewAI's memory tools, and `recall`, `remember`, `forget` and `reset` called by hand,
    work on the same store. An error of ours never reaches the crew: see `hindsight.health()`.

    Args:
        hindsight: The memory, or the path or URL at which to open it; without one the default
            store. A memory opened here is closed by `close`, or else at exit.
        user: The user where the inputs name none.
        tenant: The tenant where the inputs name none.
        agent: Narrows the scope: what this agent learns no other agent sees.
        ask: Asks a person about a call in the gate's mode `confirm`: given the hook's context and
            the question, it returns True to let the call run, else False or the reason. Without it
            CrewAI's own prompt asks at the terminal; where there is none the call does not run.

    Raises:
        HindsightError: The store cannot be opened.
    """

    _watcher: Watcher = PrivateAttr()
    _records: Records = PrivateAttr()
    _give_back_hooks: Callable[[], object] = PrivateAttr()

    def __init__(
        self,
        hindsight: Hindsight | str | None = None,
        *,
        user: str | None = None,
        tenant: str | None = None,
        agent: str | None = None,
        ask: Ask | None = None,
    ) -> None:
        runs = LiveRuns(hindsight, framework="crewai", agent=agent)
        watcher = Watcher(runs, user=user, tenant=tenant, ask=ask)
        records: Any = Records(watcher)
        super().__init__(storage=records, llm="unused", embedder=records)
        records.owner = weakref.ref(self)
        self._watcher = watcher
        self._records = records
        self._give_back_hooks = take_up_hooks(watcher, records)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """A copy of a memory is the same memory."""
        del memo
        return self

    @property
    def hindsight(self) -> Hindsight:
        """The memory itself."""
        return self._watcher.hindsight

    def run_of(self, what: Task | Agent) -> str | None:
        """The id of the last run of a task, or of an agent's own kickoffs.

        `Hindsight.feedback` and `Hindsight.explain` take it; None where none was recorded.
        """
        run = self._watcher.run_of(what)
        return run.run_id if run else None

    def details_tool(self) -> DetailsTool:
        """The tool `memory_details`, to be given to agents or tasks that have this memory.

        An agent that has it is shown a memory as one line, of which it can ask more.
        """
        return DetailsTool(self._watcher.details)

    def close(self) -> None:
        """Give the hooks back, and close the memory if it was opened here."""
        self._records.closed = True
        self._give_back_hooks()
        self._watcher.runs.close()
        super().close()

    def recall(self, query: str, *args: Any, limit: int = 10, **options: Any) -> list[MemoryMatch]:
        """Find what matters for a query, best first, at most `limit`.

        CrewAI's own question at the start of a task is not answered here: it would write the
        answer into the agent's history. CrewAI's paths and categories do not apply.
        """
        del args, options
        if asked_by_the_framework():
            with self.hindsight.guard("crewai.kickoff"):
                self._watcher.kickoff_begins()
            return []
        found = self.hindsight.recall(self._watcher.scope(), query, top_k=limit)
        scores = {c.memory_id: c.total for c in found.report.candidates}
        return [
            MemoryMatch(record=as_record(memory), score=scores.get(memory.id, 0.0))
            for memory in found.memories
        ]

    def extract_memories(self, content: str) -> list[str]:
        """Return a text as the one memory that it is: what a run taught is captured as it goes."""
        if asked_by_the_framework():
            with self.hindsight.guard("crewai.kickoff"):
                self._watcher.kickoff_ends()
            return []
        return [content] if content.strip() else []

    def remember(self, content: str, *args: Any, **options: Any) -> MemoryRecord:
        """Store one memory in an agent's name, and return it.

        Raises `InvalidMemoryError` for a text that cannot be stored or that the guard refuses.
        """
        del args, options
        scope = self._watcher.scope()
        return as_record(self.hindsight.remember(scope, content, source=Source.AGENT))

    def remember_many(self, contents: list[str], *args: Any, **options: Any) -> list[MemoryRecord]:
        """Store several memories; one that is refused keeps none of the others out."""
        del args, options
        stored: list[MemoryRecord] = []
        for content in contents:
            with self.hindsight.guard("crewai.remember"):
                stored.append(self.remember(content))
        return stored
