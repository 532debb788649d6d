"""Who may watch the memory at work: OpenTelemetry and Prometheus, each in an extra of its own."""

from hindsight_core.observing.choosing import OTEL_VARIABLE, choose_observer

__all__ = ["OTEL_VARIABLE", "choose_observer"]
