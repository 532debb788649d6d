"""Prints what the demo's sessions did, what failed again, and what was remembered and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hindsight_core import RecallReport
from langchain_hindsight.demo.session import Call, Result

__all__ = ["Variant", "print_demo"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """Both sessions of one variant, what was captured in them, and the recalls that showed it."""

    memory: bool
    sessions: Sequence[Result]
    memories: Sequence[dict[str, Any]]
    recalls: Sequence[RecallReport]

    def repeated(self) -> list[Call]:
        """Failures of a later session of a kind that an earlier one had met with the same tool."""
        met: set[tuple[str, str]] = set()
        again: list[Call] = []
        for session in self.sessions:
            failed = [call for call in session["calls"] if not call["ok"]]
            again += [call for call in failed if _kind(call) in met]
            met |= {_kind(call) for call in failed}
        return again

    def counts(self) -> dict[str, int]:
        """Tool calls, failures and repeated failures over both sessions."""
        calls = [call for session in self.sessions for call in session["calls"]]
        return {
            "calls": len(calls),
            "failures": sum(not call["ok"] for call in calls),
            "repeated_failures": len(self.repeated()),
        }

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able data."""
        return {
            "memory": self.memory,
            **self.counts(),
            "sessions": list(self.sessions),
            "captured": list(self.memories),
            "recalls": [report.model_dump(mode="json") for report in self.recalls],
        }


def _kind(call: Call) -> tuple[str, str]:
    return call["tool"], call["result"]


def print_demo(variants: Sequence[Variant], model: str | None) -> None:
    """Print tables of what happened, and the text that the model was shown."""
    console = Console()
    if model is None:
        console.print("The model is a small policy: it reads its prompt and acts on what it finds.")
    else:
        console.print(f"The model is {escape(model)}.")
    for variant in variants:
        _print_calls(console, variant)
    summary = Table("", "tool calls", "failures", "repeated failures", title="In the end")
    for variant in variants:
        counts = [str(count) for count in variant.counts().values()]
        summary.add_row("with memory" if variant.memory else "without memory", *counts)
    console.print(summary)
    for variant in variants:
        _print_memory(console, variant)


def _print_calls(console: Console, variant: Variant) -> None:
    name = "with memory" if variant.memory else "without memory"
    for number, session in enumerate(variant.sessions, 1):
        table = Table("tool", "arguments", "outcome", title=f"{name}, session {number}")
        for call in session["calls"]:
            arguments = ", ".join(f"{key}={value!r}"[:60] for key, value in call["args"].items())
            colour = "green" if call["ok"] else "red"
            outcome = f"[{colour}]{escape(call['result'][:70])}[/]"
            table.add_row(call["tool"], escape(arguments), outcome)
        console.print(table)
        console.print(f"reports written: {', '.join(session['reports']) or 'none'}\n")


def _print_memory(console: Console, variant: Variant) -> None:
    if not variant.memory:
        return
    captured = Table("kind", "source", "what was captured", title="Captured by itself")
    for memory in variant.memories:
        captured.add_row(memory["kind"], memory["source"], escape(memory["value"]["content"][:200]))
    console.print(captured)
    for report in variant.recalls[-1:]:
        table = Table("", "total", "alike", "new", "trust", "memory", title="Recalled, and why")
        for one in report.candidates:
            parts = [one.parts[name] for name in ("similarity", "recency", "trust")]
            scores = [f"{value:.2f}" for value in (one.total, *parts)]
            why = "shown" if one.shown else one.reason
            table.add_row(escape(why), *scores, escape(one.content[:120]))
        console.print(table)
        console.print("What the model was shown:", style="bold")
        console.print(escape(report.injected), soft_wrap=True)
