"""What all tests share: an error of ours that was swallowed fails the test that met it."""

import os
import tempfile

import pytest

from hindsight_core.failsafe import observe_swallowed

# Hypothesis and pytest-timeout need no settings of their own; the user's data folder is never used.
os.environ.setdefault("HINDSIGHT_URL", os.path.join(tempfile.mkdtemp(), "tests.db"))  # noqa: PTH118


@pytest.fixture(autouse=True)
def swallowed_errors(request):
    """Collect what the failsafe swallowed; fail the test unless it is marked `swallows`."""
    seen: list[tuple[str, BaseException]] = []
    with observe_swallowed(lambda operation, error: seen.append((operation, error))):
        yield seen
    if seen and request.node.get_closest_marker("swallows") is None:
        operation, error = seen[0]
        raise AssertionError(f"swallowed in {operation}: {error!r}") from error
