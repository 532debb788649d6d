"""Asks at a tool call what is known of it: counts from the store, rules from a book in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from hindsight_core.capture import (
    course_of,
    read_preference,
    says_of_the_moment,
    tools_that_worked,
)
from hindsight_core.engine.core import Core
from hindsight_core.engine.observed import observed
from hindsight_core.events import CallFlagged
from hindsight_core.gate import (
    Book,
    Breaker,
    BreakerState,
    Flag,
    GateAction,
    GateDecision,
    Reason,
    Trials,
    Wish,
    causes_of,
    decide,
    describe_flag,
    find_flag,
)
from hindsight_core.guard import sanitize
from hindsight_core.ports import CallStats, Where
from hindsight_core.schema import Kind, Memory, Scope, Source, Status, ToolCall
from hindsight_core.settings import GateMode

__all__ = ["Gatekeeper", "was_asked"]

_FRESH: Final = 64
"""After so many calls a book is read again, for another process may have learnt something."""
_RUN: Final = GateDecision()
"""What is said to most calls; made once, since making one takes as long as half a look-up."""
_MAX_WISHES: Final = 256
_MAX_LESSONS: Final = 64
_MAX_BOOKS: Final = 1_000
_MAX_READ: Final = 4_096


_Place: TypeAlias = tuple[str, str, str | None, str | None]


@dataclass(slots=True)
class _Shelf:
    """The book of one scope; the causes of a tool are added when it is first called."""

    generation: int
    book: Book
    asked: int = 0
    tools: set[str] = field(default_factory=set[str])


def _facts(decision: GateDecision) -> dict[str, str | float]:
    """What an observer may know of a decision."""
    return {"action": decision.action.value, "flagged": decision.flagged}


class Gatekeeper:
    """The gate of one open `Hindsight`; thread-safe."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._trials = Trials()
        settings = core.settings
        modes = settings.gate_by_tool.items()
        self._off = frozenset(tool for tool, mode in modes if mode is GateMode.OFF)
        self._breaker = Breaker(
            failures=settings.breaker_failures, seconds=settings.breaker_seconds
        )
        self._shelves: OrderedDict[_Place, _Shelf] = OrderedDict()
        self._wishes: OrderedDict[tuple[str, int], Wish | None] = OrderedDict()

    @observed("gate", _facts)
    def look(
        self, scope: Scope, call: ToolCall, situation: str, *, run_id: str = "", again: bool = False
    ) -> GateDecision:
        """Say what is to be done with a call of a run; `again` reads the rules anew."""
        if call.tool in self._off:
            return _RUN
        stats = self._core.store.call_stats(scope, signature=call.signature)
        flag = None
        for entry in stats:
            if entry.failures:  # of most calls nothing of the kind is known
                flag = find_flag(
                    stats,
                    situation,
                    self._core.clock,
                    lambda: course_of(self._core.store.events(run_id)).state(call),
                )
                break
        if flag is None:
            book = self._book(scope, call.tool, again=again)
            flag = book.ruled_out(call) or book.alike(call, lambda: self._called(run_id))
            if flag is None:
                return _RUN
            # A call that worked once is not what the failures of its like are about.
            alike = flag.reason is Reason.ALIKE and not flag.first
            if alike and any(entry.successes for entry in stats):
                return _RUN
        decision = self._decision(scope, call, flag)
        if decision.action not in (GateAction.CONFIRM, GateAction.BLOCK):
            return decision
        return self._broken(scope, call, flag, stats, decision)

    def _called(self, run_id: str) -> frozenset[str]:
        """The tools that worked in a run so far."""
        return tools_that_worked(self._core.store.events(run_id)) if run_id else frozenset()

    def read_ahead(self, scope: Scope, tool: str, *, again: bool) -> None:
        """Read what is known of a tool that may be called soon; `again` reads the rules anew.

        Without the name of a tool the rules are all that is read.
        """
        self._book(scope, tool, again=again)

    def settled(self, scope: Scope, call: ToolCall) -> None:
        """The outcome of a call that was let through for trial is in the store."""
        self._trials.end(_key(scope, call))

    def _broken(
        self,
        scope: Scope,
        call: ToolCall,
        flag: Flag,
        stats: Sequence[CallStats],
        decision: GateDecision,
    ) -> GateDecision:
        """What is left of a stop after the circuit breaker of the signature was asked."""
        now = self._core.clock()
        worked = max((e.last_success_at for e in stats if e.last_success_at), default=None)
        state = self._breaker.state(flag.failures, flag.last_failure_at, worked, now)
        if state is BreakerState.CLOSED:
            return replace(decision, action=GateAction.ADVISE)
        if state is BreakerState.HALF_OPEN:
            key, seconds = _key(scope, call), self._core.settings.breaker_seconds
            if self._trials.begin(key, now, seconds):
                return replace(decision, action=GateAction.ADVISE, trial=True)
        return decision

    def _decision(self, scope: Scope, call: ToolCall, flag: Flag) -> GateDecision:
        known = self._core.store.get(scope, [flag.memory_id]) if flag.memory_id else []
        shown = [memory for memory in known if memory.status is not Status.QUARANTINED]
        intact = self._core.seal.intact(shown, self._core.store)
        if flag.reason is not Reason.FAILED and not any(map(_in_force, intact)):
            return _RUN  # it was taken back since the book was read, or is not ours
        told = intact[0].content if intact else ""
        if flag.reason is Reason.FAILED and not flag.here and _was_of_its_moment(intact):
            return _RUN
        message = sanitize(describe_flag(flag, call.tool, told))
        lesson = intact[0].lesson if intact else None
        severity = lesson.mistake.severity if lesson else None
        mode = self._core.settings.gate_mode(call.tool, flag.error_class, severity)
        return decide(flag, mode, message)

    def _book(self, scope: Scope, tool: str, *, again: bool) -> Book:
        key = (scope.user, scope.tenant, scope.agent, scope.session)
        generation = self._core.generation
        shelf = self._shelves.get(key)
        if shelf is None or again or shelf.generation != generation or shelf.asked > _FRESH:
            shelf = _Shelf(generation, Book(wishes=tuple(self._read_wishes(scope))))
        elif tool in shelf.tools:
            shelf.asked += 1
            return shelf.book
        where = Where(kinds=(Kind.LESSON,), tool_sequence=(tool,))
        lessons = self._core.store.select(scope, where, limit=_MAX_LESSONS) if tool else ()
        causes = causes_of(lessons, tool)
        with self._lock:
            shelf.book = Book(wishes=shelf.book.wishes, causes={**shelf.book.causes, tool: causes})
            shelf.tools.add(tool)
            self._shelves[key] = shelf
            self._shelves.move_to_end(key)
            while len(self._shelves) > _MAX_BOOKS:
                self._shelves.popitem(last=False)
            return shelf.book

    def _read_wishes(self, scope: Scope) -> Iterator[Wish]:
        said = self._core.store.select(scope, Where(kinds=(Kind.PREFERENCE,)), limit=_MAX_WISHES)
        for memory in said:
            # What a tool or a model wrote is never a rule of the user.
            if memory.source in (Source.USER, Source.OPERATOR) and memory.status is Status.ACTIVE:
                wish = self._wish(memory)
                if wish is not None:
                    yield wish

    def _wish(self, memory: Memory) -> Wish | None:
        key = (memory.id, memory.revision)
        with self._lock:
            if key in self._wishes:
                return self._wishes[key]
        finding = read_preference(memory.content)
        wish = Wish.read(memory.id, finding, memory.preference) if finding else None
        with self._lock:
            self._wishes[key] = wish
            while len(self._wishes) > _MAX_READ:
                self._wishes.popitem(last=False)
        return wish


def was_asked(core: Core, run_id: str, call: ToolCall) -> bool:
    """Whether a person was asked about this very call, perhaps by a process that has ended.

    A framework runs the call again to take up the answer: the question must then be the same, even
    if the call has become harmless meanwhile, or a refusal would be lost.
    """
    if GateMode.CONFIRM not in core.settings.gate_modes or not call.call_id:
        return False
    return any(
        isinstance(event, CallFlagged)
        and event.action == GateAction.CONFIRM
        and event.call.call_id == call.call_id
        and event.call.signature == call.signature
        for event in core.store.events(run_id)
    )


def _key(scope: Scope, call: ToolCall) -> tuple[str, str, str]:
    return scope.tenant, scope.user, call.signature


def _was_of_its_moment(known: Sequence[Memory]) -> bool:
    """Whether a failure was of its moment: a session that expired, a version that is old."""
    return any(
        one.lesson is not None and says_of_the_moment(one.lesson.mistake.consequence)
        for one in known
    )


def _in_force(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and memory.superseded_by is None
