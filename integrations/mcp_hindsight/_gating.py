"""What the gate does to the messages that pass: nothing, unless the memory flags a call."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hindsight_core import GateAction
from mcp_hindsight._memory import Bystander
from mcp_hindsight._messages import (
    Message,
    call_of,
    completed,
    key_of,
    messages_of,
    object_of,
    question,
    refusal,
)

__all__ = ["Gate"]

_NOT_ASKED: Final = "This client cannot ask its user, so the call was not run."


@dataclass(frozen=True, slots=True)
class _Held:
    line: bytes
    message: Message


class Gate:
    """Decides on each line what goes on in its place: the line itself, another, or none.

    `to_client` writes a line of our own to the client. A call that needs a person's word is put to
    him by the client (MCP's elicitation) where the client said that it can.
    """

    def __init__(self, bystander: Bystander, to_client: Callable[[bytes], None]) -> None:
        self._memory = bystander
        self._to_client = to_client
        self._can_ask = False
        self._flagged: set[str] = set()
        self._held: dict[str, _Held] = {}

    def from_client(self, line: bytes) -> bytes:
        """What of a line of the client's is handed on; b"" for nothing."""
        found = list(messages_of(line))
        if len(found) != 1:
            for message in found:
                self._memory.asked(message, wait=False)
            return line
        message = found[0]
        if message.get("method") == "initialize":
            self._can_ask = _asks(message)
        if self._held and "method" not in message and message.get("id") in self._held:
            return self._decided(message)
        if call_of(message) is None:
            self._memory.asked(message, wait=False)
            return line
        return self._called(line, message)

    def from_server(self, line: bytes) -> bytes:
        """What of a line of the server's is handed on: a failure with what is known about it."""
        found = list(messages_of(line))
        if len(found) == 1 and "method" not in found[0] and "id" in found[0]:
            key = key_of(found[0]["id"])
            if key in self._flagged:
                self._flagged.discard(key)
                advice = self._memory.answered(found[0], wait=True)
                return completed(found[0], advice) if advice else line
        for message in found:
            self._memory.answered(message, wait=False)
        return line

    def _called(self, line: bytes, message: Message) -> bytes:
        waiting = self._memory.asked(message, wait=True)
        if waiting is None or not waiting.decision.flagged:
            return line
        action, text = waiting.decision.action, waiting.decision.message
        if action is GateAction.CONFIRM and self._can_ask:
            asked = f"hindsight-{secrets.token_hex(8)}"
            self._held[asked] = _Held(line, message)
            self._to_client(question(asked, waiting.tool, text))
            return b""
        if action in (GateAction.CONFIRM, GateAction.BLOCK):
            said = f"{text}\n{_NOT_ASKED}" if action is GateAction.CONFIRM else text
            self._memory.forget(message["id"])
            self._to_client(refusal(message["id"], said))
            return b""
        self._flagged.add(key_of(message["id"]))
        return line

    def _decided(self, answer: Message) -> bytes:
        held = self._held.pop(answer["id"])
        action = object_of(answer.get("result")).get("action")
        if action == "accept":
            self._flagged.add(key_of(held.message["id"]))
            return held.line
        call_id = held.message["id"]
        if action is None:
            self._memory.forget(call_id)
            self._to_client(refusal(call_id, _NOT_ASKED))
        else:
            self._memory.rejected(call_id, "the user declined")
            self._to_client(refusal(call_id, "The user declined to run this call."))
        return b""


def _asks(initialize: Message) -> bool:
    capabilities = object_of(object_of(initialize.get("params")).get("capabilities"))
    asks = object_of(capabilities.get("elicitation"))
    return "elicitation" in capabilities and (not asks or "form" in asks)
