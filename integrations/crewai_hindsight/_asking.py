"""Asks a person about a tool call that is known to fail, where the gate's mode is `confirm`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from hindsight_core import GateAction, WatchedCall

__all__ = ["Ask", "ask_at_the_terminal", "may_run"]

Ask = Callable[[Any, str], bool | str | None]
"""Asks about a call: given the hook's context and the question, True lets it run, False or a reason
is a person's refusal, and None means that nobody could be asked."""

_YES: Final = frozenset({"y", "yes", "approve", "是", "同意"})


def may_run(context: Any, call: WatchedCall, ask: Ask) -> bool:
    """Whether a call may run, by the gate's word or, where it says so, a person's."""
    if call.decision.action is not GateAction.CONFIRM:
        return call.decision.action is not GateAction.BLOCK
    answer = ask(context, call.decision.message)
    if answer is not True and answer is not None:
        call.live.recorder.rejected(call.name, call.args, text=str(answer or ""))
    return answer is True


def ask_at_the_terminal(context: Any, question: str) -> bool | str | None:
    """Ask through CrewAI's own prompt; None where nobody sits at a terminal."""
    if not sys.stdin.isatty():
        return None
    said = context.request_human_input(question, "'yes' lets the call run; else say why not:")
    return True if said.strip().casefold() in _YES else str(said)
