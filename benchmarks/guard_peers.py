"""Other guards of agent memory, called as their documentation says, where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["judges"]

Judge = Callable[[str, str], bool]


def judges() -> dict[str, tuple[Judge, Judge]]:
    """For each installed peer: whether it lets a memory in, and whether it marks a text."""
    found: dict[str, tuple[Judge, Judge]] = {}
    for name, build in (("agent-memory-guard", _agent_memory_guard), ("memward", _memward)):
        try:
            found[name] = build()
        except ImportError:
            continue
    return found


def _agent_memory_guard() -> tuple[Judge, Judge]:
    """A strict `MemoryGuard` that is told the channel, and `scan` for texts."""
    package: Any = import_module("agent_memory_guard")
    scan: Any = import_module("agent_memory_guard.scan").scan
    channels = {"user": "user_input", "tool": "tool_output", "agent": "agent_output"}

    def lets_in(text: str, channel: str) -> bool:
        guard = package.MemoryGuard(policy=package.Policy.strict())
        try:
            guard.write("session.note", text, source_type=channels[channel])
        except package.PolicyViolation:
            return False
        return guard.read("session.note") == text

    def marks(text: str, channel: str) -> bool:  # noqa: ARG001 - it knows no channels
        return not scan(text).safe

    return lets_in, marks


def _memward() -> tuple[Judge, Judge]:
    """`Memward.add` with the channel, in or into its quarantine; `screen` for texts."""
    package: Any = import_module("memward")
    adapters: Any = import_module("memward.adapters")
    sources = {
        "user": package.SourceType.USER,
        "tool": package.SourceType.TOOL_OUTPUT,
        "agent": package.SourceType.AGENT_REFLECTION,
    }

    def lets_in(text: str, channel: str) -> bool:
        memory = package.Memward(adapters.InMemoryStore())
        return not memory.add(text, source=sources[channel]).quarantined

    def marks(text: str, channel: str) -> bool:  # noqa: ARG001 - it knows no channels
        return bool(package.screen(text).is_suspicious(0.5))

    return lets_in, marks
