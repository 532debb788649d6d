"""Spans and metrics by OpenTelemetry: named by its conventions, without a word of a memory."""

import logging
import subprocess
import sys

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import generate_latest

from hindsight_core import Hindsight, InvalidMemoryError, Scope
from hindsight_core.observing import choose_observer
from hindsight_core.observing.otel import OpenTelemetryObserver
from hindsight_core.observing.prometheus import PrometheusObserver
from hindsight_core.ports_observing import SILENT, together

ADA = Scope(user="ada-lovelace")
MARK = "quetzalcoatl"


@pytest.fixture
def seen():
    """An observer with what it exports: spans, and the data points of its metrics."""
    spans, metrics = InMemorySpanExporter(), InMemoryMetricReader()
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    observer = OpenTelemetryObserver(
        tracer_provider=tracing, meter_provider=MeterProvider([metrics])
    )
    return observer, spans, metrics


def work(hindsight):
    """Let every kind of text pass through: said, remembered, called, failed, asked for."""
    hindsight.remember(ADA, f"{MARK} likes feathers", query=f"What does {MARK} like?")
    hindsight.recall(ADA, f"What does {MARK} like?")
    run = hindsight.run(ADA, task=f"Feed {MARK}", session="s1")
    run.user(f"I prefer {MARK}, never use maize.", turn="1")
    run.context()
    run.before_tool("feed", {"who": MARK})
    run.after_tool("feed", {"who": MARK}, error=RuntimeError(f"{MARK} is not hungry"))
    run.agent(f"{MARK} was fed")
    run.feedback(False, f"{MARK} is sad")
    run.finish(ok=False, error=f"{MARK} flew away")
    hindsight.flush()


def points(metrics):
    data = metrics.get_metrics_data()
    return {
        (metric.name, point.attributes.get("gen_ai.operation.name"))
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.data.data_points
    }


def test_recall_capture_and_gate_are_spans_by_the_names_of_the_conventions(tmp_path, seen):
    observer, spans, metrics = seen
    with Hindsight.open(tmp_path / "s.db", embedder=None, observer=observer) as hindsight:
        work(hindsight)
    found = {span.name: dict(span.attributes) for span in spans.get_finished_spans()}
    assert set(found) == {"search_memory", "upsert_memory", "hindsight.gate"}
    assert found["search_memory"]["gen_ai.operation.name"] == "search_memory"
    counts = [
        span.attributes.get("gen_ai.memory.record.count") for span in spans.get_finished_spans()
    ]
    assert 1 in counts
    assert found["hindsight.gate"]["hindsight.action"] == "run"
    assert {
        ("gen_ai.client.operation.duration", "search_memory"),
        ("gen_ai.client.operation.duration", "upsert_memory"),
        ("hindsight.memory.records", "upsert_memory"),
    } <= points(metrics)


@pytest.mark.swallows
def test_no_span_no_metric_no_log_and_no_health_quotes_a_memory_even_when_all_fails(
    tmp_path, seen, caplog, monkeypatch
):
    observer, spans, metrics = seen
    counted = PrometheusObserver()
    caplog.set_level(logging.DEBUG)
    with Hindsight.open(
        tmp_path / "s.db", embedder=None, observer=together(observer, counted)
    ) as hindsight:
        work(hindsight)

        def fail(*args, **kwargs):
            raise ValueError(f"cannot read {args} {kwargs} {MARK}")

        for broken in ("append", "settle", "match_text", "call_stats"):
            monkeypatch.setattr(type(hindsight.store), broken, fail, raising=False)
            hindsight.store.__dict__.pop(broken, None)
        with pytest.raises(ValueError, match=MARK):
            hindsight.recall(ADA, f"What does {MARK} like?")
        work_on = hindsight.run(ADA, task=MARK)
        work_on.user(MARK, turn="2")
        work_on.before_tool("feed", {"who": MARK})
        with pytest.raises(InvalidMemoryError):
            hindsight.remember(ADA, MARK * 20_000)
        health = str(hindsight.health())
        assert "ValueError" in health
    exported = [span.to_json() for span in spans.get_finished_spans()]
    assert any("ValueError" in one for one in exported)
    everything = [
        *exported,
        metrics.get_metrics_data().to_json(),
        generate_latest(counted.registry).decode(),
        caplog.text,
        health,
    ]
    for text in everything:
        assert MARK not in text
        assert "lovelace" not in text


def test_nothing_is_watched_unless_it_is_switched_on(monkeypatch):
    monkeypatch.delenv("HINDSIGHT_OTEL", raising=False)
    assert choose_observer(None) is SILENT
    monkeypatch.setenv("HINDSIGHT_OTEL", "1")
    assert isinstance(choose_observer(None), OpenTelemetryObserver)


def test_without_the_extra_the_switch_does_nothing_but_say_so():
    script = (
        "import sys, logging; sys.modules['opentelemetry'] = None\n"
        "logging.basicConfig(stream=sys.stdout)\n"
        "from hindsight_core.observing import choose_observer\n"
        "from hindsight_core.ports_observing import SILENT\n"
        "assert choose_observer(None) is SILENT\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"HINDSIGHT_OTEL": "1"},
    )
    assert "pip install 'hindsight-core[otel]'" in done.stdout
