"""What the adapter holds lives as long as the agents, and is copied with them."""

from __future__ import annotations

import copy
import weakref
from typing import Any

import pytest
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.tools import StaticWorkbench
from autogen_hindsight import HindsightMemory, attach
from autogen_kit import Scripted, agent, calls, client_of, collected, events

from hindsight_core import Hindsight
from hindsight_core.events import ToolCalled, UserSaid

FAIL = calls(("fetch", {"path": "/v1/report"}))
FIX = calls(("fetch", {"path": "/v2/report"}))
BOTH_WAYS = pytest.mark.parametrize("attached", [False, True])


def made(ours: HindsightMemory, *script: Any, attached: bool, name: str = "one") -> Any:
    one = agent(*script, name=name, memory=[ours])
    return attach(one) if attached else one


@BOTH_WAYS
async def test_an_agent_that_is_dropped_is_gone_with_its_context(
    attached: bool, memory: Hindsight
) -> None:
    ours = HindsightMemory(memory, user="u")
    gone: list[weakref.ref[Any]] = []
    for _ in range(3):
        one = made(ours, FAIL, "It is gone.", attached=attached)
        await one.run(task="Fetch the report.")
        tap = ours.tap(one.model_context)
        gone += map(weakref.ref, (one, one.model_context, tap, *one._workbench))
        del one, tap
    await collected()
    assert [ref() for ref in gone] == [None] * len(gone)


@BOTH_WAYS
async def test_a_team_that_is_dropped_is_gone(attached: bool, memory: Hindsight) -> None:
    ours = HindsightMemory(memory, user="u")
    agents = [made(ours, FIX, "Here.", attached=attached, name=name) for name in ("one", "two")]
    end = MaxMessageTermination(3)
    await RoundRobinGroupChat(agents, termination_condition=end).run(task="Fetch the report.")
    gone = [weakref.ref(one.model_context) for one in agents]
    del agents
    await collected()
    assert [ref() for ref in gone] == [None, None]


@BOTH_WAYS
async def test_a_copy_goes_on_by_itself_with_the_same_memory(
    attached: bool, memory: Hindsight
) -> None:
    ours = HindsightMemory(memory, user="u")
    assert copy.deepcopy(ours) is ours
    assert copy.copy(ours) is ours
    one = made(ours, "Noted.", FIX, "Here.", attached=attached)
    await one.run(task="Hello, 你好。")
    # The framework's own replaying client cannot be copied once it was used.
    other = Scripted(FAIL, "It is gone.")
    two = copy.deepcopy(one, {id(client_of(one)): other})
    assert two._memory == [ours]
    await two.run(task="Fetch the report.")
    assert len(await two.model_context.get_messages()) == 6
    assert len(await one.model_context.get_messages()) == 2
    await one.run(task="And now yours.")
    said = [e.text for e in events(memory, UserSaid)]
    assert said == ["Hello, 你好。", "Fetch the report.", "And now yours."]
    done = [(e.call.args["path"], e.raised) for e in events(memory, ToolCalled)]
    assert done == [("/v1/report", attached), ("/v2/report", False)]
    assert len({e.run_id for e in events(memory, ToolCalled)}) == 2
    assert len(other.shown) == 2


async def test_the_copy_of_a_workbench_runs_its_own_tools(memory: Hindsight) -> None:
    one = made(HindsightMemory(memory), "Hello.", attached=True)
    two = copy.deepcopy(one)
    (bench,) = two._workbench
    assert isinstance(bench, StaticWorkbench)
    bench._tools.clear()
    assert "not found" in (await bench.call_tool("fetch", {"path": "/v2/a"})).to_text()
    (kept,) = one._workbench
    assert (await kept.call_tool("fetch", {"path": "/v2/a"})).to_text() == "the contents of /v2/a"
