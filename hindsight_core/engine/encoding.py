"""The worker that gives records their vectors, in batches and off everybody's path.

A new statement is then related to those that stand.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hindsight_core.engine.answers import passage_vectors
from hindsight_core.engine.core import Core
from hindsight_core.engine.relating import RELATABLE, Relater
from hindsight_core.errors import EmbedderMismatchError
from hindsight_core.ports import Embedder
from hindsight_core.schema import Memory
from hindsight_core.workers import not_ending

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["Encoder"]

_BATCH: Final = 64
_NAME: Final = "hindsight-encoder"
_HOPELESS: Final = 3
"""Texts in a row that the embedder fails for, one by one, until it counts as out of order."""
_MOST_PASSED_OVER: Final = 1_000
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
        self._passed_over: dict[str, None] = {}
        self._again = False
        self.refused: EmbedderMismatchError | None = None

    def wake(self, fresh: Sequence[Memory] = (), *, soon: bool = True) -> None:
        """Say that there is something to encode, and what of it is new; returns at once.

        Unless `soon` it may wait for a lull: more is likely to come, and nobody asks for it yet.
        """
        if soon:
            self._hurry.set()
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
            self._again = True
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
        rows = self._next(store.unencoded(_BATCH + len(self._passed_over)))
        if not rows:
            self._relate({})
            return 0
        store.claim_index(embedder.info)
        by_id = self._vectors(embedder, rows)
        store.add_vectors(by_id.items())
        self._relate(by_id)
        return len(by_id)

    def _next(self, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Choose a batch: what the embedder failed for comes last, and once each time it wakes."""
        fresh = [row for row in rows if row[0] not in self._passed_over]
        if fresh or not self._again:
            return fresh[:_BATCH]
        self._again = False
        turn = {memory_id: place for place, memory_id in enumerate(self._passed_over)}
        return sorted(rows, key=lambda row: turn[row[0]])[:_BATCH]

    def _vectors(self, embedder: Embedder, rows: Sequence[tuple[str, str]]) -> dict[str, Matrix]:
        """Return the vectors of a batch; a text that fails it is passed over, and nothing else.

        Where the embedder fails for one text after the other it is out of order: the rest waits.
        """
        try:
            return self._encoded(embedder, rows)
        except EmbedderMismatchError:
            raise
        except Exception as error:
            if len(rows) == 1:
                self._pass_over(rows[0][0])
                raise
            found: dict[str, Matrix] = {}
            failed = 0
            for row in rows:
                try:
                    found |= self._encoded(embedder, [row])
                except Exception as alone:  # noqa: BLE001 - somebody else's model; it is reported
                    failed += 1
                    self._pass_over(row[0])
                    self._core.failsafe.report("encode", alone)
                if failed >= _HOPELESS and not found:
                    raise error from None
            return found

    def _encoded(self, embedder: Embedder, rows: Sequence[tuple[str, str]]) -> dict[str, Matrix]:
        answer = not_ending(embedder.passages, [text for _, text in rows])
        vectors = passage_vectors(answer, len(rows), embedder.info)
        for memory_id, _ in rows:
            self._passed_over.pop(memory_id, None)
        return {memory_id: vector for (memory_id, _), vector in zip(rows, vectors, strict=True)}

    def _pass_over(self, memory_id: str) -> None:
        """Let a text stand behind all others until it has a vector."""
        self._passed_over.pop(memory_id, None)
        if len(self._passed_over) >= _MOST_PASSED_OVER:
            self._passed_over.clear()
        self._passed_over[memory_id] = None

    def _relate(self, vectors: Mapping[str, Matrix]) -> None:
        """Relate the new memories of these vectors; with none those that are left, by words."""
        with self._lock:
            ids = [id_ for id_ in vectors or self._fresh if id_ in self._fresh]
            fresh = [self._fresh.pop(id_) for id_ in ids]
        for memory in fresh:
            if self._stopped:
                return
            self._relater.relate(memory, vectors.get(memory.id))
