"""Several agents over one memory: nothing is captured twice, and what one did the others learn."""

from __future__ import annotations

from typing import Any

import pytest
from autogen_agentchat.agents import UserProxyAgent
from autogen_agentchat.base import Team
from autogen_agentchat.conditions import HandoffTermination, MaxMessageTermination
from autogen_agentchat.messages import HandoffMessage
from autogen_agentchat.teams import (
    DiGraphBuilder,
    GraphFlow,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
)
from autogen_agentchat.tools import AgentTool
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_hindsight import HindsightMemory, attach
from autogen_kit import Scripted, agent, calls, client_of, events

from hindsight_core import Hindsight, Kind
from hindsight_core.events import RunStarted, ToolCalled, UserSaid

TASK = "Fetch the report of the service."
FAIL = calls(("fetch", {"path": "/v1/report"}))
FIX = calls(("fetch", {"path": "/v2/report"}))


def pair(memory: Hindsight, *, apart: bool) -> list[Any]:
    """An agent that fails and one that finds the fix, with one memory or one each."""
    shared = HindsightMemory(memory, user="u")
    return [
        agent(*script, name=name, memory=[HindsightMemory(memory, user="u") if apart else shared])
        for name, script in (("one", (FAIL, "It is gone.")), ("two", (FIX, "Here it is.")))
    ]


def team_of(kind: str, agents: list[Any]) -> Team:
    end = MaxMessageTermination(3)
    if kind == "round robin":
        return RoundRobinGroupChat(agents, termination_condition=end)
    names = iter(["one", "two"])
    return SelectorGroupChat(
        agents,
        model_client=Scripted(),
        termination_condition=end,
        selector_func=lambda _: next(names),
    )


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("kind", ["round robin", "selector"])
async def test_a_team_is_one_run_in_which_one_finds_the_fix_of_anothers_failure(
    kind: str, apart: bool, memory: Hindsight
) -> None:
    agents = pair(memory, apart=apart)
    await team_of(kind, agents).run(task=TASK)
    assert [e.text for e in events(memory, UserSaid)] == [TASK]
    assert len(events(memory, RunStarted)) == 1
    assert [e.call.args["path"] for e in events(memory, ToolCalled)] == [
        "/v1/report",
        "/v2/report",
    ]
    lessons = [m for m in memory.memories(memory.scope_of("u")) if m.kind is Kind.LESSON]
    assert ["/v2/report" in m.content for m in lessons] == [True]


async def test_the_state_of_a_team_holds_nothing_of_ours_and_goes_on_without_capturing_again(
    memory: Hindsight,
) -> None:
    scope = memory.scope_of("u")
    memory.remember(scope, "The report is read on Mondays.", query=TASK)
    agents = pair(memory, apart=False)
    first = RoundRobinGroupChat(agents, termination_condition=MaxMessageTermination(3))
    await first.run(task=TASK)
    assert "<memory-" in str(client_of(agents[0]).shown)
    state = await first.save_state()
    assert "hindsight" not in str(state)
    again = [
        agent("Thanks.", name=name, memory=[HindsightMemory(memory, user="u")])
        for name in ("one", "two")
    ]
    second = RoundRobinGroupChat(again, termination_condition=MaxMessageTermination(2))
    await second.load_state(state)
    await second.run(task="And now?")
    assert [e.text for e in events(memory, UserSaid)] == [TASK, "And now?"]
    assert len(events(memory, ToolCalled)) == 2


async def test_a_hand_over_is_no_tool_call_and_what_it_brings_along_is_not_captured_again(
    memory: Hindsight,
) -> None:
    ours = HindsightMemory(memory, user="u")
    both = calls(("fetch", {"path": "/v1/report"}), ("transfer_to_two", {}))
    one = agent(both, name="one", handoffs=["two"], memory=[ours])
    two = agent(FIX, "Here it is.", name="two", handoffs=["user"], memory=[ours])
    await Swarm([one, two], termination_condition=MaxMessageTermination(3)).run(task=TASK)
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["fetch", "fetch"]
    assert [e.text for e in events(memory, UserSaid)] == [TASK]
    assert len(events(memory, RunStarted)) == 1


async def test_a_person_who_takes_over_from_a_swarm_is_heard(memory: Hindsight) -> None:
    ours = HindsightMemory(memory, user="u")
    ask = calls(("transfer_to_user", {}))
    one = agent(ask, "As you wish.", name="one", handoffs=["user"], memory=[ours])
    end = HandoffTermination("user") | MaxMessageTermination(2)
    swarm = Swarm([one], termination_condition=end)
    await swarm.run(task=TASK)
    answer = HandoffMessage(source="user", target="one", content="Always ask me in French.")
    await swarm.run(task=answer)
    assert [e.text for e in events(memory, UserSaid)] == [TASK, "Always ask me in French."]
    assert events(memory, ToolCalled) == []


async def test_a_person_in_a_team_is_heard_as_one(memory: Hindsight) -> None:
    person = UserProxyAgent("user_proxy", input_func=lambda _: "Always answer me in French.")
    one = agent("What else?", "D'accord.", name="one", memory=[HindsightMemory(memory, user="u")])
    end = MaxMessageTermination(4)
    await RoundRobinGroupChat([one, person], termination_condition=end).run(task=TASK)
    assert [(e.text, e.before) for e in events(memory, UserSaid)] == [
        (TASK, ""),
        ("Always answer me in French.", "What else?"),
    ]
    wishes = [m for m in memory.memories(memory.scope_of("u")) if m.kind is Kind.PREFERENCE]
    assert ["French" in m.content for m in wishes] == [True]


async def test_agents_that_share_one_context_are_both_captured(memory: Hindsight) -> None:
    ours, context = HindsightMemory(memory), UnboundedChatCompletionContext()
    one, two = (
        agent(script, "Done.", name=name, memory=[ours], model_context=context)
        for name, script in (("one", FAIL), ("two", FIX))
    )
    await one.run(task=TASK)
    await two.run(task="And the newer one?")
    assert [e.text for e in events(memory, UserSaid)] == [TASK, "And the newer one?"]
    assert len(events(memory, ToolCalled)) == 2


async def test_agents_that_begin_at_once_are_in_one_run(memory: Hindsight) -> None:
    agents = pair(memory, apart=False)
    builder = DiGraphBuilder()
    for one in agents:
        builder.add_node(one)
    await GraphFlow(agents, graph=builder.build()).run(task=TASK)
    assert [e.text for e in events(memory, UserSaid)] == [TASK]
    assert len({e.run_id for e in events(memory, ToolCalled)}) == 1


@pytest.mark.parametrize("attached", [False, True])
async def test_a_tool_that_is_a_agent_works_in_a_run_of_its_own_and_streams_what_it_does(
    attached: bool, memory: Hindsight
) -> None:
    ours = HindsightMemory(memory, user="u")
    inner = agent(FIX, "The helper has it.", name="helper", memory=[ours])
    outer = agent(
        calls(("helper", {"task": "I always want Klingon."})),
        "Here it is.",
        "And again.",
        tools=[AgentTool(inner)],
        memory=[ours],
    )
    if attached:
        attach(inner)
        attach(outer)
    seen = [message async for message in outer.run_stream(task=TASK)]
    assert "The helper has it." in [getattr(m, "content", None) for m in seen]
    runs = {e.run_id: e for e in events(memory, RunStarted)}
    assert sorted(run.nested for run in runs.values()) == [False, True]
    said = [(e.text, e.nested) for e in events(memory, UserSaid)]
    assert sorted(said) == [(TASK, False), ("I always want Klingon.", True)]
    tools = {e.call.tool: runs[e.run_id].nested for e in events(memory, ToolCalled)}
    assert tools == {"helper": False, "fetch": True}
    await outer.run(task="Once more, please.")
    assert not events(memory, UserSaid)[-1].nested
