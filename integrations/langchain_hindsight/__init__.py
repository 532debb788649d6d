"""Memory for LangChain agents: `create_agent(model, tools, middleware=[HindsightMiddleware()])`."""

from __future__ import annotations

from hindsight_core.errors import MissingExtraError

try:
    from langchain_hindsight.callbacks import HindsightCallbackHandler
    from langchain_hindsight.chat import LangChainChat
    from langchain_hindsight.everywhere import capture_everywhere
    from langchain_hindsight.history import HindsightChatMessageHistory
    from langchain_hindsight.memory_tools import memory_tools
    from langchain_hindsight.middleware import HindsightMiddleware
    from langchain_hindsight.retriever import HindsightRetriever
    from langchain_hindsight.store import HindsightStore
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"langchain", "langchain_core", "langgraph"}:
        raise
    raise MissingExtraError("langchain", error.name or "langchain", reason=str(error)) from error

__all__ = [
    "HindsightCallbackHandler",
    "HindsightChatMessageHistory",
    "HindsightMiddleware",
    "HindsightRetriever",
    "HindsightStore",
    "LangChainChat",
    "capture_everywhere",
    "memory_tools",
]
