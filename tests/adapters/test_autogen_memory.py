"""The memory as AutoGen knows it: a component, a protocol, and one line in an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import MemoryQueryEvent, MultiModalMessage
from autogen_core import ComponentModel, Image
from autogen_core.memory import ListMemory, Memory, MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext, UnboundedChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage
from autogen_hindsight import HindsightMemory
from autogen_kit import Scripted, agent, calls, client_of, events, fetch

from hindsight_core import GateMode, Hindsight, InvalidMemoryError, Kind, Source
from hindsight_core.events import AgentSaid, RunStarted, ToolCalled, UserSaid

MARK = "<memory-"
RULE = "Always report temperatures in celsius."
ASKED = "Report the temperatures."


@pytest.fixture
def knowing(memory: Hindsight) -> Hindsight:
    scope = memory.scope_of("u")
    memory.remember(scope, RULE, kind=Kind.PREFERENCE, source=Source.USER, query=ASKED)
    return memory


def text(content: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=content, mime_type=MemoryMimeType.TEXT, metadata=metadata)


async def test_a_memory_is_dumped_and_loaded_with_all_that_it_was_given(tmp_path: Path) -> None:
    given = HindsightMemory(
        str(tmp_path / "m.db"),
        user="u",
        tenant="t",
        agent="a",
        session="s",
        task="work",
        task_id="42",
        people=["user", "boss"],
        nested=False,
    )
    dumped = given.dump_component()
    assert ComponentModel.model_validate_json(dumped.model_dump_json()) == dumped
    loaded = Memory.load_component(dumped)
    assert isinstance(loaded, HindsightMemory)
    assert loaded.dump_component() == dumped
    await given.close()
    await loaded.close()


async def test_an_agent_that_was_dumped_remembers_when_it_is_loaded(tmp_path: Path) -> None:
    first = HindsightMemory(str(tmp_path / "m.db"), user="u")
    made = AssistantAgent("a", Scripted("noted", "20 degrees"), memory=[first])
    await made.run(task=RULE)
    dumped = made.dump_component()
    await first.close()
    loaded = AssistantAgent.load_component(dumped)
    (memory,) = loaded._memory or []
    assert isinstance(memory, HindsightMemory)
    with memory.hindsight:
        result = await loaded.run(task=ASKED)
        assert isinstance(result.messages[1], MemoryQueryEvent)


async def test_what_is_added_is_found_and_what_is_cleared_is_gone(memory: Hindsight) -> None:
    ours = HindsightMemory(memory, user="u")
    await ours.add(text("The staging database is restored every Monday."))
    await ours.add(text(RULE, kind="preference"))
    found = (await ours.query("When is the staging database restored?")).results
    assert [m.content for m in found] == ["The staging database is restored every Monday."]
    assert (found[0].metadata or {})["kind"] == "fact"
    assert (await ours.query(text("staging database"), top_k=1)).results == found
    assert (await HindsightMemory(memory, user="v").query("staging database")).results == []
    with pytest.raises(InvalidMemoryError):
        await ours.add(text(""))
    await ours.clear()
    assert (await ours.query("staging database")).results == []


async def test_what_is_recalled_is_reported_as_an_event_and_shown_in_one_block(
    knowing: Hindsight,
) -> None:
    made = agent("20 degrees", memory=[HindsightMemory(knowing, user="u")])
    result = await made.run(task=ASKED)
    (event,) = [m for m in result.messages if isinstance(m, MemoryQueryEvent)]
    assert [RULE in str(m.content) for m in event.content] == [True]
    assert MARK not in str(result.messages)
    own, block = client_of(made).systems
    assert block.startswith(MARK)
    assert not own.startswith(MARK)


async def test_the_block_stands_next_to_system_messages_that_are_in_the_context(
    knowing: Hindsight,
) -> None:
    listed = ListMemory()
    await listed.add(text("Notes of somebody else."))
    ours = HindsightMemory(knowing, user="u")
    for order in ([listed, ours], [ours, listed]):
        made = agent("20 degrees", memory=order, system_message=None)
        await made.run(task=ASKED)
        kinds = [m.type for m in client_of(made).shown[-1]]
        assert kinds == ["UserMessage", "SystemMessage", "SystemMessage"]


async def test_nothing_is_left_in_the_context_when_the_turn_is_over(knowing: Hindsight) -> None:
    made = agent("20 degrees", memory=[HindsightMemory(knowing, user="u")])
    await made.run(task=ASKED)
    assert MARK in str(client_of(made).shown)
    assert MARK not in str(await made.model_context.get_messages())
    assert MARK not in str(await made.save_state())


async def test_a_context_that_shows_less_than_it_holds_is_captured_whole(
    memory: Hindsight,
) -> None:
    made = agent(
        calls(("fetch", {"path": "/v2/a"})),
        "first",
        "second",
        memory=[HindsightMemory(memory)],
        model_context=BufferedChatCompletionContext(1),
    )
    await made.run(task="one")
    await made.run(task="two")
    assert [e.text for e in events(memory, UserSaid)] == ["one", "two"]
    assert [e.text for e in events(memory, AgentSaid)] == ["first", "second"]
    assert len(events(memory, ToolCalled)) == 1


async def test_a_turn_that_ends_with_a_summary_of_its_tools_is_judged_before_the_next_run(
    memory: Hindsight,
) -> None:
    ours = HindsightMemory(memory, user="u")
    for path in ("/v1/a", "/v2/a"):
        made = agent(
            calls(("fetch", {"path": path})),
            memory=[ours],
            max_tool_iterations=1,
        )
        await made.run(task="fetch the report")
    assert MARK in str(client_of(made).shown)
    assert len(events(memory, RunStarted)) == 2


@pytest.mark.parametrize("apart", [False, True])
async def test_the_same_words_to_another_agent_later_are_another_run(
    apart: bool, memory: Hindsight
) -> None:
    shown = []
    for _ in range(2):
        made = agent(
            calls(("fetch", {"path": "/v1/a"})),
            calls(("fetch", {"path": "/v2/a"})),
            "done",
            memory=[HindsightMemory(memory, user="u")],
        )
        turn = made.run(task="fetch the report")
        # The task of the first turn goes on, and begins that of the second.
        await (asyncio.create_task(turn) if apart and shown else turn)
        shown.append(MARK in str(client_of(made).shown[0]))
    assert shown == [False, True]
    assert len({e.run_id for e in events(memory, ToolCalled)}) == 2


async def test_all_turns_of_a_task_are_one_run_so_that_a_late_fix_is_paired(
    memory: Hindsight,
) -> None:
    ours = HindsightMemory(memory, user="u", task="get the report", task_id="7")
    made = agent(
        calls(("fetch", {"path": "/v1/a"})),
        "it is gone",
        calls(("fetch", {"path": "/v2/a"})),
        "here",
        memory=[ours],
    )
    await made.run(task="fetch the report")
    await made.run(task="try the newer one")
    assert len({e.run_id for e in events(memory)}) == 1
    assert events(memory, RunStarted)[0].task == "get the report"
    lessons = [m for m in memory.memories(memory.scope_of("u")) if m.kind is Kind.LESSON]
    assert ["/v2/a" in m.content for m in lessons] == [True]


async def test_a_context_that_is_reset_begins_another_conversation(memory: Hindsight) -> None:
    made = agent("one", "two", memory=[HindsightMemory(memory)])
    await made.run(task="hello there")
    await made.on_reset(None)  # type: ignore[arg-type]
    await made.run(task="hello there")
    assert len(events(memory, RunStarted)) == 2
    assert [e.text for e in events(memory, AgentSaid)] == ["one", "two"]


async def test_a_history_given_at_the_start_is_not_captured(memory: Hindsight) -> None:
    context = UnboundedChatCompletionContext(
        [
            UserMessage(content="an example", source="user"),
            AssistantMessage(content="its answer", source="agent"),
        ]
    )
    made = agent("done", memory=[HindsightMemory(memory)], model_context=context)
    await made.run(task="the real thing")
    assert [(e.text, e.before) for e in events(memory, UserSaid)] == [
        ("the real thing", "its answer")
    ]


async def test_only_people_are_heard_and_a_picture_is_named(memory: Hindsight) -> None:
    ours = HindsightMemory(memory, people=["boss"])
    picture: Any = Image.from_base64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    made = agent("seen", "heard", memory=[ours])
    await made.run(task=MultiModalMessage(content=["look at this", picture], source="boss"))
    await made.run(task="not a person here")
    assert [e.text for e in events(memory, UserSaid)] == ["look at this\n[Image]"]


async def test_without_attach_the_gate_cannot_stop_a_call_and_says_so(
    open_memory: Callable[..., Hindsight], caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory(gate=GateMode.BLOCK)
    for _ in range(2):
        made = agent(calls(("fetch", {"path": "/v1/a"})), "gone", memory=[HindsightMemory(memory)])
        await made.run(task="fetch the report")
    assert len(events(memory, ToolCalled)) == 2
    told = [r.getMessage() for r in caplog.records if r.name == "hindsight_core"]
    assert sum("attach(agent)" in line for line in told) == 1


async def test_a_tool_of_another_name_and_arguments_that_are_no_json_are_failures(
    memory: Hindsight,
) -> None:
    broken = calls(("fetch", {}))
    broken.content[0].arguments = '{"path": '  # type: ignore[union-attr]
    made = agent(calls(("imagined", {"x": 1})), broken, "no", memory=[HindsightMemory(memory)])
    await made.run(task="go")
    assert [(e.call.tool, e.flagged_error) for e in events(memory, ToolCalled)] == [
        ("imagined", True),
        ("fetch", True),
    ]
    assert fetch("/v2/x")
