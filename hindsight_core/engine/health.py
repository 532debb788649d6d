"""The state of the memory at a glance: what works, what was passed over, what still waits."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from hindsight_core.engine.alerting import Alerts
from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.failsafe import describe

__all__ = ["Health", "Readiness", "read_health", "read_readiness"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Health:
    """What `Hindsight.health()` returns.

    `errors` counts what was kept from the host by operation; `passed_over` calls that were not
    tried while the store hung; `by_words` recalls that went by words alone, as their query had no
    vector in time or at all; `unrecorded` hooks that returned and are not done recording: a kill
    would lose that; `vectors_error` says why the index beside the store is passed over,
    `untold` how many changes it still waits for; `queue` where the events of a server store wait
    while it is away (`place`, `durable`), how many do (`backlog`), and what is wrong with that;
    `pending_runs` runs whose events are not judged yet; `changed` are records that were changed
    outside of this memory, held back; `signed` says whether any are; `alerts` those of the guard
    that wait for a person, by pattern.
    """

    ok: bool
    store: str
    store_error: str = ""
    embedder: str = ""
    embedder_error: str = ""
    cache_error: str = ""
    vectors_error: str = ""
    untold: int = 0
    queue: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: dict[str, int] = field(default_factory=dict[str, int])
    timeouts: int = 0
    passed_over: int = 0
    by_words: int = 0
    unrecorded: int = 0
    last_error: str = ""
    pending_runs: int = 0
    unencoded: int = 0
    memories: dict[str, int] = field(default_factory=dict[str, int])
    signed: bool = True
    changed: tuple[str, ...] = ()
    alerts: dict[str, int] = field(default_factory=dict[str, int])

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Readiness:
    """What `Hindsight.ready()` returns: whether the memory serves, and what it waits for.

    A cache that is down is no reason to wait: the store answers by itself.
    """

    ready: bool
    waiting_for: tuple[str, ...] = ()


def read_readiness(core: Core, encoder: Encoder) -> Readiness:
    """Ask the store for one number; never raises."""
    waiting: list[str] = []
    try:
        core.store.change_counter()
    except Exception as error:  # noqa: BLE001 - a store of somebody else's may raise anything
        waiting.append(describe(error))
    if encoder.refused is not None:
        waiting.append(describe(encoder.refused))
    return Readiness(ready=not waiting, waiting_for=tuple(waiting))


def read_health(core: Core, encoder: Encoder, alerts: Alerts) -> Health:
    """Look at the store and at what the failsafe counted; never raises for a store that is down."""
    counts, unrecorded = core.failsafe.counts, core.unrecorded
    pending = unencoded = 0
    memories: dict[str, int] = {}
    open_alerts: Counter[str] = Counter()
    store_error = cache_error = vectors_error = ""
    untold = 0
    queue: dict[str, Any] = {}
    embedder = core.embedder
    try:
        queue = getattr(core.store, "queue_state", dict[str, Any])()
        pending = len(core.store.runs(limit=10_000))
        memories = core.store.count()
        cache_error = str(getattr(core.store, "cache_error", ""))
        vectors_error = str(getattr(core.store, "vectors_error", ""))
        untold = int(getattr(core.store, "untold", _nothing)())
        open_alerts.update(alert.pattern.value for alert in alerts.open())
        unencoded = len(core.store.unencoded(10_000)) if embedder else 0
    except Exception as error:  # noqa: BLE001 - a store of somebody else's may raise anything
        store_error = describe(error)
    refused = str(encoder.refused or "")
    return Health(
        ok=not (
            store_error
            or cache_error
            or vectors_error
            or any(queue.get(name) for name in ("backlog", "refused", "error"))
            or refused
            or counts.total
            or core.seal.changed
            or open_alerts
        ),
        store=core.url,
        store_error=store_error,
        embedder=embedder.info.model if embedder else "",
        embedder_error=refused,
        cache_error=cache_error,
        vectors_error=vectors_error,
        untold=untold,
        queue=queue,
        errors=dict(counts.by_operation),
        timeouts=counts.timeouts,
        passed_over=counts.passed_over,
        by_words=counts.by_words,
        unrecorded=unrecorded,
        last_error=counts.last,
        pending_runs=pending,
        unencoded=unencoded,
        memories=memories,
        signed=core.seal.on,
        changed=tuple(sorted(core.seal.changed)),
        alerts=dict(open_alerts),
    )


def _nothing() -> int:
    return 0
