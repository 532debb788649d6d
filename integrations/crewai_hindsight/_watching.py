"""Sees what the agents of one memory do, through CrewAI's hooks, which the process shares."""

from __future__ import annotations

import threading
import uuid
import weakref
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from crewai.hooks import HookAborted

from crewai_hindsight._asking import Ask, ask_at_the_terminal, may_run
from crewai_hindsight._people import People
from crewai_hindsight._reading import (
    agents_of,
    asks_for_an_agent,
    feedback_in,
    is_exhausted,
    is_memory_tool,
    outcome_of,
    request_of,
    tells_details,
    tool_name,
    was_blocked,
)
from crewai_hindsight._run import Run
from hindsight_core import LiveRuns, Place, Scope, WatchedCall, error_text, let_through

__all__ = ["Watcher"]

let_through(HookAborted)


@dataclass(eq=False)
class _Kickoff:
    """An agent's own kickoff, from CrewAI's first question to the memory to its last report."""

    watcher: Watcher
    run: Run | None = None


@dataclass(eq=False)
class _OpenCall:
    """A tool call that runs in this context; `inner` are the runs that began inside it.

    `call` is None where nothing is to be learnt of it.
    """

    run: Run
    call: WatchedCall | None
    name: str
    inner: list[Run] = field(default_factory=list[Run])


_kickoff: ContextVar[_Kickoff | None] = ContextVar("crewai_hindsight_kickoff", default=None)
_task: ContextVar[weakref.ref[Any] | None] = ContextVar("crewai_hindsight_task", default=None)
_open_calls: ContextVar[tuple[_OpenCall, ...]] = ContextVar("crewai_hindsight_calls", default=())


class Watcher:
    """Turns the hooks of the crews and agents of one memory into events, and answers them.

    A run is one task of a crew, or one kickoff of an agent by itself. Work that another agent
    handed over, while its tool call goes on, is a run of its own in which nobody is the user.
    """

    def __init__(
        self, runs: LiveRuns, *, user: str | None, tenant: str | None, ask: Ask | None
    ) -> None:
        self.runs = runs
        self.hindsight = runs.hindsight
        self._user = user
        self._tenant = tenant
        self._ask = ask or ask_at_the_terminal
        self._of: dict[int, tuple[weakref.ref[Any], Run]] = {}
        self._people = People()
        self._lock = threading.RLock()

    def scope(self) -> Scope:
        """Whose memory it is here: that of the run whose tool call goes on, else by default."""
        running = _open_calls.get()
        inside = running[-1].run.live.recorder.scope if running else None
        return inside or self.hindsight.scope_of(self._user, tenant=self._tenant)

    def details(self, number: str) -> str:
        """A memory in full, by its number in the run whose tool call goes on."""
        if running := _open_calls.get():
            return running[-1].run.live.recorder.details(number)
        return self.hindsight.details(self.scope(), number)

    def kickoff_begins(self) -> None:
        """CrewAI asks what to show an agent at the start of its work."""
        before = self._kickoff()
        if before and before.run and not _open_calls.get():
            self._end(before.run, ok=False)  # it never came to its report
        _kickoff.set(_Kickoff(self))

    def kickoff_ends(self) -> None:
        """CrewAI reports what an agent came to at the end of its work."""
        kickoff = self._kickoff()
        if kickoff and kickoff.run:
            self._end(kickoff.run, ok=True)
            _kickoff.set(None)

    # The hooks. Each runs under the failsafe's guard, on the thread of the agent.

    def on_input(self, context: Any) -> None:
        """Take the user of a crew's kickoff from its inputs."""
        self._people.come(context.crew, context.payload or {})

    def on_task(self, context: Any) -> None:
        """Begin the run of a task."""
        if context.kind == "task":
            self._begin(context.task, context, context.task.description)
            _task.set(weakref.ref(context.task))

    def on_model(self, context: Any) -> None:
        """Record a person's feedback, and show what is recalled for this one call."""
        if not asks_for_an_agent(context):
            return
        run = self._find(context)
        showing = run.showing_in(context)
        showing.take_back()
        for said, before in feedback_in(context.messages):
            run.live.hear(said, turn=f"feedback-{said}", before=before)
        run.note_unreadable(context)
        block = run.live.recorder.context(details=tells_details(context))
        showing.put(context.messages, block.text if block else "", run.advice)

    def on_answer(self, context: Any) -> None:
        """Take back what was shown."""
        if run := self._answered(context):
            run.answer = str(context.response or "")

    def on_call(self, context: Any) -> None:
        """Let the gate look at a call; raises `HookAborted`, CrewAI's own way, to stop it."""
        run = self._find(context)
        run.showing.take_back()
        name, call = tool_name(context), None
        if not is_memory_tool(context) and not is_exhausted(context):
            call = WatchedCall(run.live, name, copy(context.tool_input), None)
            call.stopped = True  # and stays so if asking fails
            with self.hindsight.guard("crewai.ask"):
                call.stopped = not may_run(context, call, self._ask)
            call.restart()
            run.calls.append(call)
        _open_calls.set((*_open_calls.get(), _OpenCall(run, call, name)))
        if call and call.stopped:
            raise HookAborted(reason=call.decision.message, source="hindsight")

    def on_result(self, context: Any) -> str | None:
        """Record what came of a call; the gate's word takes the place of what it stopped."""
        *others, mine = _open_calls.get() or (None,)
        if mine is None or mine.name != tool_name(context):
            return None
        _open_calls.set(tuple(other for other in others if other))
        mine.run.result = str(context.tool_result or "")
        result, failed = outcome_of(context)
        for inner in mine.inner:
            self._end(inner, ok=not failed)
        call = mine.call
        if call is None or call not in mine.run.calls:
            return None  # or the run ended meanwhile, and the call with it
        mine.run.calls.remove(call)
        if call.stopped:
            return call.decision.message
        if was_blocked(context):
            return None
        if advice := call.note(result, flagged_error=failed):
            mine.run.advice[str(context.tool_result).strip()] = advice
        return None

    def on_task_end(self, context: Any) -> None:
        """End the run of a task."""
        if context.kind == "task" and (run := self._going_on(context.task)):
            run.answer = str(getattr(context.output, "raw", "") or "")
            self._end(run, ok=True)

    def on_end(self, context: Any) -> None:
        """End what is left of a crew's kickoff, or of an agent's that failed."""
        failed = getattr(context, "status", "") == "failed"
        raised = getattr(context, "error", None)
        error = error_text(raised) if raised else ""
        self._people.leave(context.crew)
        owner = context.crew or getattr(context.flow, "agent", None)
        if context.crew is None and not failed:
            return
        for key, (_, run) in list(self._of.items()):
            if id(owner) in (run.crew, key) and not run.over:
                self._end(run, ok=False if failed else None, error=error)

    def run_of(self, what: object) -> Run | None:
        """The last run of a task, or of an agent's own kickoffs."""
        held = self._of.get(id(what))
        return held[1] if held else None

    def _going_on(self, what: object) -> Run | None:
        run = self.run_of(what)
        return run if run and not run.over else None

    def _kickoff(self) -> _Kickoff | None:
        kickoff = _kickoff.get()
        return kickoff if kickoff and kickoff.watcher is self else None

    def _answered(self, context: Any) -> Run | None:
        """The run in which a model answered, with nothing shown in it any more."""
        if context.executor is not None:
            run = self._find(context)
            run.showing.take_back()
            return run
        return next((run for _, run in self._of.values() if run.step_ends(context)), None)

    def _find(self, context: Any) -> Run:
        """The run that a hook belongs to, begun here if no hook told of its start."""
        with self._lock:  # the steps of a plan may begin at once
            task = context.task or self._task_of_step(context)
            if task is not None:
                return self._going_on(task) or self._begin(task, context, task.description)
            kickoff = self._kickoff()
            run = kickoff.run if kickoff else self._going_on(context.agent)
            if run is not None:
                return run
            run = self._begin(context.agent, context, request_of(context))
            if kickoff:
                kickoff.run = run
            return run

    def _task_of_step(self, context: Any) -> Any:
        """The task whose agent works through his plan; the hook of a step does not name it."""
        task: Any = found() if (found := _task.get()) is not None else None
        return task if self._going_on(task) and task.agent is context.agent else None

    def _begin(self, what: Any, context: Any, said: str) -> Run:
        inside = _open_calls.get()
        agent = agents_of(context)[0]
        crew = getattr(context, "crew", None) or getattr(agent, "crew", None)
        user, tenant = self._people.of(crew)
        place = Place(
            user=user or self._user,
            tenant=tenant or self._tenant,
            agent=getattr(agent, "role", None),
            task=said,
            nested=bool(inside),
        )
        run_id = f"crewai-{uuid.uuid4().hex}"
        run = Run(run_id=run_id, live=self.runs.take_up(run_id, place), crew=id(crew))
        run.live.hear(said, turn="task")
        if inside:
            inside[-1].inner.append(run)
        key = id(what)
        # Forgotten with the task or agent, and its id is then free for another.
        self._of[key] = (weakref.ref(what, lambda _: self._of.pop(key, None)), run)
        return run

    def _end(self, run: Run, *, ok: bool | None, error: str = "") -> None:
        run.end(ok=ok, error=error)
        self.runs.drop(run.run_id)
