"""What comes in over stdin, line by line: what is no message is answered here.

The SDK drops a line that it cannot read, whatever its id, and the client waits for ever.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, BinaryIO, Final, cast

import anyio

__all__ = ["MAX_LINE", "ScreenedLines", "WireOut", "fault_of"]

MAX_LINE: Final = 4 * 1024 * 1024
"""Bytes of the longest message that is taken, as over HTTP."""
_PARSE: Final = -32700
_INVALID: Final = -32600
_PARAMS: Final = -32602


class WireOut:
    """Writes whole lines to stdout, one at a time; what the SDK needs of a text file."""

    def __init__(self, binary: BinaryIO) -> None:
        self._file = anyio.wrap_file(binary)
        self._lock = anyio.Lock()

    async def write(self, text: str) -> int:
        """Write and flush."""
        async with self._lock:
            await self._file.write(text.encode("utf-8", "replace"))
            await self._file.flush()
        return len(text)

    async def flush(self) -> None:
        """Nothing is left to be flushed."""


class ScreenedLines:
    """The lines of stdin that are messages; each other one is answered with what is wrong."""

    def __init__(self, binary: BinaryIO, out: WireOut) -> None:
        self._binary = binary
        self._out = out

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in _lines(self._binary):
            if not line.strip():
                continue
            fault = fault_of(line)
            if fault is None:
                yield line.decode()
            else:
                await self._out.write(json.dumps(fault) + "\n")


async def _lines(binary: BinaryIO) -> AsyncIterator[bytes]:
    """Read lines on a thread that a process need not wait for when it is told to end."""
    loop, read = asyncio.get_running_loop(), asyncio.Queue[bytes]()
    wanted = threading.Semaphore(0)

    def read_on() -> None:
        while wanted.acquire():
            try:
                line = binary.readline()
            except (OSError, ValueError):  # it was closed
                line = b""
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(read.put_nowait, line)

    threading.Thread(target=read_on, name="hindsight-stdin", daemon=True).start()
    wanted.release()
    while line := await read.get():
        yield line
        wanted.release()


def fault_of(line: bytes) -> dict[str, Any] | None:
    """The JSON-RPC error that answers a line, or None where it is a message."""
    if len(line) > MAX_LINE:
        return _error(None, _INVALID, f"the message has {len(line)} bytes, the limit is {MAX_LINE}")
    try:
        message = json.loads(line.decode())
    except UnicodeDecodeError as error:
        return _error(None, _PARSE, f"no UTF-8 at byte {error.start}")
    except RecursionError:
        return _error(None, _PARSE, "nested too deeply")
    except ValueError as error:
        return _error(None, _PARSE, f"no JSON: {error}")
    if not isinstance(message, dict):
        return _error(None, _INVALID, "a message is one JSON object; batches are not taken")
    return _fault_of_message(cast("dict[str, Any]", message))


def _fault_of_message(message: dict[str, Any]) -> dict[str, Any] | None:
    wanted = message.get("id")
    known = wanted if isinstance(wanted, int | str) and not isinstance(wanted, bool) else None
    if message.get("jsonrpc") != "2.0":
        return _error(known, _INVALID, "jsonrpc: must be '2.0'")
    if "id" in message and known is None:
        return _error(None, _INVALID, "id: must be a string or a whole number")
    if not _encodable(message):
        return _error(known, _PARAMS, "a text holds half a surrogate pair, or a number is NaN")
    method = message.get("method")
    if method is None and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str):
        return _error(known, _INVALID, "method: must be a string")
    params = message.get("params", {})
    if not isinstance(params, dict):
        return _error(known, _PARAMS, "params: must be an object")
    if method == "tools/call":
        return _fault_of_call(known, cast("dict[str, Any]", params))
    return None


def _fault_of_call(known: int | str | None, params: dict[str, Any]) -> dict[str, Any] | None:
    if not isinstance(params.get("name"), str):
        return _error(known, _PARAMS, "params.name: must be the name of a tool")
    if not isinstance(params.get("arguments") or {}, dict):
        return _error(known, _PARAMS, "params.arguments: must be an object")
    return None


def _encodable(message: dict[str, Any]) -> bool:
    try:
        json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):  # a UnicodeEncodeError is a ValueError
        return False
    return True


def _error(known: int | str | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}
