"""`Hindsight`: the one door to the memory, for adapters, the command line and a user's own code."""

from __future__ import annotations

import logging
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from typing import Final, Self

from hindsight_core.capture import Redactor
from hindsight_core.engine.alerting import Alerts
from hindsight_core.engine.bookkeeping import MemoryAccount, read_ledger
from hindsight_core.engine.checked import checked
from hindsight_core.engine.closing import close_down
from hindsight_core.engine.core import Core, choose_embedder, wall_clock
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.explaining import Explanation, explain
from hindsight_core.engine.feedback import give_feedback
from hindsight_core.engine.forgetting import forget
from hindsight_core.engine.gating import Gatekeeper
from hindsight_core.engine.health import Health, Readiness, read_health, read_readiness
from hindsight_core.engine.idle import IdleUpkeep
from hindsight_core.engine.intake import Intake
from hindsight_core.engine.items import Items
from hindsight_core.engine.proposing import Proposals
from hindsight_core.engine.recalled import Recalled
from hindsight_core.engine.recalling import Recaller
from hindsight_core.engine.recorder import RunRecorder
from hindsight_core.engine.reflection import Reflection
from hindsight_core.engine.reviewing import Review
from hindsight_core.engine.rewriting import Rewriter
from hindsight_core.engine.saying import member, said
from hindsight_core.engine.sharing import Sharing
from hindsight_core.engine.showing import tell
from hindsight_core.engine.transfer import Transfer
from hindsight_core.engine.upkeep import MaintenanceReport, Upkeep
from hindsight_core.engine.verifying import verify_memory
from hindsight_core.engine.watching import Watch
from hindsight_core.errors import InvalidMemoryError, NotFoundError, ScopeError
from hindsight_core.guard import Judge
from hindsight_core.handle import Handle
from hindsight_core.ids import new_id
from hindsight_core.observing import choose_observer
from hindsight_core.ports import Clock, Embedder, ErasureReceipt, IdFactory, Reranker, Store, Where
from hindsight_core.ports_observing import Observer
from hindsight_core.ports_reflection import ChatModel
from hindsight_core.recall import LessonKey, LessonMatch, RecallReport, strip_blocks
from hindsight_core.schema import Context, Kind, Memory, Scope, Source, Tier
from hindsight_core.settings import DEFAULT_SETTINGS, Settings
from hindsight_core.stores import is_embedded, locate, open_store, with_queue, without_secrets
from hindsight_core.text import clean

__all__ = ["Hindsight"]

logger: Final = logging.getLogger("hindsight_core")
_LOCAL_USER: Final = "local"
_MAX_OPEN_TURNS: Final = 1_000


@checked
class Hindsight(Handle):
    """The memory of agents: made by `open`, closed by `close` or a `with` block; thread-safe.

    Its methods raise `HindsightError`; the `RunRecorder` of `run`, which adapters hold, never does.
    """

    def __init__(self, core: Core, chat: ChatModel | None = None) -> None:
        self._core = core
        self._encoder = Encoder(core)
        self.alerts = Alerts(core)
        """What the guard raised; see `Alerts`."""
        self.review = Review(core, self.alerts)
        """What the guard holds back; see `Review`."""
        self.sharing = Sharing(core)
        """What is shared with other agents or users; see `Sharing`."""
        self._watch = Watch(core, self.alerts)
        self._intake = Intake(core, self._encoder, self._watch)
        self._recaller = Recaller(core, self._encoder)
        self._gatekeeper = Gatekeeper(core)
        self._rewriter = Rewriter(core, chat)
        self.proposals = Proposals(core, self._intake, self._encoder)
        """What maintenance proposes; see `Proposals`."""
        self._upkeep = Upkeep(core, self._encoder, self.proposals.find)
        self.idle = IdleUpkeep(core, self._upkeep)
        """Maintenance in the background; see `IdleUpkeep`."""
        self.transfer = Transfer(core, self._encoder, self._intake, self.alerts)
        """Exports and their import; see `Transfer`."""
        self.reflection = Reflection(core, self._encoder, self._intake, chat)
        """What a chat model makes of finished runs; see `Reflection`."""
        self._lock = threading.Lock()
        self._open_turns: dict[tuple[Scope, str], str] = {}
        self._told_local = False
        self.live_runs: OrderedDict[str, object] = OrderedDict()
        """What adapters hold of the runs that go on; see `LiveRuns`."""
        # Runs at `close`, when the last reference goes, or at exit: whichever comes first.
        self._finalizer = weakref.finalize(
            self, close_down, core, self._intake, self._encoder, (self.idle, self.reflection)
        )

    @classmethod
    def open(
        cls,
        url: str | None = None,
        *,
        embedder: Embedder | str | None = "auto",
        reranker: Reranker | None = None,
        settings: Settings = DEFAULT_SETTINGS,
        store: Store | None = None,
        cache: str | None = None,
        vectors: str | None = None,
        queue: str | None = None,
        clock: Clock = wall_clock,
        ids: IdFactory = new_id,
        judge: Judge | None = None,
        lazy: bool = False,
        chat: ChatModel | None = None,
        observer: Observer | None = None,
    ) -> Self:
        """Open the memory at a path or URL; without one HINDSIGHT_URL, else the user's data folder.

        `embedder` is "auto" (the best one installed), a name, an `Embedder`, or None for text
        search alone. A `reranker` reads the best candidates of a recall once more, if it is in time
        (see `health`). A `judge` (of a chat model) says how two memories relate, in the background.
        With `lazy` the store is opened at its first use, and what goes wrong then is kept from the
        host; otherwise `StoreError` is raised here. A ready `store` takes the place of the URL.
        With a `chat` model finished runs are reflected on; without one no model is ever asked.
        `cache` (else HINDSIGHT_CACHE) is the URL of a Redis server for hot queries, `queue` (else
        HINDSIGHT_QUEUE) that of one or a file, where events wait while a server store is away,
        `vectors` (else HINDSIGHT_VECTORS) that of a Qdrant server or folder. An `observer` is told
        how long steps take; no word of a memory.
        """
        where = store.url if store is not None else locate(url)
        opening = with_queue(lambda: open_store(where, cache, vectors), where, queue)
        core = Core(
            open_store=opening if store is None else (lambda: store),
            open_embedder=lambda: choose_embedder(embedder),
            url=without_secrets(where),
            embedded=store.embedded if store is not None else is_embedded(where),
            settings=settings,
            clock=clock,
            ids=ids,
            reranker=reranker,
            judge=judge,
            observer=choose_observer(observer),
        )
        self = cls(core, chat)
        if not lazy:
            core.connect()
        return self

    def scope_of(
        self,
        user: str | None = None,
        *,
        tenant: str | None = None,
        agent: str | None = None,
        session: str | None = None,
    ) -> Scope:
        """The scope of a user as a framework named him.

        With an embedded store and nobody named it is the one user `local`, which is logged once;
        with a server store that is a `ScopeError`.
        """
        if user is None:
            if not self._core.embedded:
                raise ScopeError(
                    "scope.user: nobody is named, and this store serves many users. Name the user "
                    "in the framework's context or in the adapter's constructor"
                )
            user = _LOCAL_USER
            if not self._told_local:
                self._told_local = True
                logger.info("nobody is named: memories belong to the user %r", user)
        return Scope(user=user, tenant=tenant or "default", agent=agent, session=session)

    def run(
        self,
        scope: Scope | None,
        *,
        task: str = "",
        agent: str | None = None,
        framework: str = "",
        session: str | None = None,
        run_id: str | None = None,
        nested: bool = False,
        task_type: str | None = None,
    ) -> RunRecorder:
        """Begin to record one run of an agent, or go on with the run of that id.

        `session` is the conversation's id: within it an event is recorded once, whatever run
        reports it. A scope of None makes a recorder that does nothing, and `health` says so.
        """
        if not isinstance(scope, Scope):  # an adapter's mistake is no reason to stop its host
            self._core.failsafe.report("run", ScopeError("scope.user: a run without a user"))
            scope = None
        known_task = Redactor().text(strip_blocks(clean(str(task or ""))))
        recorder = RunRecorder(
            self._core,
            self._intake,
            self._recaller,
            self._gatekeeper,
            self._rewriter,
            keep_open=self,
            scope=scope,
            run_id=run_id or self._core.ids(),
            started={
                "task": known_task,
                "task_type": task_type,
                "agent": agent,
                "framework": framework,
                "session": session,
                "nested": nested,
            },
        )
        if scope is not None:
            self._watch.task(scope, known_task)
            self._core.failsafe.call("run", None, self._take_up, recorder, session, nested)
        return recorder

    def items(self, scope: Scope) -> Items:
        """The application data of a user, which no run sees."""
        return Items(self._core, self._encoder, scope, self._recaller.queries.vector)

    def new_id(self) -> str:
        """A new id of the kind that this memory gives; ids sort by the time of their making."""
        return self._core.ids()

    def guard(self, operation: str) -> AbstractContextManager[None]:
        """The context in which an adapter does its own part of a hook: what goes wrong is counted.

        The block ends early instead of raising; the host's control flow passes.
        """
        return self._core.failsafe.guard(operation)

    def remember(
        self,
        scope: Scope,
        content: str,
        *,
        kind: Kind = Kind.FACT,
        source: Source = Source.AGENT,
        query: str = "",
        subject: str = "",
        entities: Sequence[str] = (),
        context: Context | None = None,
        tier: Tier = Tier.LONG,
        time: datetime | None = None,
    ) -> Memory:
        """Store one memory and return it, or the one that says the same already.

        `source` is the channel that the text came from. Raises `InvalidMemoryError` for what cannot
        be stored or the guard refuses; what it holds back is returned with status `quarantined`.
        """
        candidate = said(
            scope,
            content,
            limit=self._core.settings.max_memory_bytes,
            kind=kind,
            source=source,
            query=query,
            subject=subject,
            entities=entities,
            context=context,
            tier=tier,
            time=time,
        )
        memory = self._intake.admit(candidate, actor=source)
        if memory is None:
            raise InvalidMemoryError(
                "content", "was refused by the guard", "'hindsight-core audit' tells why"
            )
        result = self._core.store.put([memory])[0]
        if not result.created:
            return self._get(scope, result.id)
        self._encoder.wake([memory], soon=False)
        return memory

    def recall(
        self,
        scope: Scope,
        query: str,
        *,
        where: Where | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        details: bool = False,
        inspect: bool = False,
        patience: float | None = None,
    ) -> Recalled:
        """Find the few memories that matter for a query, with the report that explains it.

        With `details` a line may leave out what `Hindsight.details` tells. `inspect` is no use of
        what is found. Without a vector after `patience` seconds (a minute) it goes by words.
        """
        find = partial(self._recaller.recall, where=where or Where(), inspect=inspect, top_k=top_k)
        return find(scope, query, threshold=threshold, details=details, patience=patience)

    def summarize(self, scope: Scope, session: str) -> Memory:
        """Make one short-term record of a session: what was wanted, of what, what came of it.

        By the chat model where there is one, else by rules; again, it renews the record. Raises
        `NotFoundError` when no run of it is kept, `InvalidMemoryError` when the guard refuses it.
        """
        return self.reflection.summarize(scope, session)

    def prefetch(self, query: str) -> None:
        """Encode a query ahead of the recall for it, in the background; returns at once."""
        self._recaller.queries.prefetch(query)

    def lessons(
        self,
        scope: Scope,
        task: str,
        *,
        task_type: str | None = None,
        tools: Sequence[str] = (),
        tool_sequence: Sequence[str] = (),
    ) -> list[LessonMatch]:
        """The lessons that fit a task: its type and tools as the hard key, then its words.

        `tools` are those at hand, `tool_sequence` those called or planned, in order. At most three,
        none below a score of 0.6.
        """
        key = LessonKey(task_type=task_type, tools=frozenset(tools), called=tuple(tool_sequence))
        return self._recaller.lessons(scope, task, key)

    def memories(
        self, scope: Scope, where: Where | None = None, *, limit: int = 100, offset: int = 0
    ) -> list[Memory]:
        """List the memories of a scope, newest first."""
        return self._core.store.select(scope, where or Where(), limit=limit, offset=offset)

    def get(self, scope: Scope, memory_id: str) -> Memory:
        """Return one memory; raises `NotFoundError`."""
        return self._get(scope, memory_id)

    def details(self, scope: Scope, memory_id: str) -> str:
        """One memory in full, by its id or its number in the newest block; `NotFoundError`."""
        return tell(self._core, scope, memory_id)

    def forget(
        self, scope: Scope, ids: Sequence[str] | str | None = None, *, by: str = "user"
    ) -> ErasureReceipt:
        """Erase memories by id, or everything of the scope; `by` is who the audit log names."""
        return forget(self._core, self.sharing, scope, [ids] if isinstance(ids, str) else ids, by)

    def verify(
        self,
        scope: Scope,
        memory_id: str,
        *,
        ok: bool = True,
        by: Source = Source.USER,
        ask: Callable[[Memory], bool] | None = None,
    ) -> Memory:
        """Confirm or refute a memory by word of the user or an operator, or by asking the tool.

        With `by="tool"` the function `ask` calls the tool again and returns whether it still says
        so: evidence of one run, which lifts no quarantine.
        """
        get = partial(self._get, scope, memory_id)
        return verify_memory(self._core, get, ok=ok, by=member(Source, by), ask=ask)

    def feedback(self, scope: Scope, wanted: str, *, good: bool, text: str = "") -> None:
        """Say that a memory, or a whole run, helped or did not; raises `NotFoundError`."""
        give_feedback(self._core, self._intake, scope, wanted, good=good, text=text)

    def explain(self, scope: Scope | str, wanted: str = "") -> Explanation:
        """Explain a recall, a run or a memory by its id; `explain(id)` where nobody is named."""
        if isinstance(scope, str):
            scope, wanted = self.scope_of(), scope
        return explain(self._core.store, scope, wanted)

    def ledger(self, scope: Scope) -> list[MemoryAccount]:
        """The memories of a scope that runs were shown, each with what the runs did with it."""
        return read_ledger(self._core.store, scope)

    def maintain(self, *, dry_run: bool = False) -> MaintenanceReport:
        """Put away what is stale, worn out or harmful in the whole store; say what and why."""
        return self._upkeep.maintain(dry_run=dry_run)

    def restore(self, scope: Scope, memory_id: str) -> Memory:
        """Bring back an archived memory or one in cold storage; raises `NotFoundError`."""
        return self._upkeep.restore(scope, memory_id)

    def recalls(self, scope: Scope, *, limit: int = 100) -> list[RecallReport]:
        """The reports of the newest recalls of a scope, oldest of them first."""
        reports = self._core.store.load_recalls(scope)
        return [RecallReport.model_validate_json(report) for report in reports[-limit:]]

    def health(self) -> Health:
        """What works, what was passed over, and what still waits; never raises."""
        return read_health(self._core, self._encoder, self.alerts)

    def ready(self) -> Readiness:
        """Whether the store answers now, and what is waited for; one short query, never raises."""
        return read_readiness(self._core, self._encoder)

    @property
    def unrecorded(self) -> int:
        """How many hooks returned before what they record was durable and still are at it."""
        return self._core.unrecorded

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._core.settings

    @property
    def url(self) -> str:
        """Where the memory is kept; reading it opens nothing."""
        return self._core.url

    @property
    def store(self) -> Store:
        """The store itself, for maintenance and inspection."""
        return self._core.store

    def flush(self, timeout: float = 60.0) -> bool:
        """Judge runs that are over and wait for the worker; False after `timeout` seconds."""
        left = self._intake.sweep(seconds=timeout)
        return self._encoder.flush(left) and (left > 0 or timeout <= 0)

    def close(self) -> None:
        """Judge what this process recorded and release the store; safe to call twice."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get(self, scope: Scope, memory_id: str) -> Memory:
        if found := self._core.store.get(scope, [memory_id]):
            return found[0]
        raise NotFoundError(f"{memory_id!r}: no memory of that id is visible in this scope")

    def _take_up(self, recorder: RunRecorder, session: str | None, nested: bool) -> None:
        """Before a run: judge what earlier ones left behind, and encode its task meanwhile."""
        if recorder.task:
            self._recaller.queries.prefetch(recorder.task)
        before = ""
        if session is not None and not nested and recorder.scope is not None:
            with self._lock:
                before = self._open_turns.pop(place := (recorder.scope, session), "")
                self._open_turns[place] = recorder.run_id
                while len(self._open_turns) > _MAX_OPEN_TURNS:
                    self._open_turns.pop(next(iter(self._open_turns)))
        before = "" if before == recorder.run_id else before
        self._intake.sweep(before)
        self._encoder.wake()
        self.idle.note()
        self.reflection.note()
        recorder.follow(before)
