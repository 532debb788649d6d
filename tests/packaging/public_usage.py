"""Public usage as a type checker sees it; it is checked and not run."""

from datetime import UTC, datetime

import crewai_hindsight
from crewai import Agent, Crew, Task
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models import BaseChatModel
from langchain_hindsight import HindsightMiddleware

from hindsight_core import (
    Context,
    GateAction,
    GateMode,
    Hindsight,
    HindsightError,
    Kind,
    Scope,
    Settings,
    Source,
    Where,
)


def by_hand(path: str) -> str:
    settings = Settings(top_k=2, gate=GateMode.CONFIRM, gate_by_tool={"pay": GateMode.BLOCK})
    with Hindsight.open(path, settings=settings, embedder=None) as hs:
        me: Scope = hs.scope_of("ana", tenant="acme")
        memory = hs.remember(
            me,
            "Prefers a window seat.",
            kind=Kind.PREFERENCE,
            source=Source.USER,
            context=Context(speaker="Ana", said_at=datetime.now(UTC)),
        )
        found = hs.recall(me, "which seat?", where=Where(kinds=(Kind.PREFERENCE,)), top_k=1)
        text: str = found.block.text if found.block else ""
        run = hs.run(me, task="Book a flight", agent="booker")
        run.user("To Oslo, please.", turn="1")
        decision = run.before_tool("book", {"to": "Oslo"}, call_id="c1")
        if decision.action is not GateAction.BLOCK:
            advice: str | None = run.after_tool("book", {"to": "Oslo"}, call_id="c1", result="ok")
            text += advice or ""
        run.finish(ok=True)
        hs.feedback(me, run.run_id, good=True)
        hs.verify(me, memory.id)
        receipt = hs.forget(me, [memory.id])
        count: int = receipt.removed["memories"]
        healthy: bool = hs.health().ok
        try:
            hs.explain(me, memory.id)
        except HindsightError as error:
            text += str(error)
        return f"{text} {count} {healthy}"


def in_crewai(agent: Agent, task: Task, hs: Hindsight) -> str | None:
    Crew(agents=[agent], tasks=[task], memory=crewai_hindsight.HindsightMemory())
    memory = crewai_hindsight.HindsightMemory(
        hs, user="ana", ask=lambda _, question: bool(question)
    )
    Crew(agents=[agent], tasks=[task], memory=memory)
    run_id: str | None = memory.run_of(task)
    memory.close()
    return run_id


def in_langchain(model: BaseChatModel, hs: Hindsight) -> None:
    create_agent(model, [], middleware=[HindsightMiddleware()])
    create_agent(model, [], middleware=[HindsightMiddleware(hs, user="ana")])
