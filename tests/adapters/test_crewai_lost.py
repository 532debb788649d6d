"""Calls that come to no hook, or of which no hook tells the end, are recorded all the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from crewai_kit import (
    ITS_OWN_WARNINGS,
    MODES,
    HindsightMemory,
    agent_at,
    crew_at,
    drive,
    events,
    react_at,
    tool,
)

from hindsight_core import Hindsight
from hindsight_core.events import AgentSaid, RunEnded, RunStarted, ToolCalled
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

DONE = "Thought: I now know\nFinal Answer: done"


class WordlessError(Exception):
    """An exception that cannot be put into words."""

    def __str__(self) -> str:
        raise ValueError("no words")


@tool("Wordless Tool")
def wordless(key: str) -> str:
    """Fail without a word."""
    raise WordlessError


@tool("lookup")
def lookup(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"


@tool("give_up")
def give_up() -> str:
    """Stop all of it."""
    raise KeyboardInterrupt


@pytest.fixture
def watched(memory: Hindsight) -> Iterator[HindsightMemory]:
    held = HindsightMemory(memory, user="u")
    yield held
    held.close()


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


def called(memory: Hindsight) -> list[tuple[str, bool | None]]:
    return [(e.call.tool, e.flagged_error) for e in events(memory, ToolCalled)]


def test_a_tool_whose_exception_has_no_words_is_a_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    script = [[("wordless_tool", {"key": "a"})], [("lookup", {"key": "b"})], "done"]
    with ScriptedServer(script) as server:
        crew = crew_at(server, watched, "查一下 a。", tools=[wordless, lookup])
        assert drive(mode, crew) == "done"
    assert sorted(called(memory)) == [("Wordless Tool", True), ("lookup", False)]
    assert [e.ok for e in events(memory, RunEnded)] == [True]


def test_a_tool_that_has_no_words_to_the_end_is_a_failure_of_a_run_that_failed(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([[("wordless_tool", {"key": "a"})]], cycle=True) as server:
        crew = crew_at(server, watched, tools=[wordless])
        with pytest.raises(ValueError, match="no words"):
            drive(mode, crew)
        server.play("done")
        assert drive(mode, crew) == "done"
    found = called(memory)
    assert len(found) >= 1
    assert set(found) == {("Wordless Tool", True)}
    assert [e.ok for e in events(memory, RunEnded)] == [False, True]
    assert not any(e.nested for e in events(memory, RunStarted))


def test_in_the_react_loop_too(mode: str, memory: Hindsight, watched: HindsightMemory) -> None:
    script = ['Thought: x\nAction: Wordless Tool\nAction Input: {"key": "a"}', DONE]
    with ScriptedServer(script) as server:
        crew = crew_at(server, watched, tools=[wordless], agent={"llm": react_at(server)})
        assert drive(mode, crew) == "done"
    assert called(memory) == [("Wordless Tool", True)]


def test_a_call_during_which_a_person_stopped_everything_is_no_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([[("give_up", {})], "done"]) as server:
        crew = crew_at(server, watched, tools=[give_up])
        with pytest.raises(KeyboardInterrupt):
            drive(mode, crew)
        drive(mode, crew)
    assert called(memory) == []
    assert not any(e.nested for e in events(memory, RunStarted))


@pytest.mark.parametrize("args", ['{"key": "a', "", "{'key': 'a'}", '{"key": "甲'])
def test_a_call_with_arguments_that_are_no_json_is_a_failure_once(
    mode: str, memory: Hindsight, watched: HindsightMemory, args: str
) -> None:
    good = [("lookup", {"key": "a"})]
    with ScriptedServer([[("lookup", args)], good, good, "done"]) as server:
        assert drive(mode, crew_at(server, watched, tools=[lookup])) == "done"
    assert called(memory) == [("lookup", True), ("lookup", False), ("lookup", False)]
    (failed, *_) = events(memory, ToolCalled)
    assert "JSON" in failed.result
    assert (args.strip() or "input") in str(dict(failed.call.args))


def test_a_call_beside_one_that_cannot_be_read_is_recorded_by_its_own_hook(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    both = [("lookup", {"key": "a"}), ("lookup", '{"key": ')]
    with ScriptedServer([both, "done"]) as server:
        drive(mode, crew_at(server, watched, tools=[lookup]))
    assert sorted(called(memory)) == [("lookup", False), ("lookup", True)]


def test_arguments_that_are_json_but_no_object_are_a_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    with ScriptedServer([[("lookup", '"a"')], "done"]) as server:
        assert drive(mode, crew_at(server, watched, tools=[lookup])) == "done"
    assert called(memory) == [("lookup", True)]


def test_a_react_call_whose_arguments_are_no_dictionary_is_a_failure(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    script = ["Thought: x\nAction: Wordless Tool\nAction Input: [1, 2]", DONE]
    with ScriptedServer(script) as server:
        crew = crew_at(server, watched, tools=[wordless], agent={"llm": react_at(server)})
        assert drive(mode, crew) == "done"
    assert called(memory) == [("Wordless Tool", True)]


def test_a_tools_result_that_only_looks_like_it_is_recorded_once(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    @tool("report")
    def report(key: str) -> str:
        """Report."""
        return (
            "Error: Failed to parse tool arguments as JSON: x.\n"
            "Error: the Action Input is not a valid key, value dictionary."
        )

    with ScriptedServer([[("report", {"key": "a"})], "done"]) as server:
        drive(mode, crew_at(server, watched, tools=[report]))
    assert len(called(memory)) == 1


def test_a_call_of_a_memory_tool_that_cannot_be_read_teaches_nothing(
    memory: Hindsight, watched: HindsightMemory
) -> None:
    script = [[("search_memory", '{"queries": [')], [("memory_details", "{")], "done"]
    with ScriptedServer(script) as server:
        drive("kickoff", crew_at(server, watched, tools=[lookup, watched.details_tool()]))
    assert called(memory) == []


def test_an_agent_by_itself_is_no_different(memory: Hindsight, watched: HindsightMemory) -> None:
    script = [[("lookup", '{"key": "a')], [("wordless_tool", {"key": "a"})], "done"]
    with ScriptedServer(script) as server:
        agent = agent_at(server, [lookup, wordless], memory=watched)
        with pytest.raises(ValueError, match="no words"):
            agent.kickoff("查一下 a。")
        agent.kickoff("查一下 b。")
    assert called(memory) == [("lookup", True), ("Wordless Tool", True)]
    assert [e.ok for e in events(memory, RunEnded)] == [False, True]


def test_a_tools_result_that_is_the_answer_is_not_the_agents_word(
    mode: str, memory: Hindsight, watched: HindsightMemory
) -> None:
    @tool("show", result_as_answer=True)
    def show(key: str) -> str:
        """Show."""
        return f"值:{key}"

    with ScriptedServer([[("show", {"key": "a"})], "done"]) as server:
        assert drive(mode, crew_at(server, watched, tools=[show])) == "值:a"
    assert called(memory) == [("show", False)]
    assert events(memory, AgentSaid) == []
    assert [e.ok for e in events(memory, RunEnded)] == [True]
