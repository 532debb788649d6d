"""The memory as CrewAI's own: what its users call by hand, and what it leaves alone."""

from __future__ import annotations

import copy
import gc
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from crewai_kit import (
    ITS_OWN_WARNINGS,
    Crew,
    HindsightMemory,
    People,
    agent_at,
    book_seat,
    crew_at,
    events,
    tool,
)

from hindsight_core import Hindsight, InvalidMemoryError, Kind, Source
from hindsight_core.events import RunStarted
from hindsight_core.testing.scripted_server import ScriptedServer

pytestmark = ITS_OWN_WARNINGS

FACT = "The staging database is restored every Monday."
GOOD = [("book_seat", {"date": "2026-03-05"})]


@pytest.fixture
def watched(memory: Hindsight) -> Iterator[HindsightMemory]:
    held = HindsightMemory(memory, user="u")
    yield held
    held.close()


def hooks() -> int:
    from crewai.hooks import InterceptionPoint, get_hooks

    return sum(len(get_hooks(point)) for point in InterceptionPoint)


def test_what_is_remembered_by_hand_is_recalled_with_its_score(
    watched: HindsightMemory, memory: Hindsight
) -> None:
    record = watched.remember(FACT)
    (match,) = watched.recall("When is the staging database restored?", limit=3)
    assert (match.record.id, match.record.content) == (record.id, FACT)
    assert 0 < match.score <= 1
    assert memory.get(memory.scope_of("u"), record.id).source is Source.AGENT
    assert watched.recall("Who wrote this book?") == []


def test_records_are_listed_counted_and_forgotten(watched: HindsightMemory) -> None:
    assert watched.remember_many([FACT, "The kitchen opens at noon."]) != []
    first, second = watched.list_records()
    assert {first.content, second.content} == {FACT, "The kitchen opens at noon."}
    assert watched.info().record_count == 2
    assert watched.list_categories() == {"fact": 2}
    assert watched.forget(record_ids=[first.id]) == 1
    assert watched.forget(older_than=datetime.now(UTC) - timedelta(days=1)) == 0
    assert watched.forget(scope="/elsewhere") == 0
    assert watched.update(second.id, content="The kitchen opens at one.").content
    assert [r.content for r in watched.list_records()] == ["The kitchen opens at one."]
    watched.reset()
    assert watched.list_records() == []


def test_a_text_that_cannot_be_stored_is_refused_by_name(watched: HindsightMemory) -> None:
    with pytest.raises(InvalidMemoryError, match="content"):
        watched.remember("")


async def test_the_async_forms_do_the_same(watched: HindsightMemory) -> None:
    await watched.aremember(FACT)
    (match,) = await watched.arecall("When is the staging database restored?")
    assert match.record.content == FACT


def test_an_agents_tools_work_for_the_user_of_the_kickoff(
    watched: HindsightMemory, memory: Hindsight
) -> None:
    script = [[("save_to_memory", {"contents": [FACT]})], "saved"]
    with ScriptedServer(script) as server:
        crew_at(server, watched, "Save it.").kickoff(inputs={"user_id": "ann"})
    found = {who: memory.memories(memory.scope_of(who)) for who in ("ann", "u")}
    assert [m.value.content for m in found["ann"] if m.kind is Kind.FACT] == [FACT]
    assert found["u"] == []


def test_the_user_of_one_kickoff_is_not_that_of_the_next(
    watched: HindsightMemory, memory: Hindsight
) -> None:
    with ScriptedServer(["done"], cycle=True) as server:
        crew = crew_at(server, watched, "Do it.")
        crew.kickoff(inputs={"user_id": "ann", "tenant_id": "acme"})
        crew.kickoff()
    scopes = [(e.scope.user, e.scope.tenant) for e in events(memory, RunStarted)]
    assert scopes == [("ann", "acme"), ("u", "default")]


@tool("give_up")
def give_up() -> str:
    """Stop all of it."""
    raise KeyboardInterrupt


def test_the_user_of_a_kickoff_that_was_cut_short_is_not_that_of_the_next(
    watched: HindsightMemory, memory: Hindsight
) -> None:
    with ScriptedServer([[("give_up", {})], "done"]) as server:
        crew = crew_at(server, watched, "Do it.", tools=[give_up])
        with pytest.raises(KeyboardInterrupt):
            crew.kickoff(inputs={"user_id": "ann", "tenant_id": "acme"})
        crew.kickoff()
    scopes = [(e.scope.user, e.scope.tenant) for e in events(memory, RunStarted)]
    assert scopes == [("ann", "acme"), ("u", "default")]


def test_a_crew_in_the_place_of_one_that_is_gone_is_nobodys() -> None:
    people = People()
    with ScriptedServer([]) as server:
        crew = crew_at(server, None)
    people.come(crew, {"user_id": "ann"})
    place = id(crew)
    assert people.of(crew) == ("ann", None)
    del crew
    gc.collect()
    assert place not in people._known


def test_the_run_of_a_task_can_be_judged_later(watched: HindsightMemory, memory: Hindsight) -> None:
    with ScriptedServer([GOOD, "done", "by itself"]) as server:
        crew = crew_at(server, watched)
        assert watched.run_of(crew.tasks[0]) is None
        crew.kickoff()
        run_id = watched.run_of(crew.tasks[0])
        alone = agent_at(server, memory=watched)
        alone.kickoff("Hello.")
        assert watched.run_of(alone) not in (None, run_id)
    scope = memory.scope_of("u")
    memory.feedback(scope, str(run_id), good=False)
    assert memory.explain(scope, str(run_id)).events


def test_the_hooks_go_when_the_memory_is_closed_or_gone(memory: Hindsight) -> None:
    gc.collect()
    before = hooks()
    closed = HindsightMemory(memory)
    assert hooks() > before
    closed.close()
    closed.close()
    assert hooks() == before
    HindsightMemory(memory)
    gc.collect()
    assert hooks() == before


def test_a_closed_memory_records_nothing_more(memory: Hindsight) -> None:
    watched = HindsightMemory(memory, user="u")
    with ScriptedServer(["one", "two"]) as server:
        crew = crew_at(server, watched, "Do it.")
        crew.kickoff()
        watched.close()
        crew.kickoff()
    assert len(events(memory, RunStarted)) == 1


def test_a_memory_opened_here_is_closed_here_and_a_given_one_stays_open(
    memory: Hindsight, tmp_path: Path
) -> None:
    HindsightMemory(memory).close()
    memory.remember(memory.scope_of("u"), FACT)
    own = HindsightMemory(str(tmp_path / "own.db"), user="u")
    own.remember(FACT)
    own.close()
    with Hindsight.open(str(tmp_path / "own.db"), embedder=None) as again:
        assert [m.value.content for m in again.memories(again.scope_of("u"))] == [FACT]


def test_a_copy_of_the_memory_is_the_same_memory(watched: HindsightMemory) -> None:
    assert copy.deepcopy(watched) is watched


@pytest.mark.swallows
def test_a_server_store_without_a_user_runs_the_crew_without_memory(
    watched: HindsightMemory, swallowed_errors: Any
) -> None:
    class Server:
        url, embedded = "server://store", False

        def close(self) -> None:
            """Close nothing."""

    store: Any = Server()
    with Hindsight.open(store=store, embedder=None, lazy=True) as memory:
        nobody = HindsightMemory(memory)
        with ScriptedServer([GOOD, "done"]) as server:
            assert crew_at(server, nobody).kickoff().raw == "done"
            assert "hindsight" not in str(server.chats)
        assert not memory.health().ok
        nobody.close()


def test_no_environment_no_file_and_no_connection_but_the_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dict(os.environ)
    reached: list[Any] = []
    connect = socket.socket.connect

    def noted(self: socket.socket, address: Any) -> None:
        reached.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    monkeypatch.chdir(tmp_path)
    watched = HindsightMemory(str(tmp_path / "store.db"), user="u")
    with ScriptedServer([GOOD, "done"]) as server:
        crew_at(server, watched).kickoff()
        port = int(server.url.rpartition(":")[2].partition("/")[0])
    watched.close()
    assert {address[1] for address in reached if isinstance(address, tuple)} == {port}
    assert dict(os.environ) == before
    assert {p.name.split(".db")[0] for p in tmp_path.iterdir()} == {"store"}


def test_importing_the_adapter_takes_up_no_hook_and_opens_no_store(tmp_path: Path) -> None:
    code = """
import warnings; warnings.simplefilter("ignore")
from crewai.hooks import InterceptionPoint, get_hooks
before = [list(get_hooks(p)) for p in InterceptionPoint]
import crewai_hindsight
assert [list(get_hooks(p)) for p in InterceptionPoint] == before
"""
    env = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*hindsight*"))


def test_the_messages_of_a_task_are_byte_for_byte_those_without_us(
    watched: HindsightMemory, memory: Hindsight
) -> None:
    memory.remember(
        memory.scope_of("u"), "Always take a window seat.", kind=Kind.PREFERENCE, source=Source.USER
    )
    kept: list[str] = []
    for held in (False, watched):
        with ScriptedServer([[("book_seat", {"date": "x"})], GOOD, "done"]) as server:
            crew: Crew = crew_at(server, held, "Book a window seat.", tools=[book_seat])
            crew.kickoff()
            kept.append(str(crew.tasks[0].output.messages))
        assert ("window seat.</" in str(server.chats)) is False
        assert ("<memory-" in str(server.chats)) is bool(held)
    assert kept[0] == kept[1]
