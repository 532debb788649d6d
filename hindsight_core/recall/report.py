"""What a recall did, as data that can be kept and explained later."""

from __future__ import annotations

from hindsight_core.schema import Kind, Record, Scope, Time

__all__ = ["CandidateReport", "RecallReport"]


class CandidateReport(Record):
    """One memory that a recall looked at.

    `cosine`, `bm25` and `coverage` are None where that side did not find it; `parts` are the
    weighted parts of the ranking formula, whose sum is `total`; `reason` says why it was left out;
    `names` are the signatures of the calls that it warned of at that time.
    """

    memory_id: str
    kind: Kind
    content: str
    cosine: float | None = None
    bm25: float | None = None
    coverage: float | None = None
    similarity: float
    parts: dict[str, float]
    total: float
    rank: int
    shown: bool
    reason: str = ""
    names: tuple[str, ...] = ()


class RecallReport(Record):
    """One recall: the query, every candidate, and the exact text that was injected."""

    recall_id: str
    run_id: str = ""
    scope: Scope
    at: Time
    query: str
    filters: dict[str, str]
    embedder: str
    threshold: float
    milliseconds: float
    candidates: tuple[CandidateReport, ...]
    injected: str = ""
    tokens: int = 0
