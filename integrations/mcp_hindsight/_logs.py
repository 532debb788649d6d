"""What the server and the proxy write to stderr: never a memory's text, whoever logs it."""

from __future__ import annotations

import logging
import sys
from typing import Final

__all__ = ["log_to_stderr"]

_OURS: Final = ("hindsight_core", "mcp_hindsight", "uvicorn")


class _Discreet(logging.Formatter):
    """Writes our own messages, of others' only where they come from.

    The SDK logs whole messages, and what pydantic says of one repeats its values.
    """

    def format(self, record: logging.LogRecord) -> str:
        head = f"{self.formatTime(record)} {record.levelname} {record.name}:"
        kind = record.exc_info[0] if record.exc_info else None
        after = f" ({kind.__name__})" if kind else ""
        if record.name.partition(".")[0] in _OURS:
            return f"{head} {record.getMessage()}{after}"
        place = f"{record.module}.{record.funcName}:{record.lineno}"
        return f"{head} a message of {place}, withheld: it may hold what was said{after}"


def log_to_stderr() -> None:
    """Send the log of this process to stderr; stdout belongs to the protocol."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Discreet())
    logging.getLogger().addHandler(handler)
