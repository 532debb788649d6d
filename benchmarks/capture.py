"""What capture keeps: preferences, outcomes of tools, failing steps of logs, secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import capture_cost, capture_preferences, capture_redaction, capture_tools

_PARTS = (
    ("own_preferences.jsonl", capture_preferences.preferences),
    ("preference_utterances.jsonl", capture_preferences.utterances),
    ("own_tool_results.jsonl", capture_tools.tools),
    ("logs_who_and_when.jsonl", capture_tools.logs),
    ("secrets.jsonl", capture_redaction.secrets),
    ("pii_texts.jsonl", capture_redaction.personal),
    ("runs_tau_airline.jsonl", capture_cost.judging),
)


def measure(data: Path, *, peers: bool = True) -> dict[str, dict[str, Any]]:
    """Return `figures` for the files that the folder has; there are no peers to this."""
    del peers
    figures: dict[str, float] = {}
    for file, part in _PARTS:
        if (data / file).exists():
            figures |= part(data)
    return {"figures": figures, "peers": {}}
