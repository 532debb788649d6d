"""What the tests of the MCP server and of the proxy share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The kit beside this file is a plain module.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def store(tmp_path):
    """The path of the test's own store."""
    return tmp_path / "memory.db"
