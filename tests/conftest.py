"""What all tests share: an error of ours that was swallowed fails the test that met it."""

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from hindsight_core.failsafe import Failsafe, observe_swallowed
from hindsight_core.settings import DEFAULT_SETTINGS, Settings

# Time passes no judgement here: a busy machine would fail an example that is right. Nor does
# chance: a change is judged by the same examples as the one before it; HINDSIGHT_TEST_EXPLORE=1
# draws others.
settings.register_profile(
    "steady",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("HINDSIGHT_TEST_EXPLORE"),
)
settings.load_profile("steady")

# Nor does a hook that a busy machine holds up for two seconds go on without memory, or a recall by
# words alone: a deadline is missed where a test sets one.
for _by_default in (Settings, Failsafe):
    _by_default.__init__.__kwdefaults__["deadline"] = 60.0
object.__setattr__(DEFAULT_SETTINGS, "deadline", 60.0)

# The user's data folder is never used.
_folder = tempfile.mkdtemp()
os.environ.setdefault("HINDSIGHT_URL", os.path.join(_folder, "tests.db"))  # noqa: PTH118
os.environ.setdefault("HINDSIGHT_SPOOL", os.path.join(_folder, "queue.db"))  # noqa: PTH118


def pytest_addoption(parser):
    parser.addoption("--adapter", help="of tests/adapters, collect this framework's files alone")


def pytest_ignore_collect(collection_path, config):
    """Leave out the files of frameworks that an environment for one of them does not have."""
    chosen = config.getoption("--adapter")
    if chosen and collection_path.parent.name == "adapters" and collection_path.suffix == ".py":
        return not collection_path.name.startswith((f"test_{chosen}_", "conftest"))
    return None


@pytest.fixture(autouse=True)
def swallowed_errors(request):
    """Collect what the failsafe swallowed; fail the test unless it is marked `swallows`."""
    seen: list[tuple[str, BaseException]] = []
    with observe_swallowed(lambda operation, error: seen.append((operation, error))):
        yield seen
    if seen and request.node.get_closest_marker("swallows") is None:
        operation, error = seen[0]
        raise AssertionError(f"swallowed in {operation}: {error!r}") from error
