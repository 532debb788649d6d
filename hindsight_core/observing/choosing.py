"""Which observer is meant: the one handed in, and OpenTelemetry where the environment asks."""

from __future__ import annotations

import logging
import os
from typing import Final

from hindsight_core.errors import MissingExtraError
from hindsight_core.ports_observing import Observer, together

__all__ = ["OTEL_VARIABLE", "choose_observer"]

OTEL_VARIABLE: Final = "HINDSIGHT_OTEL"
"""Set to 1 it switches spans and metrics on, by the providers that the program configured."""

logger: Final = logging.getLogger("hindsight_core")
_YES: Final = ("1", "true", "yes", "on")


def choose_observer(observer: Observer | None) -> Observer:
    """The observer handed in, beside OpenTelemetry where the environment asks for it.

    Without the extra `otel` that is said in the log, and nothing is watched.
    """
    chosen = [observer] if observer is not None else []
    if os.environ.get(OTEL_VARIABLE, "").lower() in _YES:
        try:
            from hindsight_core.observing.otel import OpenTelemetryObserver
        except MissingExtraError as error:
            logger.warning("%s is set, but no span is made: %s", OTEL_VARIABLE, error)
        else:
            if not isinstance(observer, OpenTelemetryObserver):
                chosen.append(OpenTelemetryObserver())
    return together(*chosen)
