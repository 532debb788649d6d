"""What a recall did, as data that can be kept and explained later, and as a readable table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Final, cast

from pydantic import Field

from hindsight_core.ports import Where
from hindsight_core.recall.found import Found
from hindsight_core.schema import Kind, Memory, Record, Scope, Time
from hindsight_core.text import shorten

__all__ = [
    "CandidateReport",
    "RecallReport",
    "candidate_table",
    "describe_filters",
    "report_candidates",
]


class CandidateReport(Record):
    """One memory that a recall looked at.

    `cosine`, `bm25` and `coverage` are None where that side did not find it; `ranks` are its
    places on each side, from 1 (`words`, `vector`); `evidence` holds what the similarity is the
    sum of (words, vector, speaker, identifier, run, time, feedback, rerank); `parts` are the
    weighted parts of the ranking formula, whose sum is `total`; `question` is the number of the
    question that it answers best, from 0; `reason` says why it was left out; `names` are the
    signatures of the calls that it warned of at that time; `number` is what it went by in the
    block, 0 where it was not shown.
    """

    memory_id: str
    kind: Kind
    content: str
    cosine: float | None = None
    bm25: float | None = None
    coverage: float | None = None
    ranks: dict[str, int] = Field(default_factory=dict[str, int])
    evidence: dict[str, float] = Field(default_factory=dict[str, float])
    similarity: float
    parts: dict[str, float]
    total: float
    rank: int
    question: int = 0
    shown: bool
    reason: str = ""
    names: tuple[str, ...] = ()
    number: int = 0


class RecallReport(Record):
    """One recall: the query, every candidate, and the exact text that was injected.

    `questions` are the parts of the query that were searched apart. `filters` are those asked for;
    `said` are the user's words, where a query was made of them and of what came before. `widened`
    says that the filters left nothing, so that the whole scope was searched. `thresholds` are
    what a candidate had to reach in one of `cosine`, `coverage` (share of the question's idf mass)
    and `follows` (share of what the best candidate adds); `threshold` is that of the cosine.
    `inspection`: somebody looked, so that it counts as no use of what was found.
    """

    recall_id: str
    run_id: str = ""
    scope: Scope
    at: Time
    query: str
    said: str = ""
    questions: tuple[str, ...] = ()
    filters: dict[str, str]
    widened: bool = False
    embedder: str
    threshold: float
    thresholds: dict[str, float] = Field(default_factory=dict[str, float])
    milliseconds: float
    candidates: tuple[CandidateReport, ...]
    injected: str = ""
    tokens: int = 0
    inspection: bool = False

    def summary(self) -> str:
        """Write what was asked, filtered and demanded, in a few lines."""
        filters = ", ".join(f"{name}={value}" for name, value in self.filters.items())
        thresholds = self.thresholds or {"cosine": self.threshold}
        lines = [
            *(f"question {number}: {one}" for number, one in enumerate(self.questions)),
            f"filters: {filters or 'none'}{' (left nothing: widened)' if self.widened else ''}",
            f"thresholds: {_listed(thresholds, '.2f')}",
            f"embedder {self.embedder or 'none'}, {self.milliseconds:.1f} ms",
            f"injected: {self.tokens} tokens",
        ]
        return "\n".join(lines)

    def as_text(self) -> str:
        """Write the report as text: what was asked, and a table of every candidate."""
        columns, rows = candidate_table(self)
        widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (columns, *rows)
        ]
        head = f"recall {self.recall_id} at {self.at:%Y-%m-%d %H:%M:%S}: {shorten(self.query, 200)}"
        return "\n".join((head, self.summary(), "", *lines))


_COLUMNS: Final = ("#", "result", "score", "made of", "similarity from", "found by", "memory")


def candidate_table(report: RecallReport) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the names of the columns, and a row of texts for each candidate, best first."""
    return _COLUMNS, [_row(candidate) for candidate in report.candidates]


def report_candidates(
    candidates: Sequence[Found], shown: Mapping[str, int]
) -> tuple[CandidateReport, ...]:
    """Return what is to be kept of each candidate; `shown` has numbers of the block."""
    return tuple(
        CandidateReport(
            memory_id=c.memory.id,
            kind=c.memory.kind,
            content=c.memory.content,
            cosine=c.cosine,
            bm25=c.bm25,
            coverage=c.coverage,
            ranks=c.ranks,
            evidence=c.parts,
            similarity=c.similarity,
            parts={
                "similarity": c.score.similarity,
                "recency": c.score.recency,
                "trust": c.score.trust,
                "references": c.score.references,
            },
            total=c.score.total,
            rank=rank,
            question=c.question,
            shown=c.memory.id in shown,
            names=_names(c.memory),
            number=shown.get(c.memory.id, 0),
            reason=c.why_not if not c.kept else "" if c.memory.id in shown else "over the budget",
        )
        for rank, c in enumerate(candidates, 1)
    )


def describe_filters(where: Where) -> dict[str, str]:
    """Return the filters that are set, as text."""
    named = ((field.name, getattr(where, field.name)) for field in fields(where))
    return {
        name: ",".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else str(value)
        for name, value in named
        if value not in ((), "", None, False)
    }


def _row(one: CandidateReport) -> tuple[str, ...]:
    found = {
        "words": (one.ranks.get("words"), _listed({"bm25": one.bm25, "coverage": one.coverage})),
        "vector": (one.ranks.get("vector"), _listed({"cosine": one.cosine})),
    }
    sides = [f"{side} {_place(rank)}{values}" for side, (rank, values) in found.items() if values]
    return (
        str(one.rank),
        "shown" if one.shown else one.reason,
        f"{one.total:.3f}",
        _listed(one.parts, ".3f"),
        _listed(one.evidence),
        "; ".join(sides),
        shorten(" ".join(one.content.split()), 120),
    )


def _place(rank: int | None) -> str:
    return f"#{rank} " if rank else ""


def _listed(values: Mapping[str, float | None], form: str = ".2f") -> str:
    return " ".join(f"{name} {one:{form}}" for name, one in values.items() if one is not None)


def _names(memory: Memory) -> tuple[str, ...]:
    return tuple(call.signature for call in memory.lesson.mistake.calls) if memory.lesson else ()
