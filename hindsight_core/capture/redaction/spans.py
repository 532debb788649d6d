"""Spans of a text that are to be redacted: joined, masked, and carried back to the original."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Finding", "Masked", "merge", "outside"]


class Finding(NamedTuple):
    """A part of a text that is to be redacted: its type, and where it starts and ends."""

    type: str
    start: int
    end: int


def outside(
    found: Iterable[Finding], zones: Sequence[Finding], *, touching: bool = False
) -> list[Finding]:
    """Leave out findings that lie within a zone or, if asked, touch one; zones are sorted."""
    if not zones:
        return list(found)
    starts = [zone.start for zone in zones]
    kept: list[Finding] = []
    for finding in found:
        zone = zones[max(0, bisect_left(starts, finding.end) - 1)]
        overlaps = finding.start < zone.end and zone.start < finding.end
        within = zone.start <= finding.start and finding.end <= zone.end
        if not (overlaps if touching else within):
            kept.append(finding)
    return kept


def merge(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings and join those that overlap; the type is that of the one that came first."""
    ranked = sorted(enumerate(found), key=lambda item: (item[1].start, -item[1].end, item[0]))
    merged: list[tuple[int, Finding]] = []
    for rank, finding in ranked:
        if finding.end <= finding.start:
            continue
        if merged and finding.start < merged[-1][1].end:
            rank_before, before = merged[-1]
            type_ = before.type if rank_before <= rank else finding.type
            joined = Finding(type_, before.start, max(before.end, finding.end))
            merged[-1] = (min(rank_before, rank), joined)
        else:
            merged.append((rank, finding))
    return tuple(finding for _, finding in merged)


class Masked:
    """A text in which findings are replaced by placeholders, and the way back to the original."""

    __slots__ = ("_ends", "_segments", "text")

    def __init__(self, original: str, found: Sequence[Finding]) -> None:
        """Mask findings, which must be sorted and must not overlap."""
        self._segments: list[tuple[int, int | Finding]] = []
        self._ends: list[int] = []
        parts: list[str] = []
        length = at = 0
        for finding in found:
            mask = f"[redacted:{finding.type}]"
            for part, origin in ((original[at : finding.start], at), (mask, finding)):
                self._segments.append((length, origin))
                parts.append(part)
                length += len(part)
                self._ends.append(length)
            at = finding.end
        parts.append(original[at:])
        self._segments.append((length, at))
        self._ends.append(length + len(original) - at)
        self.text = "".join(parts)

    def back(self, finding: Finding) -> Finding:
        """Carry a finding in the masked text to the original; a placeholder is taken as a whole."""
        first, origin = self._segments[bisect_right(self._ends, finding.start)]
        start = origin.start if isinstance(origin, Finding) else origin + finding.start - first
        first, origin = self._segments[bisect_left(self._ends, finding.end)]
        end = origin.end if isinstance(origin, Finding) else origin + finding.end - first
        return Finding(finding.type, start, end)
