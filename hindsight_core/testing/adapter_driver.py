"""What an adapter's author writes to run the adapter contract: a driver of the framework.

A driver makes a real agent of the framework that speaks to an OpenAI-compatible server, with the
adapter in it or without, and runs it turn by turn. It knows nothing of what is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hindsight_core.engine import Hindsight

__all__ = ["AdapterDriver", "AgentPlan", "DrivenAgent"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPlan:
    """The agent that a driver is asked to make.

    Attributes:
        url: Base URL of the model's server, ending in `/v1`; any key and model name will do.
        mode: One of the driver's `modes`.
        hindsight: The memory that the adapter is given; None for the bare agent, without adapter.
        adapters: How many adapters over that memory the agent is given, where it may have several.
        user: The user, named by the framework's own means or the adapter's constructor.
        session: The conversation's id, where the framework or the adapter has such a thing.
        system: The agent's own instructions.
        tools: Plain functions with annotated arguments, a docstring and a text as result. What one
            raises is shown to the model as the framework does; results are not cached.
        helper: An agent that is a tool of this one, named `helper`, by the framework's own means;
            it is made with the same memory.
        approve: Answers for the person who is asked in the gate's mode `confirm`; it is told what
            the person is shown. None where nobody can be asked.
    """

    url: str
    mode: str
    hindsight: Hindsight | None = None
    adapters: int = 1
    user: str = "ann"
    session: str = "session-1"
    system: str = "You are brief."
    tools: Sequence[Callable[..., str]] = ()
    helper: AgentPlan | None = None
    approve: Callable[[str], bool] | None = None


class DrivenAgent(Protocol):
    """An agent that a driver made."""

    def turn(self, text: str) -> str:
        """Let a person say something and run the agent to its end; return its answer.

        Called from sync code. Retries the model's server as the framework does by default. Raises
        what the framework raises.
        """
        ...

    def saved(self) -> str:
        """Everything that the framework keeps of the agent for later, as one text.

        Its state, history or checkpoints: whatever an application would write to its own disk.
        """
        ...

    def resumed(self) -> DrivenAgent:
        """An agent that goes on from what is `saved`, with an adapter of its own.

        Not called where the driver lacks `resume`.
        """
        ...


class AdapterDriver(Protocol):
    """Makes agents of one framework.

    Attributes:
        name: The framework's name, as the adapter gives it to the events of its runs.
        modes: The ways to run a turn (sync, async, streaming), one at least.
        lacks: Why a part of the contract cannot be run, by part: `resume` (the framework keeps no
            conversation), `helper` (no agent as a tool), `parallel` (one call at a time),
            `confirm` (nobody can be asked), `adapters` (an agent takes one memory).
        interruptions: Functions by which a tool steers the framework's own flow without having
            failed, by name: they raise, or do what the framework offers. May be empty.
    """

    name: str
    modes: Sequence[str]
    lacks: Mapping[str, str]
    interruptions: Mapping[str, Callable[[], object]]

    def start(self, plan: AgentPlan) -> DrivenAgent:
        """Make an agent."""
        ...
