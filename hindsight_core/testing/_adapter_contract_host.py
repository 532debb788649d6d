"""The host is left alone: what we show stays ours, and no error of ours is the host's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from hindsight_core.engine import Hindsight
from hindsight_core.errors import StoreError
from hindsight_core.events import AgentSaid, BlockShown, ToolCalled, dump_event
from hindsight_core.ports import IndexInfo
from hindsight_core.schema import Kind, Source
from hindsight_core.testing._adapter_contract_stage import MARK, Route, Stage, scenario
from hindsight_core.testing.adapter_driver import DrivenAgent
from hindsight_core.testing.scripted_server import hashed_vector

_TASK = "Fetch the report of the service."
_KNOWN = "The report of the service is always read on Mondays."
_OLD, _NEW = {"path": "/v1/report"}, {"path": "/v2/report"}


def _knowing(stage: Stage) -> Hindsight:
    memory = stage.memory()
    scope = memory.scope_of("ann")
    memory.remember(scope, _KNOWN, kind=Kind.PREFERENCE, source=Source.USER, query=_TASK)
    return memory


@scenario()
def what_is_shown_is_shown_at_every_call_of_the_model_and_never_kept(stage: Stage) -> None:
    memory, route = _knowing(stage), Route()
    agent = stage.agent(memory, tools=[route.tool()], system="You are brief.")
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _NEW)], "Here it is.")
    assert len(stage.requests) == 3
    for messages in stage.requests:
        text = [str(m.get("content")) for m in messages]
        assert sum(_KNOWN in part for part in text) == 1, "the memory is not shown just once"
        assert sum(part.count(MARK) for part in text) == 1, "there is not just one block"
        shown = next(i for i, part in enumerate(text) if _KNOWN in part)
        assert all(m["role"] == "system" for m in messages[:shown]), "the block is not at the top"
        assert "You are brief." in "".join(text), "the agent's own instructions are gone"
    assert MARK not in agent.saved(), "the block was written into what the framework keeps"
    assert "Here it is." in agent.saved(), "the driver's saved() does not show the conversation"


@scenario()
def what_is_shown_is_never_captured_even_when_the_model_repeats_it(stage: Stage) -> None:
    memory, route = _knowing(stage), Route(gone=())
    agent = stage.agent(memory, tools=[route.tool()])

    def block(request: dict[str, Any]) -> str:
        text = "\n".join(str(m.get("content")) for m in request["messages"])
        start = text.index(MARK)
        return text[start : text.index(">", text.index(MARK.replace("<", "</"))) + 1]

    stage.say(
        agent,
        _TASK,
        lambda request: [("fetch", {"path": f"/v2/report {block(request)}"})],
        lambda request: f"I was told: {block(request)} And that is all.",
    )
    memory.flush()
    said = stage.events(memory, AgentSaid)
    assert said, "what the agent said was not captured"
    assert not any(MARK in dump_event(event) for event in said), "a block was captured"
    assert not any(_KNOWN in dump_event(event) for event in said)
    assert len([m for m in stage.learnt(memory) if _KNOWN in m.content]) == 1


def _story(stage: Stage, memory: Hindsight | None) -> list[Any]:
    """Turns that touch every hook; what the host sees of them, and what the model was sent."""
    before = len(stage.requests)
    route = Route()
    agent = stage.agent(memory, tools=[route.tool()])
    outcomes = [
        stage.outcome(agent, _TASK, [("fetch", _OLD)], [("fetch", _NEW)], "Here it is."),
        stage.outcome(agent, "Once more.", [("imagined", {"x": 1})], "No."),
        stage.outcome(agent, "Thanks.", "You are welcome."),
    ]
    return [outcomes, route.ran, [_plain(messages) for messages in stage.requests[before:]]]


def _plain(messages: list[dict[str, Any]]) -> list[tuple[str, str, list[Any]]]:
    # Ids are numbered by the server over all its answers; what they join is seen by the order.
    plain: list[tuple[str, str, list[Any]]] = []
    for message in messages:
        calls: list[dict[str, Any]] = message.get("tool_calls") or []
        functions = [call["function"] for call in calls]
        plain.append((message["role"], str(message.get("content")), functions))
    return plain


class _FailingStore:
    """A store at which every call fails, by raising or by never coming back in time."""

    url = "failing://store"
    embedded = True

    def __init__(self, until: threading.Event | None = None) -> None:
        self.asked = 0
        self._until = until

    def close(self) -> None:
        """There is nothing to close."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def fail(*_: Any, **__: Any) -> Any:
            self.asked += 1
            if self._until is not None:
                self._until.wait(60)
            raise StoreError(f"{name} failed")

        return fail


@scenario(swallows=True)
def a_store_that_raises_changes_nothing_for_the_host(stage: Stage) -> None:
    without = _story(stage, None)
    store: Any = _FailingStore()
    memory = stage.memory(store=store)
    assert _story(stage, memory) == without
    assert store.asked > 0, "the memory was never asked"
    assert not memory.health().ok, "health() does not tell of the errors"


@scenario(swallows=True)
def a_store_that_hangs_changes_nothing_for_the_host(stage: Stage) -> None:
    without, free = _story(stage, None), threading.Event()
    store: Any = _FailingStore(until=free)
    memory = stage.memory(store=store, deadline=0.05)
    try:
        assert _story(stage, memory) == without
    finally:
        free.set()
    assert any(isinstance(error, TimeoutError) for _, error in stage.swallowed)


@scenario()
def a_store_that_is_slow_changes_nothing_for_the_host_and_loses_nothing(stage: Stage) -> None:
    without, behind = _story(stage, None), stage.memory()

    class Slow:
        url = "slow://store"
        embedded = True

        def close(self) -> None:
            """The store behind is closed by the stage."""

        def __getattr__(self, name: str) -> Any:
            time.sleep(0.01)
            return getattr(behind.store, name)

    store: Any = Slow()
    assert _story(stage, stage.memory(store=store)) == without
    assert stage.calls(behind)[:2] == [("fetch", _OLD, True), ("fetch", _NEW, False)]


class _CountingEmbedder:
    """Makes the vector of a text from its bytes, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def info(self) -> IndexInfo:
        return IndexInfo(model="counting", dimension=8, relevance=0.5, same_subject=0.9)

    def passages(self, texts: Sequence[str]) -> Any:
        import numpy as np

        return np.array([hashed_vector(text) for text in texts], dtype=np.float32)

    def query(self, text: str) -> Any:
        self.asked.append(text)
        return self.passages([text])[0]


@scenario()
def a_turn_encodes_one_query_however_often_the_model_is_called(stage: Stage) -> None:
    embedder, route = _CountingEmbedder(), Route()
    memory = stage.memory(embedder=embedder)
    agent = stage.agent(memory, tools=[route.tool()])
    stage.say(agent, _TASK, [("fetch", _OLD)], [("fetch", _NEW)], "Here it is.")
    assert embedder.asked == [_TASK], f"one turn encoded {embedder.asked}"


@scenario()
def an_error_of_the_model_is_the_same_with_and_without_us(stage: Stage) -> None:
    without = stage.outcome(stage.agent(None), _TASK, 400)
    assert without.startswith("raised"), f"the bare agent {without}"
    memory = stage.memory()
    assert stage.outcome(stage.agent(memory, session="session-2"), _TASK, 400) == without
    assert stage.said(memory) == [_TASK], "what was said before the error is lost"


@scenario()
def control_flow_passes_and_is_no_failure_of_the_tool(stage: Stage) -> None:
    flows: dict[str, Callable[[], object]] = {"keyboard": _interrupt, **stage.driver.interruptions}
    for name, flow in flows.items():
        outcomes: list[str] = []
        memory = stage.memory(name)
        for within in (None, memory):
            agent = stage.agent(within, session=f"{name}-{within is None}", tools=[_steering(flow)])
            outcomes.append(stage.outcome(agent, _TASK, [("steer", {"how": name})]))
        assert outcomes[0] == outcomes[1], f"{name}: bare it {outcomes[0]}, with us {outcomes[1]}"
        failed = [call for call in stage.calls(memory) if call[2]]
        assert not failed, f"{name} was captured as a failure of the tool"


def _interrupt() -> None:
    raise KeyboardInterrupt


def _steering(flow: Callable[[], object]) -> Callable[..., str]:
    def steer(how: str) -> str:
        """Steer what happens next."""
        return f"{how}: {flow()}"

    return steer


@scenario(once=True)
def all_modes_capture_and_show_the_same(stage: Stage) -> None:
    stories: dict[str, list[Any]] = {}
    for mode in stage.driver.modes:
        stage.mode = mode
        memory = stage.memory(mode)
        _story(stage, memory)
        again: DrivenAgent = stage.agent(memory, session="session-2", tools=[Route().tool()])
        before = len(stage.requests)
        stage.say(again, _TASK, [("fetch", _OLD)], "No.")
        shown = [MARK in str(messages) for messages in stage.requests[before:]]
        stories[mode] = [
            stage.said(memory),
            stage.calls(memory),
            [event.result for event in stage.events(memory, ToolCalled)],
            [event.text for event in stage.events(memory, AgentSaid)],
            len(stage.events(memory, BlockShown)),
            sorted(m.content for m in stage.learnt(memory)),
            shown,
        ]
    plainest, *others = stage.driver.modes
    assert stories[plainest][-1] == [True, True], "what was learnt is not shown"
    for mode in others:
        assert stories[mode] == stories[plainest], f"{mode} differs from {plainest}"
