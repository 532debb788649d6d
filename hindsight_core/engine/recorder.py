"""One agent run as an adapter holds it: what happened goes in, what to show and to stop comes out.

No method raises (the host's control flow excepted) and none waits longer than the deadline: each
goes through the `Failsafe`. All texts and arguments are redacted before they reach the disk.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any, Final

from hindsight_core.capture import (
    Redactor,
    error_text,
    make_call,
    read_ahead,
    result_text,
    situation_of,
)
from hindsight_core.engine.attempts import Attempts, Slot, slot_of
from hindsight_core.engine.conversation import Conversation
from hindsight_core.engine.core import Core
from hindsight_core.engine.gating import Gatekeeper, was_asked
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.recalling import Recaller
from hindsight_core.engine.rewriting import Rewriter
from hindsight_core.engine.rules_ahead import RulesAhead
from hindsight_core.engine.run_block import RunBlock
from hindsight_core.engine.run_end import RunEnd
from hindsight_core.engine.showing import Numbers, tell_or_say
from hindsight_core.errors import ScopeError
from hindsight_core.events import (
    AgentSaid,
    BlockShown,
    CallFlagged,
    EventBase,
    FeedbackGiven,
    RunEnded,
    RunStarted,
    ToolCalled,
    ToolRejected,
    UserSaid,
)
from hindsight_core.gate import GateAction, GateDecision, Reason
from hindsight_core.ports import Where
from hindsight_core.recall import DETAILS, Block, LessonKey, strip_blocks
from hindsight_core.schema import Scope, ToolCall
from hindsight_core.text import clean, shorten

__all__ = ["RunRecorder"]

_PATIENCE: Final = 0.6
"""Share of the deadline that a recall waits for the query's vector before it goes by words."""
_KEPT: Final = frozenset({"user", "agent", "after_tool", "rejected", "feedback", "finish"})
_MAX_TEXT: Final = 64_000
"""Characters kept of one turn; the middle of a longer one is left out."""


class RunRecorder(RunBlock):
    """Records one run and answers for it; thread-safe, made by `Hindsight.run`; see `RunBlock`."""

    def __init__(
        self,
        core: Core,
        intake: Intake,
        recaller: Recaller,
        gatekeeper: Gatekeeper,
        rewriter: Rewriter,
        *,
        keep_open: object,
        scope: Scope | None,
        run_id: str,
        started: Mapping[str, Any],
    ) -> None:
        self.run_id = run_id
        self.scope = scope
        self._core = core
        self._intake = intake
        self._recaller = recaller
        self._gatekeeper = gatekeeper
        self._asked = False
        self._rules = RulesAhead(core, gatekeeper)
        self._numbers = Numbers(lambda: core.store.events(run_id))
        self._trials: set[Slot] = set()
        self._keep_open = keep_open  # the memory closes itself when nobody holds it any more
        self._started = dict(started)
        self._redactor = Redactor()
        self._end = RunEnd(core, intake, self._redactor, run_id=run_id, session=started["session"])
        self._lock = threading.RLock()
        self._begun = False
        self._attempts = Attempts()
        self._moves = 0
        self._talk = Conversation(lambda earlier: core.store.events(earlier), rewriter)
        self._follows = ""
        self._blocks: dict[str, Block | None] = {}
        self._advice: dict[Slot, GateDecision] = {}

    @property
    def task(self) -> str:
        """What the run is about, redacted; "" where it is not known."""
        return str(self._started["task"])

    def user(
        self,
        text: str,
        *,
        turn: str = "",
        nested: bool = False,
        before: str = "",
        asked_before: str = "",
    ) -> None:
        """Record what a person said; `turn` is the message's stable id where there is one.

        `nested` marks a "user" text that a model wrote (a sub-agent's task): never mined. `before`
        is what the agent had said just before, `asked_before` what the person had said before that:
        with them "and for Berlin?" is understood where `session` tells of no earlier run.
        """
        self._safely("user", None, self._user, text, turn, nested, before, asked_before)

    def follow(self, run_id: str) -> None:
        """Say which run came before this one in the same conversation, "" for none."""
        self._follows = run_id
        self._talk.after(run_id)

    def agent(self, text: str, *, turn: str = "") -> None:
        """Record what the agent said."""
        self._safely("agent", None, self._agent, text, turn)

    def context(
        self, query: str | None = None, *, tools: Collection[str] = (), details: bool = False
    ) -> Block | None:
        """The block to put before the model, or None; the same one while the query is the same.

        Without a query it is the user's last words, or the task. `tools` are the names of those
        that the agent has: a lesson about another one is not shown. With `details` it has our tool
        `memory_details` too, so that a line of the block may leave out what that tool tells.
        """
        return self._safely("context", None, self._context, query, tools, details)

    def details(self, number: object) -> str:
        """What the tool `memory_details` answers: the memory that goes by a number in this run."""
        missing = "The memory cannot be reached now."
        return self._safely(
            "details", missing, tell_or_say, self._core, self.scope, self._numbers, number
        )

    def before_tool(
        self, name: str, args: object = None, *, call_id: str | None = None
    ) -> GateDecision:
        """Ask the gate about a call that is about to run, and count the attempt."""
        return self._safely("before_tool", GateDecision(), self._before_tool, name, args, call_id)

    def after_tool(
        self,
        name: str,
        args: object = None,
        *,
        call_id: str | None = None,
        result: object = None,
        error: BaseException | None = None,
        flagged_error: bool | None = None,
        milliseconds: float | None = None,
    ) -> str | None:
        """Record what a call came to; for a failure, advice to complete its message with.

        A call that broke a rule of the user is told so whatever came of it.
        `flagged_error` is the framework's own word on the outcome, None where it has none.
        """
        return self._safely(
            "after_tool",
            None,
            self._after_tool,
            (name, args, call_id),
            result,
            error,
            flagged_error,
            milliseconds,
        )

    def rejected(
        self, name: str, args: object = None, *, call_id: str | None = None, text: str = ""
    ) -> None:
        """Record that a person refused a call."""
        self._safely("rejected", None, self._rejected, (name, args, call_id), text)

    def feedback(self, good: bool | None, text: str = "") -> None:
        """Record explicit word on how the run went."""
        self._safely("feedback", None, self._feedback, good, text)

    def rest(self) -> None:
        """Say that the run may be over: it is judged before the next one, unless it goes on.

        For frameworks that do not tell the end of a run.
        """
        self._intake.maybe_over.add(self.run_id)

    def finish(self, ok: bool | None = None, error: str = "") -> None:
        """End the run: its events are judged, guarded and stored. Calling it twice is harmless."""
        self._safely("finish", None, self._finish, ok, error)

    # What follows may raise; only the methods above are called from outside.

    def _safely(self, operation: str, default: Any, function: Any, *args: Any) -> Any:
        if self.scope is None:
            return default
        if operation in _KEPT and operation != "feedback":  # a word on a run does not take it up
            self._over = operation == "finish"
        call = self._core.failsafe.keep if operation in _KEPT else self._core.failsafe.call
        return call(operation, default, function, *args)

    def _base(self, key: str) -> dict[str, Any]:
        place = self._started["session"] or self.run_id
        return {
            "run_id": self.run_id,
            "scope": self._named_scope,
            "key": f"{place}/{key}",
            "at": self._core.clock(),
        }

    def _append(self, event: EventBase) -> bool:
        with self._lock:
            if not self._begun:
                start = RunStarted(**self._base(f"{self.run_id}/start"), **self._started)
                self._core.store.append(start, owner=self._core.owner)
                self._begun = True
        self._intake.maybe_over.discard(self.run_id)
        self._moves += isinstance(event, (AgentSaid, ToolCalled))
        return self._core.store.append(event, owner=self._core.owner)

    def _note(self, operation: str, event: EventBase) -> None:
        """Record what a hook answers: where that fails the answer still holds."""
        with self._core.failsafe.guard(operation):
            self._append(event)

    def _text(self, text: str) -> str:
        return self._redactor.text(shorten(strip_blocks(clean(text)), _MAX_TEXT))

    def _call(self, name: str, args: object, call_id: str | None) -> ToolCall:
        return make_call(name, args, call_id=call_id, redact=self._redactor.value)

    def _user(self, text: str, turn: str, nested: bool, before: str, asked: str) -> None:
        kept = self._text(text)
        if not kept.strip():
            return
        if not turn:  # the same words elsewhere are said anew, those of a hook that fires twice not
            said_at = blake2b(kept.encode(), digest_size=8).hexdigest()
            turn = f"{self.run_id}/{said_at}/{self._moves}"
        said = UserSaid(
            **self._base(f"user/{turn}"),
            text=kept,
            turn=turn,
            nested=nested or bool(self._started["nested"]),
            before=self._text(before) if before else "",
        )
        new = self._append(said)
        self._talk.user(kept, before=said.before, asked_before=self._text(asked))
        with self._lock:
            follows, self._follows = (self._follows, "") if new else ("", self._follows)
        if follows:
            self._intake.hear(follows, said)

    def _agent(self, text: str, turn: str) -> None:
        kept = self._text(text)
        if kept.strip():
            turn = turn or blake2b(kept.encode(), digest_size=8).hexdigest()
            self._append(AgentSaid(**self._base(f"{self.run_id}/agent/{turn}"), text=kept))
            self._talk.agent(kept)

    def _context(self, query: str | None, tools: Collection[str], details: bool) -> Block | None:
        said = strip_blocks(clean(query or self._talk.last or self._started["task"]))
        if not said.strip():
            return None
        query = self._talk.question(said)
        with self._lock:
            if query in self._blocks:
                return self._blocks[query]
        found = self._recaller.recall(
            self._named_scope,
            query,
            where=Where(),
            run_id=self.run_id,
            patience=self._core.settings.deadline * _PATIENCE,
            key=LessonKey(task_type=self._started["task_type"], tools=frozenset(tools) - {DETAILS}),
            numbers=self._numbers,
            details=details,
            said=said,
            meanwhile=[
                self._numbers.load,
                *self._rules.steps(self._named_scope, tools),
                partial(read_ahead, said),
            ],
        )
        with self._lock:
            self._blocks[query] = found.block
        if found.block or found.withheld:
            recall_id = found.report.recall_id
            self._note(
                "context",
                BlockShown(
                    **self._base(f"{self.run_id}/block/{recall_id}"),
                    recall_id=recall_id,
                    memory_ids=found.block.memory_ids if found.block else (),
                    numbers=found.block.numbers if found.block else (),
                    withheld_ids=found.withheld,
                ),
            )
        self._rules.mark()
        return found.block

    def _before_tool(self, name: str, args: object, call_id: str | None) -> GateDecision:
        call = self._call(name, args, call_id)
        self._attempts.begin(call)
        situation = situation_of(self._started["task"] or self._talk.first)
        again = not (self._asked or self._rules.still_hold())
        decision = self._gatekeeper.look(
            self._named_scope, call, situation, run_id=self.run_id, again=again
        )
        self._asked = True
        if decision.action is not GateAction.CONFIRM and was_asked(self._core, self.run_id, call):
            decision = GateDecision(
                action=GateAction.CONFIRM, message=decision.message, flagged=True
            )
        if decision.trial:
            self._trials.add(slot_of(call))
        if decision.flagged:
            if decision.action is not GateAction.RUN:
                self._advice[slot_of(call)] = decision
            self._note(
                "before_tool",
                CallFlagged(
                    **self._base(f"{self.run_id}/flag/{self._attempts.key(call)}"),
                    call=call,
                    action=decision.action.value,
                    memory_ids=decision.memory_ids,
                    reason=decision.reason or Reason.FAILED,
                ),
            )
        return decision

    def _after_tool(
        self,
        what: tuple[str, object, str | None],
        result: object,
        error: BaseException | None,
        flagged_error: bool | None,
        milliseconds: float | None,
    ) -> str | None:
        call = self._call(*what)
        text = clean(result_text(result) if error is None else error_text(error))
        self._redactor.learn(text)  # before it is cut, and no longer reads as JSON
        self._append(
            ToolCalled(
                **self._base(f"{self.run_id}/call/{self._attempts.key(call)}"),
                call=call,
                raised=error is not None,
                flagged_error=flagged_error,
                error_type=type(error).__name__ if error is not None else None,
                result=self._redactor.text(shorten(text, self._core.settings.result_chars)),
                milliseconds=milliseconds,
                attempt=self._attempts.number(call),
            )
        )
        if error is not None:  # most frameworks end the run there
            self._intake.maybe_over.add(self.run_id)
        if slot_of(call) in self._trials:  # all who wait for it are to know
            self._trials.discard(slot_of(call))
            self._intake.drain(self.run_id)
            self._gatekeeper.settled(self._named_scope, call)
        failed = error is not None or flagged_error is True
        decision = self._advice.get(slot_of(call))
        if decision is None or not (failed or decision.reason is Reason.RULED_OUT):
            return None
        return decision.message or None

    def _rejected(self, what: tuple[str, object, str | None], text: str) -> None:
        call = self._call(*what)
        key = f"{self.run_id}/rejected/{self._attempts.key(call)}"
        self._append(ToolRejected(**self._base(key), call=call, text=self._text(text)))

    def _feedback(self, good: bool | None, text: str) -> None:
        key = f"{self.run_id}/feedback/{self._core.ids()}"
        self._append(FeedbackGiven(**self._base(key), good=good, text=self._text(text)))
        self._end.judge(self._named_scope)

    def _finish(self, ok: bool | None, error: str) -> None:
        # One end for each outcome: a run that spans several turns may end more than once.
        said = blake2b(f"{ok} {error}".encode(errors="replace"), digest_size=8).hexdigest()
        base = self._base(f"{self.run_id}/end/{said}")
        self._append(RunEnded(**base, ok=ok, error=self._text(error)))
        self._end.judge(self._named_scope)

    @property
    def _named_scope(self) -> Scope:
        if self.scope is None:
            raise ScopeError("scope.user: missing. This run goes on without memory")
        return self.scope
