"""Spans and metrics by OpenTelemetry, under the names of its GenAI conventions where they exist.

Convention: https://github.com/open-telemetry/semantic-conventions-genai (development status). Its
memory operations name a recall `search_memory` and a capture `upsert_memory`; what it has no name
for is called `hindsight.*`. No span, event or metric holds a text, an argument or a user.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from hindsight_core._version import __version__
from hindsight_core.errors import MissingExtraError
from hindsight_core.ports_observing import SECONDS, Observation, Operation

try:
    from opentelemetry.metrics import MeterProvider, get_meter
    from opentelemetry.trace import Span, StatusCode, TracerProvider, get_tracer
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "opentelemetry":
        raise
    raise MissingExtraError("otel", "opentelemetry", reason=str(error)) from error

__all__ = ["OpenTelemetryObserver"]

_OPERATIONS: Final[Mapping[Operation, str]] = {
    "recall": "search_memory",
    "capture": "upsert_memory",
    "gate": "hindsight.gate",
}
_NAMES: Final = {
    "records": "gen_ai.memory.record.count",
    "top_k": "gen_ai.retrieval.top_k",
    "tool": "gen_ai.tool.name",
}


class OpenTelemetryObserver:
    """An `Observer` by the providers handed in, else by the global ones of the program.

    Without a configured provider OpenTelemetry itself does nothing.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        self._tracer = get_tracer("hindsight_core", __version__, tracer_provider)
        meter = get_meter("hindsight_core", __version__, meter_provider)
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="How long a step took",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self._records = meter.create_counter(
            "hindsight.memory.records", unit="{record}", description="Memories shown and stored"
        )
        self._gated = meter.create_counter(
            "hindsight.gate.decisions", unit="{call}", description="What the gate said of calls"
        )

    @contextmanager
    def watch(self, operation: Operation) -> Generator[Observation]:
        name = _OPERATIONS[operation]
        started = time.perf_counter()
        about = {"gen_ai.operation.name": name, "gen_ai.provider.name": "hindsight"}
        # An exception's text may quote a memory: only its type is told.
        with self._tracer.start_as_current_span(
            name, attributes=about, record_exception=False, set_status_on_exception=False
        ) as span:
            seen = _Seen(span)
            try:
                yield seen
            except BaseException as error:
                about["error.type"] = type(error).__name__
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise
            finally:
                self._duration.record(time.perf_counter() - started, about)
                if "records" in seen.noted:
                    self._records.add(int(seen.noted["records"]), about)
                if "action" in seen.noted:
                    self._gated.add(1, {"hindsight.gate.action": seen.noted["action"]})


class _Seen:
    def __init__(self, span: Span) -> None:
        self._span = span
        self.noted: dict[str, str | float] = {}

    def note(self, name: str, value: str | float) -> None:
        self.noted[name] = value
        self._span.set_attribute(_NAMES.get(name, f"hindsight.{name}"), value)
