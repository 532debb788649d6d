"""Which tools an agent has, as far as that can be told, and which of its calls are theirs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Final

from autogen_core import FunctionCall
from autogen_core.tools import StaticWorkbench, Workbench

from hindsight_core import GateAction, WatchedCall

__all__ = ["calls_of_tools", "names_of", "warn_if_not_stopped"]

logger: Final = logging.getLogger("hindsight_core")

_HANDOFF: Final = "transfer_to_"
"""How the framework names the tools by which an agent hands over to another."""


async def names_of(workbenches: Sequence[Workbench]) -> list[str]:
    """The names of the tools; none where a server would have to be asked for them."""
    if not all(isinstance(bench, StaticWorkbench) for bench in workbenches):
        return []
    return [tool["name"] for bench in workbenches for tool in await bench.list_tools()]


def calls_of_tools(
    asked: Sequence[FunctionCall], passed_over: Collection[str]
) -> list[FunctionCall]:
    """The calls of which something is to be learnt: none that hands over to another agent."""
    return [c for c in asked if not (c.name.startswith(_HANDOFF) or c.name in passed_over)]


def warn_if_not_stopped(call: WatchedCall) -> bool:
    """Say that the gate alone cannot stop a call of an agent; whether there was reason to."""
    if call.decision.action not in (GateAction.BLOCK, GateAction.CONFIRM):
        return False
    logger.warning(
        "the gate would have stopped a call of %s: to stop calls of an AutoGen agent, "
        "use autogen_hindsight.attach(agent)",
        call.name,
    )
    return True
