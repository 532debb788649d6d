"""Relates what was just stored to what stands: merged, superseded, linked, or kept as a conflict.

Runs in the worker, off everybody's path. Candidates are those that the embedder finds to be on the
same subject (or, without one, that share enough words) and those of the same slot; what they are to
each other is read from the texts, or said by a judge where one is given.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from hindsight_core.capture import (
    PreferenceFinding,
    hold_apart,
    read_preference,
    replaces,
    stands_beside,
)
from hindsight_core.engine.core import Core
from hindsight_core.engine.optimistic import repeat_while_stale
from hindsight_core.errors import StaleError
from hindsight_core.guard import (
    Action,
    Label,
    Related,
    Relation,
    Resolution,
    relate,
    resolve,
    same_polarity,
)
from hindsight_core.ports import AuditEntry, Where
from hindsight_core.recall import shipped_synonyms
from hindsight_core.schema import Kind, Memory, Source, Status
from hindsight_core.text import fold, terms

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = ["RELATABLE", "Relater", "is_correction", "is_replaced"]

RELATABLE: Final = (Kind.PREFERENCE, Kind.FACT)
"""Kinds that are statements; lessons and paths are joined by the calls that they are about."""
_WHERE: Final = Where(kinds=RELATABLE)
_NEAREST: Final = 5
_SAME_SLOT: Final = 10
_SHARED: Final = 0.4
"""Share of the shorter text's terms that both must have where words alone choose candidates."""
_REPEAT: Final = 0.95
"""Cosine from which a text of the same polarity is taken for a repetition."""
_SURE: Final = {Label.DUPLICATE: 1.0, Label.CONTRADICTION: 0.8, Label.REFINEMENT: 0.8}
"""Probability that a label needs before anything is done about it.

Nearly all pairs of a real store are merely alike, so what is likely among hard pairs is rare here:
a duplicate of other words is left alone unless a judge says so, since a merged memory is not shown.
"""
_SURE_OF_ONE_THING: Final = 0.5
"""The same for a contradiction about one slot, or of texts that differ in one place alone."""
_TOKEN: Final = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9]+(?:[.:/-][A-Za-z0-9]+)*")
_MAX_COMPARED: Final = 200
_MAX_TERMS: Final = 48
_PERSONS: Final = (Source.USER, Source.OPERATOR)


class Relater:
    """Relates new memories for one open `Hindsight`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def relate(self, memory: Memory, vector: Matrix | None) -> None:
        """Do what follows from a new memory; `vector` is its own, None where words alone decide.

        What somebody else is changing at the same time is left as it is: keep both, lose none.
        """
        with suppress(StaleError):
            repeat_while_stale(lambda: self._relate(memory.id, memory, vector))

    def _relate(self, memory_id: str, known: Memory, vector: Matrix | None) -> None:
        store = self._core.store
        found = store.get(known.scope, [memory_id])
        if not found or not _stands(found[0]):
            return
        memory = found[0]
        related = [
            Related(memory=old, relation=self._relation(old, memory, cosine))
            for old, cosine in self._candidates(memory, vector)
        ]
        related = [one for one in related if one.relation.label is not Label.UNRELATED]
        if not related:
            return
        resolution = resolve(memory, related, now=self._core.clock())
        if resolution.new is None:
            self._merge(memory, resolution)
        else:
            changed = resolution.new.model_copy(update={"revision": memory.revision + 1})
            if resolution.updated or resolution.new != memory:
                store.put([*resolution.updated, changed])
        self._audit(memory, resolution)

    def _merge(self, memory: Memory, resolution: Resolution) -> None:
        """Put the memory's evidence where it was known already; a mere repetition is not kept."""
        store = self._core.store
        target = resolution.updated[0]
        if _repeats(target, memory):
            store.put(resolution.updated)
            store.delete(memory.scope, [memory.id], wipe=False)  # the same text stays
            return
        update = {"superseded_by": target.id, "revision": memory.revision + 1}
        store.put([*resolution.updated, memory.model_copy(update=update)])

    def _candidates(
        self, memory: Memory, vector: Matrix | None
    ) -> list[tuple[Memory, float | None]]:
        """Older memories that may be about the same, each with its cosine where there is one."""
        store, scope = self._core.store, memory.scope
        alike: dict[str, float | None] = {}
        embedder = self._core.embedder
        if vector is None or embedder is None:
            words = terms(memory.content)[:_MAX_TERMS]
            hits = store.match_text(scope, _WHERE, words, _NEAREST + 1)
            alike = {hit.id: None for hit in hits}
        else:
            near = store.nearest(scope, _WHERE, vector, _NEAREST + 1)
            alike = {hit.id: hit.score for hit in near if hit.score >= embedder.info.same_subject}
        if memory.key.subject:
            where = replace(_WHERE, kinds=(memory.kind,), subject=memory.key.subject)
            slot = [m.id for m in store.select(scope, where, limit=_SAME_SLOT)]
            alike |= {id_: None for id_ in slot if id_ not in alike}
        alike.pop(memory.id, None)
        older = self._core.seal.intact(store.get(scope, list(alike)), store)
        return [
            (old, alike[old.id])
            for old in older
            if _precedes(old, memory)
            and (alike[old.id] is not None or _on_one_subject(old, memory))
        ]

    def _relation(self, old: Memory, new: Memory, cosine: float | None) -> Relation:
        if fold(old.content) == fold(new.content):
            return _certain(Label.DUPLICATE, "says the same")
        if is_replaced(old, new):
            return _certain(Label.CONTRADICTION, "the user's newer word", change=True)
        if _holds_apart(old, new):
            return _certain(Label.UNRELATED, "holds for something else")
        relation = relate(old.content, new.content, similarity=cosine, judge=self._judge)
        pair = _statements(old, new)
        if relation.change and pair is not None and stands_beside(*pair):
            relation = replace(relation, change=False)
        sure = _SURE.get(relation.label, 0.0)
        if relation.label is Label.DUPLICATE and cosine is not None and cosine >= _REPEAT:
            sure = 0.0 if same_polarity(old.content, new.content) else sure
        elif relation.label is Label.CONTRADICTION and _about_one_thing(old, new):
            sure = _SURE_OF_ONE_THING
        return relation if relation.score >= sure else replace(relation, label=Label.UNRELATED)

    def _judge(self, a: str, b: str) -> Label | None:
        """Ask the judge that was given, if one was; without an answer the texts decide."""
        judge = self._core.judge
        if judge is None:
            return None
        with self._core.failsafe.guard("judge"):
            return judge(a, b)
        return None

    def _audit(self, memory: Memory, resolution: Resolution) -> None:
        for step in resolution.steps:
            if step.action is not Action.NONE:
                entry = AuditEntry(
                    at=self._core.clock(),
                    actor="guard",
                    action=step.action.value,
                    subject=memory.id,
                    detail=f"{step.memory_id}: {', '.join(step.reasons)}",
                )
                self._core.store.audit(entry)


def is_correction(memory: Memory) -> bool:
    """Whether a person's statement says that something said before holds no more."""
    if memory.source not in _PERSONS:
        return False
    finding = read_preference(memory.content)
    return finding is not None and finding.is_correction


def is_replaced(old: Memory, new: Memory) -> bool:
    """Whether a person's newer statement takes the place of his older one; see `replaces`."""
    pair = _statements(old, new)
    return pair is not None and replaces(*pair, spellings=shipped_synonyms().spellings)


def _holds_apart(old: Memory, new: Memory) -> bool:
    pair = _statements(old, new)
    return pair is not None and pair[0].slot == pair[1].slot and hold_apart(*pair)


def _statements(old: Memory, new: Memory) -> tuple[PreferenceFinding, PreferenceFinding] | None:
    """What the newer and the older say, if both are statements of one person."""
    if not (
        old.kind is new.kind
        and new.kind in RELATABLE
        and old.scope == new.scope
        and old.source is new.source
        and new.source in _PERSONS
    ):
        return None
    newer, older = read_preference(new.content), read_preference(old.content)
    return None if newer is None or older is None else (newer, older)


def _certain(label: Label, reason: str, *, change: bool = False) -> Relation:
    scores = {one: float(one is label) for one in Label}
    return Relation(
        label=label, score=1.0, scores=scores, sameness=1.0, reasons=(reason,), change=change
    )


def _stands(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and memory.superseded_by is None


def _precedes(old: Memory, new: Memory) -> bool:
    """Whether `old` came first and may speak of the same: said by the same person, if by any."""
    speakers = {old.context.speaker, new.context.speaker} - {""}
    return (
        _stands(old) and (old.created_at, old.id) < (new.created_at, new.id) and len(speakers) <= 1
    )


def _on_one_subject(one: Memory, other: Memory) -> bool:
    if one.key.subject and one.key.subject == other.key.subject:
        return True
    first, second = set(terms(one.content)), set(terms(other.content))
    return len(first & second) >= _SHARED * max(1, min(len(first), len(second)))


def _about_one_thing(one: Memory, other: Memory) -> bool:
    """Whether both are about one slot, or say the same but for one place: "port 5433", "port 6000".

    "City 4 opens at 4" and "city 5 opens at 5" differ in two, as things of one kind do.
    """
    if one.key.subject and other.key.subject:
        return one.key.subject == other.key.subject
    first, second = (_TOKEN.findall(fold(m.content))[:_MAX_COMPARED] for m in (one, other))
    steps = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    return sum(step[0] != "equal" for step in steps) == 1 and any(s[0] == "equal" for s in steps)


def _repeats(target: Memory, memory: Memory) -> bool:
    return fold(target.content) == fold(memory.content)
