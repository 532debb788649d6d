"""A memory as a service: alive, ready and measured, over HTTP and with no framework."""

from hindsight_core.service.app import HealthApp
from hindsight_core.service.ending import end_on_sigterm, end_server_on_sigterm
from hindsight_core.service.waiting import wait_until_ready

__all__ = ["HealthApp", "end_on_sigterm", "end_server_on_sigterm", "wait_until_ready"]
