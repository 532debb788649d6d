"""Where a scenario of the adapter contract plays: a server, memories, and agents of the driver."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from hindsight_core.engine import Hindsight
from hindsight_core.events import EventBase, ToolCalled, UserSaid
from hindsight_core.failsafe import observe_swallowed
from hindsight_core.ports import Embedder, Store
from hindsight_core.schema import Memory
from hindsight_core.settings import GateMode, Settings
from hindsight_core.testing.adapter_driver import AdapterDriver, AgentPlan, DrivenAgent
from hindsight_core.testing.scripted_server import ScriptedServer, Step

__all__ = ["MARK", "SCENARIOS", "Route", "Scenario", "Stage", "scenario"]

E = TypeVar("E", bound=EventBase)

MARK: Final = "<memory-"
"""What stands in every block that is put before a model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """One promise of the contract.

    `needs` is a part that a driver may lack; `swallows` that errors are met on purpose; `once` that
    it goes through all modes by itself.
    """

    name: str
    play: Callable[[Stage], None]
    needs: str = ""
    swallows: bool = False
    once: bool = False


SCENARIOS: Final[dict[str, Scenario]] = {}
"""All promises, by name, in the order in which they are checked."""


def scenario(
    *, needs: str = "", swallows: bool = False, once: bool = False
) -> Callable[[Callable[[Stage], None]], Callable[[Stage], None]]:
    """Add a promise to the contract; its name is the function's."""

    def add(play: Callable[[Stage], None]) -> Callable[[Stage], None]:
        name = play.__name__
        SCENARIOS[name] = Scenario(name=name, play=play, needs=needs, swallows=swallows, once=once)
        return play

    return add


class Route:
    """A tool over a route that is gone, and another that works; counts how often it ran."""

    def __init__(self, gone: Sequence[str] = ("/v1/report",)) -> None:
        self.gone = set(gone)
        self.ran: list[str] = []

    def tool(self) -> Callable[..., str]:
        """The tool `fetch`."""

        def fetch(path: str) -> str:
            """Fetch a path of the service."""
            self.ran.append(path)
            if path in self.gone:
                raise LookupError(f"404 Not Found: {path}")
            return f"the contents of {path}"

        return fetch


class Stage:
    """One scenario in one mode of a driver; closes what it opened."""

    def __init__(self, driver: AdapterDriver, mode: str, folder: Path) -> None:
        self.driver = driver
        self.mode = mode
        self.swallowed: list[tuple[str, BaseException]] = []
        self._folder = folder
        self._open = ExitStack()
        self._open.enter_context(
            observe_swallowed(lambda operation, error: self.swallowed.append((operation, error)))
        )
        self.server = self._open.enter_context(ScriptedServer(keep_alive=False))

    def close(self) -> None:
        """Close the memories, the server, and stop listening for errors."""
        self._open.close()

    def memory(
        self,
        name: str = "memory",
        *,
        gate: GateMode = GateMode.ADVISE,
        store: Store | None = None,
        deadline: float = 60.0,
        embedder: Embedder | None = None,
    ) -> Hindsight:
        """A handle to the memory of that name, as another process would open it.

        Without an embedder unless one is given, and without a deadline that a busy machine could
        miss.
        """
        settings = Settings(gate=gate, deadline=deadline, pause=120.0)
        opened = Hindsight.open(
            None if store is not None else str(self._folder / f"{name}.db"),
            embedder=embedder,
            settings=settings,
            store=store,
            lazy=store is not None,
        )
        return self._open.enter_context(opened)

    def agent(self, memory: Hindsight | None, **plan: Any) -> DrivenAgent:
        """An agent of the driver; what is not said stays as `AgentPlan` has it."""
        return self.driver.start(self.plan(memory, **plan))

    def plan(self, memory: Hindsight | None, **plan: Any) -> AgentPlan:
        """The plan of an agent at this stage's server, in this stage's mode."""
        given: dict[str, Any] = {"url": self.server.url, "mode": self.mode, **plan}
        return AgentPlan(hindsight=memory, **given)

    def say(self, agent: DrivenAgent, text: str, *steps: Step) -> str:
        """Let the agent answer while the model plays these steps; return the answer."""
        self.server.play(*steps)
        return agent.turn(text)

    def outcome(self, agent: DrivenAgent, text: str, *steps: Step) -> str:
        """What came of a turn: the answer, or the type of what was raised."""
        try:
            return f"answered {self.say(agent, text, *steps)}"
        except BaseException as error:  # noqa: BLE001 - control flow is just what is looked at
            return f"raised {type(error).__name__}"

    @property
    def requests(self) -> list[list[dict[str, Any]]]:
        """The messages of each request that the model was sent so far."""
        return [chat["messages"] for chat in self.server.chats]

    def shown(self, place: int = -1) -> str:
        """One request to the model as text, every word that it could read."""
        return json.dumps(self.requests[place], ensure_ascii=False)

    def events(self, memory: Hindsight, kind: type[E]) -> list[E]:
        """The events of a kind in all runs, oldest run first."""
        runs = memory.store.runs(pending_only=False, limit=1_000)
        found = [event for run in runs for event in memory.store.events(run.run_id)]
        return [event for event in found if isinstance(event, kind)]

    def said(self, memory: Hindsight) -> list[str]:
        """What persons said, as it was captured, but for what another agent wrote."""
        return [event.text for event in self.events(memory, UserSaid) if not event.nested]

    def calls(self, memory: Hindsight) -> list[tuple[str, dict[str, Any], bool]]:
        """Each call as it was captured: tool, arguments, and whether it failed."""
        return [
            (event.call.tool, dict(event.call.args), event.raised or bool(event.flagged_error))
            for event in self.events(memory, ToolCalled)
        ]

    def learnt(self, memory: Hindsight, user: str = "ann") -> list[Memory]:
        """What a user's memory holds, once all that is over is judged."""
        memory.flush()
        return memory.memories(memory.scope_of(user), limit=1_000)
