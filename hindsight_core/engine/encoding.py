"""The worker that gives records their vectors, in batches and off everybody's path.

A new statement is then related to those that stand.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.relating import RELATABLE, Relater
from hindsight_core.errors import EmbedderMismatchError
from hindsight_core.ports import Embedder
from hindsight_core.schema import Memory

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["Encoder"]

_BATCH: Final = 64
_NAME: Final = "hindsight-encoder"
_AT_END: Final = 10.0
"""Seconds that closing waits for what this process stored to be encoded."""
_LULL: Final = 0.05
"""Seconds without a write after which encoding begins, unless somebody waits for it."""
_LONGEST_BURST: Final = 1.0
"""Seconds after which it begins in the midst of writes."""


class Encoder:
    """One background thread a process; `wake` starts it, `flush` waits for it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._relater = Relater(core)
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._quiet = threading.Event()
        self._quiet.set()
        self._hurry = threading.Event()
        self._stopped = False
        self._pid = 0
        self._fresh: dict[str, Memory] = {}
        self._claimed = False
        self._owes = False
        self.refused: EmbedderMismatchError | None = None

    def wake(self, fresh: Sequence[Memory] = ()) -> None:
        """Say that there is something to encode, and what of it is new; returns at once."""
        with self._lock:
            self._fresh.update((m.id, m) for m in fresh if m.kind in RELATABLE)
            self._owes = self._owes or bool(fresh)
            if self._stopped:
                return
            self._quiet.clear()
            self._wanted.set()
            if self._pid != os.getpid():  # not started yet, or forked away from its thread
                self._pid = os.getpid()
                threading.Thread(target=self._run, name=_NAME, daemon=True).start()

    def flush(self, timeout: float) -> bool:
        """Wait until everything stored so far has its vector; False after `timeout` seconds."""
        self._hurry.set()
        self.wake()
        return self._quiet.wait(timeout)

    def stop(self) -> None:
        """Let the thread end after its batch; what this process stored is given a moment first.

        A program that runs for a second would else leave its memories to words for ever.
        """
        here = threading.current_thread().name == _NAME
        if self._owes and self._pid == os.getpid() and not here:
            self.flush(_AT_END)
        with self._lock:
            self._stopped = True
            self._hurry.set()
            self._wanted.set()

    def fitting(self) -> Embedder | None:
        """Return the embedder if the store's vectors are its own, else None: words alone."""
        embedder = self._core.embedder
        if embedder is None or self.refused is not None:
            return None
        if not self._claimed and self._core.store.index_info() is not None:
            try:
                self._core.store.claim_index(embedder.info)
            except EmbedderMismatchError as error:
                self.refuse(error)
                return None
            self._claimed = True
        return embedder

    def refuse(self, error: EmbedderMismatchError) -> None:
        """Go on by words alone: the store's vectors are of another embedder; `health` says so."""
        self.refused = error
        self._core.failsafe.report("encode", error)

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._let_a_burst_pass()
            if self._stopped:
                self._quiet.set()
                return
            try:
                while not self._stopped and self.encode_batch():
                    pass
            except EmbedderMismatchError as error:
                self.refuse(error)
            except Exception as error:  # noqa: BLE001 - a thread of ours; reported, tried at next wake
                if (
                    not self._stopped
                ):  # else the store was closed under it: the next to open goes on
                    self._core.failsafe.report("encode", error)
            if not self._wanted.is_set():
                self._owes = False
                self._hurry.clear()
                self._quiet.set()

    def _let_a_burst_pass(self) -> None:
        """Wait for a lull: writes are not held up by what they caused, and batches get larger."""
        latest = time.monotonic() + _LONGEST_BURST
        self._wanted.clear()
        while not self._hurry.wait(_LULL) and self._wanted.is_set() and time.monotonic() < latest:
            self._wanted.clear()

    def encode_batch(self) -> int:
        """Encode up to one batch of records; return how many there were."""
        embedder = self._core.embedder
        if embedder is None or self.refused is not None:
            self._relate({})
            return 0
        store = self._core.store
        rows = store.unencoded(_BATCH)
        if not rows:
            self._relate({})
            return 0
        store.claim_index(embedder.info)
        vectors = embedder.passages([text for _, text in rows])
        by_id = {row[0]: vector for row, vector in zip(rows, vectors, strict=True)}
        store.add_vectors(by_id.items())
        self._relate(by_id)
        return len(rows)

    def _relate(self, vectors: Mapping[str, Matrix]) -> None:
        """Relate the new memories of these vectors; with none those that are left, by words."""
        with self._lock:
            ids = [id_ for id_ in vectors or self._fresh if id_ in self._fresh]
            fresh = [self._fresh.pop(id_) for id_ in ids]
        for memory in fresh:
            if self._stopped:
                return
            self._relater.relate(memory, vectors.get(memory.id))
