"""Memory for CrewAI crews and agents: `Crew(agents=..., tasks=..., memory=HindsightMemory())`."""

from __future__ import annotations

from hindsight_core.errors import MissingExtraError

try:
    from crewai_hindsight.chat import CrewAIChat
    from crewai_hindsight.memory import HindsightMemory
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"crewai", "crewai_core"}:
        raise
    raise MissingExtraError("crewai", error.name or "crewai", reason=str(error)) from error

__all__ = ["CrewAIChat", "HindsightMemory"]
