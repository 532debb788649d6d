"""What the tests of all adapters share: a memory on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from hindsight_core import GateMode, Hindsight, Settings

# The kits beside this file (`langchain_kit` and so on) are plain modules.
sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    """Let CrewAI leave sockets of its model client open: any later test may collect them."""
    if find_spec("crewai"):
        for category in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
            config.addinivalue_line("filterwarnings", f"ignore::{category}")


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Callable[..., Hindsight]]:
    """Opens the test's store, with text search alone; each call is a process of its own to it."""
    with ExitStack() as opened:

        def open_it(name: str = "memory.db", *, gate: GateMode = GateMode.ADVISE) -> Hindsight:
            # No deadline that a busy test machine could miss.
            settings = Settings(gate=gate, deadline=60.0)
            path = str(tmp_path / name)
            return opened.enter_context(Hindsight.open(path, embedder=None, settings=settings))

        yield open_it


@pytest.fixture
def memory(open_memory: Callable[..., Hindsight]) -> Hindsight:
    """One open memory."""
    return open_memory()
