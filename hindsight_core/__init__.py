"""Memory for agents: captured by itself, guarded, recalled in time, and obeyed at the tool call.

Importing this package loads no framework, no model and no store: names are resolved at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from hindsight_core._version import __version__

if TYPE_CHECKING:
    from hindsight_core.alerts import Alert, AnomalyLimits, Pattern
    from hindsight_core.capture import RecordedRun, RecordedStep, error_text
    from hindsight_core.engine import (
        Explanation,
        Health,
        Hindsight,
        Item,
        Items,
        LiveRun,
        LiveRuns,
        Place,
        Recalled,
        RunRecorder,
        WatchedCall,
        stable_id,
    )
    from hindsight_core.errors import (
        ConfigurationError,
        EmbedderMismatchError,
        HindsightError,
        InvalidMemoryError,
        MissingExtraError,
        NotFoundError,
        ScopeError,
        StoreError,
    )
    from hindsight_core.failsafe import in_executor, let_through, observe_swallowed
    from hindsight_core.gate import GateAction, GateDecision
    from hindsight_core.handle import Handle
    from hindsight_core.ports import Where
    from hindsight_core.recall import DETAILS, Block, RecallReport
    from hindsight_core.schema import (
        Context,
        Kind,
        Lesson,
        Memory,
        Scope,
        Source,
        Status,
        Tier,
    )
    from hindsight_core.settings import GateMode, Injection, Settings

__all__ = [
    "DETAILS",
    "Alert",
    "AnomalyLimits",
    "Block",
    "ConfigurationError",
    "Context",
    "EmbedderMismatchError",
    "Explanation",
    "GateAction",
    "GateDecision",
    "GateMode",
    "Handle",
    "Health",
    "Hindsight",
    "HindsightError",
    "Injection",
    "InvalidMemoryError",
    "Item",
    "Items",
    "Kind",
    "Lesson",
    "LiveRun",
    "LiveRuns",
    "Memory",
    "MissingExtraError",
    "NotFoundError",
    "Pattern",
    "Place",
    "RecallReport",
    "Recalled",
    "RecordedRun",
    "RecordedStep",
    "RunRecorder",
    "Scope",
    "ScopeError",
    "Settings",
    "Source",
    "Status",
    "StoreError",
    "Tier",
    "WatchedCall",
    "Where",
    "__version__",
    "error_text",
    "in_executor",
    "let_through",
    "observe_swallowed",
    "stable_id",
]

_ROOMS: Final = {
    "alerts": ("Alert", "AnomalyLimits", "Pattern"),
    "capture": ("RecordedRun", "RecordedStep", "error_text"),
    "engine": (
        "Explanation",
        "Health",
        "Hindsight",
        "Item",
        "Items",
        "LiveRun",
        "LiveRuns",
        "Place",
        "Recalled",
        "RunRecorder",
        "WatchedCall",
        "stable_id",
    ),
    "errors": (
        "ConfigurationError",
        "EmbedderMismatchError",
        "HindsightError",
        "InvalidMemoryError",
        "MissingExtraError",
        "NotFoundError",
        "ScopeError",
        "StoreError",
    ),
    "failsafe": ("in_executor", "let_through", "observe_swallowed"),
    "ports": ("Where",),
    "gate": ("GateAction", "GateDecision"),
    "handle": ("Handle",),
    "recall": ("DETAILS", "Block", "RecallReport"),
    "schema": ("Context", "Kind", "Lesson", "Memory", "Scope", "Source", "Status", "Tier"),
    "settings": ("GateMode", "Injection", "Settings"),
}


def __getattr__(name: str) -> object:
    for room, names in _ROOMS.items():
        if name in names:
            found = getattr(import_module(f"{__name__}.{room}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
