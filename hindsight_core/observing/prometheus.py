"""How long the steps of the memory took and how they ended, as Prometheus counts it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from hindsight_core.errors import MissingExtraError
from hindsight_core.ports_observing import SECONDS, Observation, Operation

try:
    from prometheus_client import CollectorRegistry, Counter, Histogram
except ModuleNotFoundError as error:
    if error.name != "prometheus_client":
        raise
    raise MissingExtraError("metrics", "prometheus_client", reason=str(error)) from error

__all__ = ["PrometheusObserver"]


class PrometheusObserver:
    """An `Observer` with a registry of its own, or one that the program already shows."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = CollectorRegistry() if registry is None else registry
        self._seconds = Histogram(
            "hindsight_operation_seconds",
            "How long a step took",
            ["operation"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._errors = Counter(
            "hindsight_operation_errors",
            "Steps that ended with an error",
            ["operation", "error"],
            registry=self.registry,
        )
        self._records = Counter(
            "hindsight_records",
            "Memories that were shown (recall) and stored (capture)",
            ["operation"],
            registry=self.registry,
        )
        self._gated = Counter(
            "hindsight_gate_decisions",
            "What the gate said of calls",
            ["action"],
            registry=self.registry,
        )

    @contextmanager
    def watch(self, operation: Operation) -> Generator[Observation]:
        started = time.perf_counter()
        noted = _Noted()
        try:
            yield noted
        except BaseException as error:
            self._errors.labels(operation, type(error).__name__).inc()
            raise
        finally:
            self._seconds.labels(operation).observe(time.perf_counter() - started)
            if "records" in noted:
                self._records.labels(operation).inc(float(noted["records"]))
            if "action" in noted:
                self._gated.labels(noted["action"]).inc()


class _Noted(dict[str, str | float]):
    def note(self, name: str, value: str | float) -> None:
        self[name] = value
