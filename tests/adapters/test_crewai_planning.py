"""An agent that plans and works step by step is captured, and remembers, as any other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from crewai_kit import (
    ITS_OWN_WARNINGS,
    STEPS_NAME_THEIR_AGENT,
    HindsightMemory,
    PlanningConfig,
    agent_at,
    book_seat,
    crew_at,
    events,
    lookup,
)

from hindsight_core import Hindsight, Kind, Source
from hindsight_core.events import RunEnded, RunStarted, ToolCalled, UserSaid
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

RULE = "Always look a key up twice."
TASK = "查一下 a 和 b。以后回答一律用中文。"


@pytest.fixture
def watched(memory: Hindsight) -> Iterator[HindsightMemory]:
    memory.remember(memory.scope_of("u"), RULE, kind=Kind.PREFERENCE, source=Source.USER)
    held = HindsightMemory(memory, user="u")
    yield held
    held.close()


def planned(*, at_once: bool) -> Any:
    """A model that makes a plan of two steps, in each of which it calls a tool."""
    steps = [
        {
            "step_number": number,
            "description": f"Look the key {key} up",
            "tool_to_use": "lookup",
            "depends_on": [] if at_once or number == 1 else [1],
        }
        for number, key in enumerate("ab", 1)
    ]
    went_well = {
        "step_completed_successfully": True,
        "key_information_learned": "it was found",
        "remaining_plan_still_valid": True,
        "suggested_refinements": None,
        "needs_full_replan": False,
        "replan_reason": None,
        "goal_already_achieved": False,
    }

    def answer(body: dict[str, Any]) -> Any:
        offered = [one["function"]["name"] for one in body.get("tools", ())]
        said = str(body["messages"])
        if "create_reasoning_plan" in offered:
            plan = {"plan": "look both up", "steps": steps, "ready": True}
            return [("create_reasoning_plan", plan)]
        if "lookup" in offered and "value of" not in said:
            return [("lookup", {"key": "b" if "key b up" in said else "a"})]
        return json.dumps(went_well) if body.get("response_format") else "done"

    return answer


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("way", ["crew", "agent"])
def test_the_steps_of_a_plan_are_one_run_that_remembers(
    way: str, at_once: bool, memory: Hindsight, watched: HindsightMemory
) -> None:
    planning: dict[str, Any] = {"planning_config": PlanningConfig()}
    with ScriptedServer([planned(at_once=at_once)], cycle=True) as server:
        if way == "crew":
            assert crew_at(server, watched, TASK, agent=planning).kickoff().raw == "done"
        else:
            agent = agent_at(server, [book_seat, lookup], memory=watched, **planning)
            assert agent.kickoff(TASK).raw == "done"
        asked = [str(body["messages"]) for body in server.chats]
    found = events(memory, ToolCalled)
    assert sorted((e.call.args["key"], e.result) for e in found) == [
        ("a", "value of a"),
        ("b", "value of b"),
    ]
    assert [e.ok for e in events(memory, RunEnded)] == [True]
    if not STEPS_NAME_THEIR_AGENT:
        return  # whose memory to show, the first releases of 1.15 do not tell
    steps = [text for text in asked if "ONE specific step" in text]
    assert len(steps) == 4
    assert all(RULE in text for text in steps)
    assert not any(RULE in text for text in asked if text not in steps)
    (started,) = events(memory, RunStarted)
    assert (started.agent, started.task) == ("clerk", TASK)
    assert [e.text for e in events(memory, UserSaid)] == [TASK]
    kept = [m.content for m in memory.memories(memory.scope_of("u")) if m.kind is Kind.PREFERENCE]
    assert sorted(kept) == sorted([RULE, "以后回答一律用中文。"])


def test_a_plan_of_a_crew_without_our_memory_is_none_of_our_business(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([planned(at_once=True)], cycle=True) as server:
        crew_at(server, False, TASK, agent={"planning_config": PlanningConfig()}).kickoff()
        assert RULE not in str(server.chats)
    assert events(memory) == []
