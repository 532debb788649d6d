"""The proxy before a server that speaks over its stdin and stdout: a pipe with a bystander.

Bytes are handed on as they come; what the memory makes of them happens beside. stderr is the
server's own, and so are the exit code and the signal that ended it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final

from hindsight_core import ConfigurationError
from mcp_hindsight._gating import Gate
from mcp_hindsight._memory import Bystander
from mcp_hindsight._messages import messages_of
from mcp_hindsight._splitting import Splitter

__all__ = ["run_stdio_proxy"]

_CHUNK: Final = 65_536
_LINGER: Final = 2.0
"""Seconds for which what an ended server wrote is still handed on."""
_PASSED_ON: Final = ("SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT")


class _Wire:
    """One end of a pipe, written to by whole lines where others write too."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._lock = threading.Lock()
        self._midway = False

    def write(self, piece: bytes, *, whole: bool = True) -> None:
        """Write all of it; the parts of one long line are not parted by another's."""
        if not self._midway:
            self._lock.acquire()
        view = memoryview(piece)
        try:
            while view:
                view = view[os.write(self.number, view) :]
        except OSError:
            self._midway = False
            self._lock.release()
            raise
        self._midway = not whole and not piece.endswith(b"\n")
        if not self._midway:
            self._lock.release()

    def interject(self, line: bytes) -> None:
        """Write a line of our own, between two of theirs."""
        with self._lock, contextlib.suppress(OSError):
            view = memoryview(line)
            while view:
                view = view[os.write(self.number, view) :]


def run_stdio_proxy(
    command: Sequence[str], bystander: Callable[[], Bystander], *, gated: bool
) -> int:
    """Run a server and stand before it until it ends; return its exit code, -n for signal n.

    `bystander` is made once the server runs. Raises `ConfigurationError` for a command that cannot
    be run.
    """
    try:
        child = subprocess.Popen(  # noqa: S603 - to run it is what the user asks for
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    except OSError as error:
        raise ConfigurationError(f"{command[0]}: {error.strerror or error}") from error
    for name in _PASSED_ON:
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, _passing_on(child))
    assert child.stdin is not None  # noqa: S101 - asked for above
    assert child.stdout is not None  # noqa: S101
    to_server, to_client = _Wire(os.dup(child.stdin.fileno())), _Wire(1)
    from_server = os.dup(child.stdout.fileno())
    child.stdin.close()
    child.stdout.close()
    memory = bystander()
    if gated:
        gate = Gate(memory, to_client.interject)
        requests = _gated(to_server, gate.from_client)
        answers = _gated(to_client, gate.from_server)
    else:
        requests = _plain(to_server, lambda line: _note(line, memory.asked))
        answers = _plain(to_client, lambda line: _note(line, memory.answered))
    up = threading.Thread(target=_pump, args=(0, to_server.number, requests), daemon=True)
    down = threading.Thread(target=_pump, args=(from_server, -1, answers), daemon=True)
    up.start()
    down.start()
    code = child.wait()
    down.join(_LINGER)
    memory.close()
    return code


def _note(line: bytes, note: Callable[..., object]) -> None:
    for message in messages_of(line):
        note(message, wait=False)


def _plain(wire: _Wire, note: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Hand each chunk on at once, then look at the lines that it completed."""
    splitter = Splitter()

    def take(chunk: bytes) -> None:
        wire.write(chunk)
        for piece, whole in splitter.feed(chunk):
            if whole:
                note(piece)

    return take


def _gated(wire: _Wire, decide: Callable[[bytes], bytes]) -> Callable[[bytes], None]:
    """Hand each line on, or what takes its place."""
    splitter = Splitter()

    def take(chunk: bytes) -> None:
        for piece, whole in splitter.feed(chunk):
            wire.write(decide(piece) if whole else piece, whole=whole)
        if not chunk:
            wire.write(splitter.rest())

    return take


def _pump(source: int, closes: int, take: Callable[[bytes], None]) -> None:
    """Move bytes until either end is closed; then close the other one too."""
    with contextlib.suppress(OSError):
        while chunk := os.read(source, _CHUNK):
            take(chunk)
        take(b"")
    for number in (source, closes):
        if number >= 0:
            with contextlib.suppress(OSError):
                os.close(number)


def _passing_on(child: subprocess.Popen[bytes]) -> Callable[[int, FrameType | None], None]:
    def pass_on(number: int, frame: FrameType | None) -> None:
        del frame
        with contextlib.suppress(OSError):
            child.send_signal(number)

    return pass_on
