"""Who is meant, and where: read from the config of the graph that runs now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from langgraph.config import get_config

__all__ = ["Site", "ambient_config", "locate"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """Where a hook was called from.

    `caller` names the task of the outer graph that called this agent, else ""; `nested` says that
    another agent wrote what this one takes for the user's words.
    `task` and `task_id` are the caller's own words for what is done here: turns of one `task_id`
    are one run, so that a failure in one turn finds its fix in a later one.
    """

    user: str | None
    tenant: str | None
    thread: str | None
    agent: str | None
    caller: str = ""
    nested: bool = False
    task: str | None = None
    task_id: str | None = None


def ambient_config() -> Mapping[str, Any]:
    """The config of the graph task that runs now; empty outside a graph."""
    try:
        return cast("Mapping[str, Any]", get_config())
    except RuntimeError:
        return {}


def locate(context: object, *, user: str | None, tenant: str | None, nested: bool | None) -> Site:
    """Find out who is meant: the run's context, then `configurable`, `metadata`, the defaults."""
    config = ambient_config()
    configurable: Mapping[str, Any] = config.get("configurable") or {}
    metadata: Mapping[str, Any] = config.get("metadata") or {}
    places = (context, configurable, metadata)
    # A namespace holds one segment a graph; a "|" parts that of a sub-agent from its caller's.
    namespace = str(configurable.get("checkpoint_ns") or "")
    caller = namespace.rpartition("|")[0]
    thread = configurable.get("thread_id")
    return Site(
        user=_first(places, "user_id") or user,
        tenant=_first(places, "tenant_id", "tenant") or tenant,
        thread=None if thread is None else str(thread),
        agent=_first((metadata,), "lc_agent_name"),
        caller=caller,
        nested=bool(caller) if nested is None else nested,
        task=_first((configurable,), "task"),
        task_id=_first((configurable,), "task_id"),
    )


def _first(places: Iterable[object], *names: str) -> str | None:
    for place in places:
        for name in names:
            if isinstance(place, Mapping):
                value: object = cast("Mapping[str, object]", place).get(name)
            else:
                value = getattr(place, name, None)
            if value is not None and str(value):
                return str(value)
    return None
