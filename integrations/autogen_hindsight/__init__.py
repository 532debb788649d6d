"""Memory for AutoGen agents: `AssistantAgent("a", client, memory=[HindsightMemory()])`."""

from __future__ import annotations

from hindsight_core.errors import MissingExtraError

try:
    from autogen_hindsight.chat import AutoGenChat
    from autogen_hindsight.memory import HindsightMemory
    from autogen_hindsight.workbench import attach, watch
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"autogen_agentchat", "autogen_core"}:
        raise
    raise MissingExtraError("autogen", error.name or "autogen_core", reason=str(error)) from error

__all__ = ["AutoGenChat", "HindsightMemory", "attach", "watch"]
