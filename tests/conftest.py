"""What all tests share: an error of ours that was swallowed fails the test that met it."""

import os
import tempfile

import pytest
from hypothesis import settings

from hindsight_core.failsafe import observe_swallowed

# Time passes no judgement here: a busy machine would fail an example that is right.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

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
