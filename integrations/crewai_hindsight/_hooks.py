"""Takes up CrewAI's hooks for one memory; they are global, so each asks whose agent it is about."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final

from crewai import Memory
from crewai.hooks import InterceptionPoint, register_hook, unregister_hook

from crewai_hindsight._reading import agents_of, storage_of
from crewai_hindsight._records import Records
from crewai_hindsight._watching import Watcher

__all__ = ["take_up_hooks"]

_POINTS: Final = (
    (InterceptionPoint.INPUT, "on_input"),
    (InterceptionPoint.PRE_STEP, "on_task"),
    (InterceptionPoint.PRE_MODEL_CALL, "on_model"),
    (InterceptionPoint.POST_MODEL_CALL, "on_answer"),
    (InterceptionPoint.PRE_TOOL_CALL, "on_call"),
    (InterceptionPoint.POST_TOOL_CALL, "on_result"),
    (InterceptionPoint.POST_STEP, "on_task_end"),
    (InterceptionPoint.EXECUTION_END, "on_end"),
)


def take_up_hooks(watcher: Watcher, storage: Records) -> Callable[[], object]:
    """Call the watcher about the agents that have this storage behind their memory.

    The hooks hold neither of the two: when the storage goes, so do they, or when what is returned
    is called.
    """
    hooks = [
        (point, _hook(weakref.ref(watcher), weakref.ref(storage), method))
        for point, method in _POINTS
    ]
    for point, hook in hooks:
        register_hook(point, hook)
    return weakref.finalize(storage, _give_back_hooks, hooks)


def _give_back_hooks(hooks: list[tuple[InterceptionPoint, Callable[[Any], Any]]]) -> None:
    for point, hook in hooks:
        unregister_hook(point, hook)


def _hook(
    watcher: weakref.ref[Watcher], storage: weakref.ref[Records], method: str
) -> Callable[[Any], Any]:
    def hook(context: Any) -> Any:
        mine, behind = watcher(), storage()
        if mine is None or behind is None or behind.closed:
            return None  # an executor keeps the hooks that it began with
        with mine.hindsight.guard(f"crewai.{method}"):
            ours = [a for a in agents_of(context) if _belongs(a, context, behind)]
            for agent in ours:
                _give_back_memory(agent, behind.owner())
            if ours:
                return getattr(mine, method)(context)
        return None

    return hook


def _belongs(agent: Any, context: Any, storage: object) -> bool:
    """Whether an agent's memory, or in its absence the crew's, has this storage behind it."""
    crew = getattr(context, "crew", None) or getattr(agent, "crew", None)
    return (storage_of(agent) or storage_of(crew)) is storage


def _give_back_memory(agent: Any, memory: Any) -> None:
    """Give an agent the memory of which CrewAI, copying him, made a plain one of its own."""
    if type(getattr(agent, "memory", None)) is Memory and memory is not None:
        agent.memory = memory
