"""From checked cards to lessons: guarded like any candidate, merged with the lessons that stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hindsight_core.engine.core import Core
from hindsight_core.engine.encoding import Encoder
from hindsight_core.engine.intake import Intake
from hindsight_core.guard import same_polarity
from hindsight_core.ports import Where
from hindsight_core.reflect import merge_alike, merge_card
from hindsight_core.schema import Candidate, Kind, Memory, Source, Status

__all__ = ["Carding"]

_ALIKE: Final = 0.9
"""Cosine from which two lessons of the same key and polarity are one."""
_NEAREST: Final = 5


class Carding:
    """Makes lessons of cards for one open `Hindsight`."""

    def __init__(self, core: Core, encoder: Encoder, intake: Intake) -> None:
        self._core = core
        self._encoder = encoder
        self._intake = intake

    def lessons(self, cards: Sequence[Candidate]) -> list[Memory]:
        """The lessons to store: new ones, and standing ones that a card adds to."""
        changed: dict[str, Memory] = {}
        for card in cards:
            memory = self._intake.admit(card, actor="reflection")
            if memory is None:
                continue
            # A model's words rest on what tools said, and raise the trust in that by nothing.
            trust = min(memory.trust, Source.TOOL.trust)
            memory = memory.model_copy(update={"trust": trust})
            old, merged = None, None
            if memory.status is Status.ACTIVE:  # what is held back is joined to nothing
                old, merged = self._merged(card, changed)
            if old is None or merged is None:
                changed[memory.id] = memory
            elif merged != old:
                changed[merged.id] = self._revised(merged, old, changed)
        return list(changed.values())

    def stored(self, memories: Sequence[Memory]) -> None:
        """Have new lessons encoded, and the gate look again."""
        if memories:
            self._core.generation += 1
            self._encoder.wake([memory for memory in memories if memory.revision == 0])

    def _merged(
        self, card: Candidate, changed: dict[str, Memory]
    ) -> tuple[Memory | None, Memory | None]:
        for old in self._about_the_same_call(card, changed):
            return old, merge_card(old, card)
        for old in self._alike(card, changed):
            return old, merge_alike(old, card)
        return None, None

    def _about_the_same_call(self, card: Candidate, changed: dict[str, Memory]) -> Iterator[Memory]:
        wanted: set[str] = set()
        if card.lesson is not None:
            wanted = {call.signature for call in card.lesson.mistake.calls}
        store = self._core.store
        ids = {
            stats.memory_id: None
            for signature in wanted
            for stats in store.call_stats(card.scope, signature=signature)
            if stats.memory_id
        }
        standing = [
            *changed.values(),
            *store.find(card.scope, [card.dedupe_key]),
            *store.get(card.scope, list(ids)),
        ]
        for memory in (changed.get(memory.id, memory) for memory in standing):
            calls = memory.lesson.mistake.calls if memory.lesson else ()
            same = memory.scope == card.scope and any(c.signature in wanted for c in calls)
            if same and memory.status in (Status.ACTIVE, Status.ARCHIVED):
                yield memory

    def _alike(self, card: Candidate, changed: dict[str, Memory]) -> Iterator[Memory]:
        """Lessons of the same key that say nearly the same; none where there is no embedder."""
        embedder = self._encoder.fitting()
        if embedder is None:
            return
        where = Where(
            kinds=(Kind.LESSON,),
            subject=card.key.subject,
            task_type=card.key.task_type,
            tool_sequence=card.key.tool_sequence,
        )
        text = f"{card.query}\n{card.value.content}" if card.query else card.value.content
        vector = embedder.passages([text])[0]
        hits = self._core.store.nearest(card.scope, where, vector, _NEAREST)
        close = [hit.id for hit in hits if hit.score > _ALIKE]
        for memory in self._core.store.get(card.scope, close):
            same_key = memory.key.tool_sequence == card.key.tool_sequence
            if same_key and same_polarity(memory.content, card.value.content):
                yield changed.get(memory.id, memory)

    def _revised(self, new: Memory, old: Memory, changed: dict[str, Memory]) -> Memory:
        """Count the change once, however many cards of this batch add to the lesson."""
        step = 0 if old.id in changed else 1
        return new.model_copy(
            update={
                "revision": old.revision + step,
                "updated_at": self._core.clock(),
                "verified_runs": len({one.run_id for one in new.evidence}),
            }
        )
