"""Memories, events and vectors to test with, and hypothesis strategies that draw them.

Needs hypothesis: `pip install hypothesis`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from hindsight_core.events import UserSaid
from hindsight_core.ports import CallRecord
from hindsight_core.schema import (
    Context,
    Evidence,
    Kind,
    Memory,
    MemoryKey,
    MemoryValue,
    Scope,
    Source,
    Status,
    Tier,
)

if TYPE_CHECKING:
    from hindsight_core.ports import Matrix

__all__ = [
    "NOW",
    "ODD_TEXTS",
    "make_call_record",
    "make_memory",
    "make_said",
    "memories",
    "scopes",
    "storable_texts",
    "unit_vector",
]

NOW: Final = datetime(2026, 3, 14, 15, 9, 26, 535897, tzinfo=UTC)
ODD_TEXTS: Final = (
    "退款政策是三十天，请先查订单。",
    "請幫我把會議改到下週二",
    "naïve café, Straße, ﬁne",
    "👩🏽‍💻 ships 🚀 on fridays",
    "שלום עולם / مرحبا بالعالم",
    "a 'quoted' \"text\"; DROP TABLE memories; -- %s ? :x {y} \\",
    "tab\tnewline\r\nbell\x07 nul\x00 end",
    'AND OR NOT NEAR("x" * ^y) col:z',
    "𞤀𞤣𞤤𞤢𞤥 𠀀𠀁 Ω≈ç√",
    "ｆｕｌｌ　ｗｉｄｔｈ １２３",
)


def make_memory(
    memory_id: str,
    content: str = "something to remember",
    scope: Scope | None = None,
    **fields: Any,
) -> Memory:
    """Return a memory; a key's field (`subject`, `entities`, ...) may be named directly."""
    key = {name: fields.pop(name) for name in tuple(fields) if name in MemoryKey.model_fields}
    made: dict[str, Any] = {
        "kind": Kind.FACT,
        "source": Source.USER,
        "trust": 0.9,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Memory(
        id=memory_id,
        scope=scope or Scope(user="ada"),
        value=MemoryValue(content=content),
        key=MemoryKey(**key),
        **(made | fields),
    )


def make_said(key: str, run_id: str = "run", scope: Scope | None = None, **fields: Any) -> UserSaid:
    """Return an event: a user said something."""
    made: dict[str, Any] = {"at": NOW, "text": f"said under {key}"}
    return UserSaid(run_id=run_id, scope=scope or Scope(user="ada"), key=key, **(made | fields))


def make_call_record(
    key: str, *, ok: bool, scope: Scope | None = None, minutes: int = 0, **fields: Any
) -> CallRecord:
    """Return a judged call, `minutes` after `NOW`."""
    made: dict[str, Any] = {
        "signature": "signature",
        "shape": "shape",
        "situation": "situation",
        "tool": "tool",
        "run_id": "run",
        "at": NOW + timedelta(minutes=minutes),
        "error_class": "" if ok else "validation",
    }
    return CallRecord(scope=scope or Scope(user="ada"), key=key, ok=ok, **(made | fields))


def unit_vector(seed: int, dimension: int = 8) -> Matrix:
    """Return a unit vector (float32) that a number stands for; needs numpy."""
    import numpy as np

    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def storable_texts(max_size: int = 60) -> st.SearchStrategy[str]:
    """Draw texts of every script, without lone surrogates, that are not blank."""
    drawn = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=max_size)
    return st.one_of(st.sampled_from(ODD_TEXTS), drawn).filter(lambda text: bool(text.strip()))


_NAMES: Final = ("ada", "bob", "ADA", "ada ", "'; --", "用户")


def scopes(tenant: str) -> st.SearchStrategy[Scope]:
    """Draw scopes of one tenant from few names, so that they often are near each other."""
    part = st.one_of(st.none(), st.sampled_from(("a", "b")))
    return st.builds(
        Scope, user=st.sampled_from(_NAMES), tenant=st.just(tenant), agent=part, session=part
    )


def memories(memory_id: str, scope: Scope) -> st.SearchStrategy[Memory]:
    """Draw memories whose every field may hold what it is allowed to."""
    text = storable_texts()
    times = st.integers(-(10**6), 10**6).map(lambda hours: NOW + timedelta(hours=hours))
    words = st.lists(text, max_size=3).map(tuple)
    return st.builds(
        Memory,
        id=st.just(memory_id),
        scope=st.just(scope),
        kind=st.sampled_from(Kind),
        tier=st.sampled_from((Tier.SHORT, Tier.LONG)),
        status=st.sampled_from(Status),
        source=st.sampled_from(Source),
        trust=st.floats(0, 1),
        key=st.builds(
            MemoryKey,
            subject=text,
            entities=words,
            task_type=st.none() | text,
            tool_sequence=words,
            time=st.none() | times,
        ),
        query=text,
        value=st.builds(MemoryValue, content=text, intent=text, resolution=text, correction=text),
        context=st.builds(Context, speaker=text, said_at=st.none() | times, before=text),
        revision=st.integers(0, 9),
        created_at=times,
        updated_at=times,
        last_referenced_at=st.none() | times,
        expires_at=st.none() | times,
        references=st.integers(0, 99),
        hits=st.integers(0, 99),
        evidence=st.lists(st.builds(Evidence, run_id=text, note=text), max_size=2).map(tuple),
        superseded_by=st.none() | text,
        reasons=words,
        signature=text,
    )
