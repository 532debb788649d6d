"""Two-stage recall of lessons: a hard key first, then the words of the situation.

First the key: the task's type, and the tools. A lesson of another type of task, or about a tool
that the run does not have, is out. Then the likeness: `0.7 * context + 0.3 * tool sequence`. At
most three are returned, and none below 0.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight_core.ports import Embedder, IndexInfo, Store, Where
from hindsight_core.recall.asked import questions
from hindsight_core.schema import Kind, Memory, Scope
from hindsight_core.text import keywords

__all__ = [
    "MOST_LESSONS",
    "THRESHOLD",
    "TOOLS_WEIGHT",
    "LessonKey",
    "LessonMatch",
    "find_lessons",
    "match_lesson",
]

TOOLS_WEIGHT: Final = 0.3
"""The weight of the tool sequence; the context has the rest."""
THRESHOLD: Final = 0.6
MOST_LESSONS: Final = 3
_POOL: Final = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class LessonKey:
    """The hard key of a run: what is empty is not known, and filters nothing.

    `tools` are those at hand, `called` those that were called or are planned, in their order.
    """

    task_type: str | None = None
    tools: frozenset[str] = frozenset()
    called: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.task_type or self.tools or self.called)

    def fits(self, memory: Memory) -> bool:
        """Whether a lesson may be about this run at all; one that names no type is about any."""
        lesson = memory.lesson
        if lesson is None:
            return False
        own = lesson.trigger.task_type
        if self.task_type and own and own != self.task_type:
            return False
        known = self.tools | set(self.called)
        return not known or not lesson.trigger.tool_sequence or _tool_of(memory) in known


@dataclass(frozen=True, kw_only=True, slots=True)
class LessonMatch:
    """A lesson and how well it fits: both parts are 0 to 1, `tools` None where nothing is known."""

    memory: Memory
    context: float
    tools: float | None

    @property
    def score(self) -> float:
        """The weighted sum, or the context alone where no tool is known."""
        if self.tools is None:
            return self.context
        return (1 - TOOLS_WEIGHT) * self.context + TOOLS_WEIGHT * self.tools


def find_lessons(
    store: Store,
    scope: Scope,
    text: str,
    key: LessonKey,
    *,
    embedder: Embedder | None = None,
    limit: int = MOST_LESSONS,
    threshold: float = THRESHOLD,
) -> list[LessonMatch]:
    """Return the lessons of a scope that fit a task, best first; none where all are below."""
    words = keywords(text)
    if not words:
        return []
    where = Where(kinds=(Kind.LESSON,))
    if not store.select(scope, where, limit=1):
        return []
    ids = [hit.id for hit in store.match_text(scope, where, words, _POOL)]
    cosines: dict[str, float] = {}
    if embedder is not None:
        # The first question's vector is at hand from the search before; another would be encoded.
        vector = embedder.query(questions(text)[0].text)
        cosines = {hit.id: hit.score for hit in store.nearest(scope, where, vector, _POOL)}
        cosines |= store.cosines(scope, [one for one in ids if one not in cosines], vector)
    info = embedder.info if embedder is not None else None
    known = store.get(scope, list(dict.fromkeys((*ids, *cosines))))
    matches = [
        match_lesson(memory, words, key, cosine=cosines.get(memory.id), info=info)
        for memory in known
        if key.fits(memory)
    ]
    fit = [match for match in matches if match.score >= threshold]
    return sorted(fit, key=lambda match: -match.score)[:limit]


def match_lesson(
    memory: Memory,
    words: Sequence[str],
    key: LessonKey,
    *,
    cosine: float | None = None,
    info: IndexInfo | None = None,
) -> LessonMatch:
    """Compare a lesson with a task whose keywords are `words`.

    The context is the larger of what the keywords have in common (Dice, `2|A & B| / (|A| + |B|)`)
    and of the cosine on the embedder's own scale: 0.5 at its relevance threshold, 1 where it takes
    two texts to be about the same.
    """
    lesson = memory.lesson
    own = lesson.trigger.context_keywords if lesson else ()
    context = _dice(words, own or keywords(memory.query))
    if cosine is not None and info is not None:
        context = max(context, _on_scale(cosine, info))
    return LessonMatch(memory=memory, context=context, tools=_tools(memory, key))


def _tools(memory: Memory, key: LessonKey) -> float | None:
    """How much of a lesson's tool sequence a run has, in its order where that is known."""
    own = memory.lesson.trigger.tool_sequence if memory.lesson else ()
    if not own or not (key.called or key.tools):
        return None
    if key.called:
        return _common_subsequence(own, key.called) / len(own)
    return sum(tool in key.tools for tool in own) / len(own)


def _tool_of(memory: Memory) -> str:
    """The tool that a lesson is about: the first of its sequence."""
    return memory.lesson.trigger.tool_sequence[0] if memory.lesson else ""


def _dice(one: Iterable[str], other: Iterable[str]) -> float:
    a, b = set(one), set(other)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def _on_scale(cosine: float, info: IndexInfo) -> float:
    low, high = info.relevance, info.same_subject
    if cosine < low or high <= low:
        return max(0.0, 0.5 * cosine / low) if low > 0 else 0.0
    return min(1.0, 0.5 + 0.5 * (cosine - low) / (high - low))


def _common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for a in one:
        before = 0
        for place, b in enumerate(other, 1):
            before, row[place] = (
                row[place],
                (before + 1 if a == b else max(row[place], row[place - 1])),
            )
    return row[-1]
