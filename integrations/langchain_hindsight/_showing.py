"""What a request to the model is completed with; the agent's own state stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_core.messages import AnyMessage, SystemMessage, ToolMessage

__all__ = ["with_advice", "with_block"]


def with_block(system: SystemMessage | None, block: str) -> SystemMessage:
    """A system message with the block after its own text; a plain string stays one."""
    if system is None:
        return SystemMessage(content=block)
    if isinstance(system.content, str):
        joined = f"{system.content}\n\n{block}" if system.content else block
        return system.model_copy(update={"content": joined})
    content = [*system.content, {"type": "text", "text": block}]
    return system.model_copy(update={"content": content})


def with_advice(messages: Sequence[AnyMessage], advice: Mapping[str, str]) -> list[AnyMessage]:
    """Complete the messages of calls with advice; one that is not a text stays as it is."""
    return [
        message.model_copy(update={"content": f"{message.content}\n\n{advice[call_id]}"})
        if isinstance(message, ToolMessage)
        and isinstance(message.content, str)
        and (call_id := message.tool_call_id) in advice
        else message
        for message in messages
    ]
