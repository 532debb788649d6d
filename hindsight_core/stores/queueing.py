"""A store of many machines that may be away for a while: events wait for it, nobody else does.

Every call is watched. One that takes long while the server answers nobody else is given up, and
from then on calls fail at once, but for events: those wait in a queue until the server is back. A
thread asks for it with growing pauses, hands over what waits in the order of its coming, and only
then lets calls through again.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar, cast

from hindsight_core.errors import ConfigurationError, StoreError, StoreUnavailableError
from hindsight_core.events import EventBase
from hindsight_core.ports import ErasureReceipt, Store
from hindsight_core.schema import Scope
from hindsight_core.stores.delivering import Delivery
from hindsight_core.stores.write_queue import WriteQueue
from hindsight_core.workers import DaemonPool, jittered

__all__ = ["QueuedStore"]

logger: Final = logging.getLogger("hindsight_core")
T = TypeVar("T")
_PATIENCE: Final = 0.6
"""Seconds after which a call makes us ask whether the server answers at all."""
_PROBE: Final = 0.5
"""Seconds that it has to answer: with the patience less than the deadline of an agent's call."""
_AT_ONCE: Final = 32
_PLACE: Final = "queue"
_WAIT_ENV: Final = "HINDSIGHT_WAIT"
_FIRST: Final = 0.25
_LONGEST: Final = 5.0


def _seconds_to_wait() -> float:
    named = os.environ.get(_WAIT_ENV, "0")
    try:
        return float(named)
    except ValueError:
        raise ConfigurationError(f"{_WAIT_ENV}: {named!r} is no number of seconds") from None


class QueuedStore:
    """A `Store` behind a circuit breaker, with queues for events; made whether it is up or not."""

    embedded: Final = False

    def __init__(
        self, open_store: Callable[[], Store], url: str, queues: Sequence[WriteQueue]
    ) -> None:
        self.url = url
        self._open_store = open_store
        self._store: Store | None = None
        self._opening = threading.Lock()
        self._closed = False
        self._calls = DaemonPool(size=_AT_ONCE)
        self._probes = DaemonPool(size=2)
        self._delivery = Delivery(queues, self._probe, self._take, url)

    @classmethod
    def over(cls, open_store: Callable[[], Store], url: str, queues: Sequence[WriteQueue]) -> Store:
        """The store that `open_store` opens, behind queues that are tried in that order."""
        return cast("Store", cls(open_store, url, queues))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not hasattr(Store, name):  # more than the port offers: who asks knows what it is
            if self._store is None:
                self._through("change_counter")
            found = getattr(self._opened(), name)
            if not callable(found):
                return found
        return partial(self._through, name)

    def connect(self, first: Callable[[], object]) -> None:
        """Open the store and do what comes first, or raise why it cannot be.

        Either is tried again for HINDSIGHT_WAIT seconds, by default 0.
        """
        give_up = time.monotonic() + _seconds_to_wait()
        pause = _FIRST
        while True:
            try:
                self._probe()
                first()
            except StoreUnavailableError as error:
                if time.monotonic() + pause > give_up:
                    raise
                logger.warning("waiting for %s: %s", self.url, error)
            else:
                return
            time.sleep(jittered(pause))
            pause = min(2 * pause, _LONGEST)

    def queue_state(self) -> dict[str, Any]:
        """Where events wait, how many, and what is wrong with that; see `Delivery.state`."""
        return self._delivery.state()

    @property
    def in_memory(self) -> int:
        """How many events wait in this process alone and would be lost with it."""
        return self._delivery.in_memory

    def append(self, event: EventBase, *, owner: str) -> bool:
        """Make an event durable, in the store or in a queue; True where it may be new."""
        while True:
            if not self._delivery.behind:
                try:
                    return self._through("append", event, owner=owner)
                except StoreError as error:  # whatever it is, the event is not to blame
                    self._delivery.begin(str(error))
            if self._delivery.put(event, owner):
                return True

    def erase(self, scope: Scope, *, at: datetime) -> ErasureReceipt:
        """Erase what waits of a scope, too, so that it cannot come back."""
        with self._delivery.held():  # or a batch that is on its way could bring it back
            gone = self._delivery.purge(scope)
            receipt: ErasureReceipt = self._through("erase", scope, at=at)
        return replace(
            receipt,
            removed={**receipt.removed, _PLACE: gone},
            remaining={**receipt.remaining, _PLACE: 0},
        )

    def close(self) -> None:
        self._delivery.close()
        self._closed = True  # a thread that asks for the server must not open it once more
        if self._store is not None:
            self._store.close()

    def _through(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Do a call, unless the server is known to be away."""
        if self._delivery.down:
            raise StoreUnavailableError(self._delivery.down)
        call = self._calls.submit(lambda: getattr(self._opened(), name)(*args, **kwargs))
        while True:
            try:
                return call.result(_PATIENCE)
            except FutureTimeoutError:
                if call.done():
                    return call.result()
                if not self._answers():
                    told = f"{self.url} does not answer. It is tried again and again"
                    self._delivery.begin(told)
                    raise StoreUnavailableError(told) from None
            except StoreUnavailableError as error:
                if not self._answers():
                    self._delivery.begin(str(error))
                raise

    def _answers(self) -> bool:
        asked = time.monotonic()
        probe = self._probes.submit(self._probe)
        try:
            probe.result(_PROBE)
        except FutureTimeoutError:
            # A busy one that answers in parts, as at the first load of all vectors, is not away.
            return getattr(self._store, "answered_at", 0.0) > asked
        except StoreUnavailableError:
            return False
        return True

    def _probe(self) -> None:
        self._opened().change_counter()

    def _take(self, events: Sequence[tuple[EventBase, str]]) -> None:
        self._opened().append_all(events)

    def _opened(self) -> Store:
        with self._opening:
            if self._store is None:
                if self._closed:
                    raise StoreUnavailableError(f"{self.url}: the store was closed; open it again")
                self._store = self._open_store()
                if self._closed:  # meanwhile
                    self._store.close()
            return self._store
