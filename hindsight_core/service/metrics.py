"""What `health` says as Prometheus metrics; a scrape never waits longer than two seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from hindsight_core._version import __version__
from hindsight_core.engine import Health
from hindsight_core.errors import MissingExtraError

try:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
    from prometheus_client.registry import Collector
except ModuleNotFoundError as error:
    if error.name != "prometheus_client":
        raise
    raise MissingExtraError("metrics", "prometheus_client", reason=str(error)) from error

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

__all__ = ["CONTENT_TYPE", "HealthCollector", "rendered"]

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class HealthCollector(Collector):
    """Reads `health` at each scrape; without an answer `hindsight_up` is 0 and the rest absent."""

    def __init__(self, ask: Callable[[], Health | None]) -> None:
        self._ask = ask

    def describe(self) -> Iterator[Metric]:
        """Nothing: so registering the collector asks nobody."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        health = self._ask()
        yield InfoMetricFamily("hindsight", "This program", value={"version": __version__})
        up = health is not None and not health.store_error
        yield GaugeMetricFamily("hindsight_up", "Whether the store answers", value=float(up))
        if health is None:
            return
        yield from _gauges(health)
        failed = CounterMetricFamily(
            "hindsight_errors", "Errors that were kept from the host", labels=["operation"]
        )
        for operation, count in health.errors.items():
            failed.add_metric([operation], count)
        yield failed
        yield CounterMetricFamily(
            "hindsight_timeouts", "Calls that missed the deadline", value=health.timeouts
        )
        yield CounterMetricFamily(
            "hindsight_passed_over", "Calls not tried while memory paused", value=health.passed_over
        )
        yield CounterMetricFamily(
            "hindsight_by_words", "Recalls whose query had no vector", value=health.by_words
        )


def _gauges(health: Health) -> Iterator[Metric]:
    for name, text, value in (
        ("ok", "Whether nothing went wrong and nobody is needed", health.ok),
        ("cache_up", "Whether the cache answers, 1 where there is none", not health.cache_error),
        (
            "vectors_up",
            "Whether the index of vectors answers, 1 without one",
            not health.vectors_error,
        ),
        ("untold", "Changes that the index of vectors waits for", health.untold),
        ("queue_backlog", "Events that wait for the store", health.queue.get("backlog", 0)),
        ("queue_refused", "Events that waited and were refused", health.queue.get("refused", 0)),
        ("queue_up", "Whether the queue answers, or there is none", not health.queue.get("error")),
        ("unrecorded", "Hooks that returned and are not done recording", health.unrecorded),
        ("pending_runs", "Runs that are not judged yet", health.pending_runs),
        ("unencoded", "Memories without a vector", health.unencoded),
        ("changed_records", "Records that were changed from outside", len(health.changed)),
    ):
        yield GaugeMetricFamily(f"hindsight_{name}", text, value=float(value))
    held = GaugeMetricFamily("hindsight_memories", "Memories", labels=["kind", "status"])
    for name, count in health.memories.items():
        kind, _, status = name.partition("/")
        held.add_metric([kind, status], count)
    yield held
    alerts = GaugeMetricFamily("hindsight_alerts", "Alerts that are open", labels=["pattern"])
    for pattern, count in health.alerts.items():
        alerts.add_metric([pattern], count)
    yield alerts


def rendered(registry: CollectorRegistry) -> bytes:
    """The metrics of a registry in Prometheus' text format."""
    return generate_latest(registry)
