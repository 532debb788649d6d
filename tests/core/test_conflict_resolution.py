"""What becomes of a new memory that is related to those that stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_core.guard.conflict_resolution import MAX_EVIDENCE, Action, Related, resolve
from hindsight_core.guard.conflicts import Label, Relation
from hindsight_core.schema import (
    Evidence,
    Kind,
    Memory,
    MemoryKey,
    MemoryValue,
    Preference,
    Scope,
    Source,
    Status,
)

NOW = datetime(2031, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def memory(memory_id: str, **fields: Any) -> Memory:
    source = fields.pop("source", Source.USER)
    values = {
        "scope": Scope(user="ana"),
        "kind": Kind.PREFERENCE,
        "source": source,
        "trust": source.trust,
        "value": MemoryValue(content=memory_id),
        "created_at": NOW,
        "updated_at": NOW,
        **fields,
    }
    return Memory(id=memory_id, **values)


def related(old: Memory, label: Label, *, change: bool = False) -> Related:
    scores = {name: float(name is label) for name in Label}
    relation = Relation(
        label=label, score=1.0, scores=scores, sameness=1.0, reasons=("said",), change=change
    )
    return Related(memory=old, relation=relation)


def proof(run: str) -> Evidence:
    return Evidence(run_id=run)


def test_a_duplicate_adds_its_evidence_and_nothing_else() -> None:
    old = memory("old", evidence=(proof("r1"),))
    new = memory("new", evidence=(proof("r1"), proof("r2")))
    result = resolve(new, [related(old, Label.DUPLICATE)], now=LATER)
    assert result.new is None
    assert result.merged_into == "old"
    (merged,) = result.puts
    assert merged.evidence == (proof("r1"), proof("r2"))
    assert merged == old.model_copy(
        update={"evidence": merged.evidence, "updated_at": LATER, "revision": old.revision + 1}
    )


@settings(deadline=None)
@given(st.integers(1, 60), st.sampled_from(Source))
def test_repetition_never_raises_trust_and_keeps_evidence_bounded(
    times: int, source: Source
) -> None:
    old = memory("old", source=source)
    for run in range(times):
        new = memory("new", source=source, evidence=(proof(str(run)),))
        (changed,) = resolve(new, [related(old, Label.DUPLICATE)], now=LATER).puts
        assert changed.trust == old.trust
        old = changed
    assert len(old.evidence) == min(times, MAX_EVIDENCE)


def test_what_the_user_repeats_of_a_tool_replaces_the_tools_word() -> None:
    old = memory("old", source=Source.TOOL, evidence=(proof("r1"),))
    new = memory("new", evidence=(proof("r2"),))
    result = resolve(new, [related(old, Label.DUPLICATE)], now=LATER)
    assert result.new is not None
    assert result.new.trust == Source.USER.trust
    assert result.new.supersedes == ("old",)
    assert result.new.evidence == (proof("r1"), proof("r2"))
    assert result.updated[0].superseded_by == "new"


def test_what_a_tool_repeats_of_the_user_is_merged_into_the_users_word() -> None:
    new = memory("new", source=Source.TOOL, evidence=(proof("r2"),))
    result = resolve(new, [related(memory("old"), Label.DUPLICATE)], now=LATER)
    assert result.new is None
    assert result.puts[0].source is Source.USER


def test_two_that_contradict_both_stay_and_name_each_other() -> None:
    old = memory("old")
    result = resolve(memory("new"), [related(old, Label.CONTRADICTION)], now=LATER)
    assert result.new is not None
    assert result.new.conflicts_with == ("old",)
    assert result.updated[0].conflicts_with == ("new",)
    assert result.updated[0].superseded_by is None
    assert result.updated[0].status is Status.ACTIVE


def test_one_slot_alone_puts_no_statement_of_the_same_user_away() -> None:
    slot = Preference(slot="language")
    result = resolve(
        memory("new", preference=slot),
        [related(memory("old", preference=slot), Label.CONTRADICTION)],
        now=LATER,
    )
    assert result.new is not None
    assert result.new.conflicts_with == ("old",)
    assert result.updated[0].superseded_by is None


def test_a_slot_that_capture_names_as_corrected_supersedes() -> None:
    old = memory("old", key=MemoryKey(subject="language"))
    result = resolve(
        memory("new"), [related(old, Label.CONTRADICTION)], now=LATER, supersedes_slot="language"
    )
    assert result.steps[0].action is Action.SUPERSEDE


def test_a_user_who_says_that_something_changed_corrects_himself() -> None:
    result = resolve(
        memory("new"), [related(memory("old"), Label.CONTRADICTION, change=True)], now=LATER
    )
    assert result.steps[0].action is Action.SUPERSEDE


def test_a_tool_or_an_agent_cannot_correct_the_user() -> None:
    slot = Preference(slot="language")
    for source in (Source.TOOL, Source.AGENT):
        new = memory("new", source=source, preference=slot)
        old = memory("old", preference=slot)
        result = resolve(
            new,
            [related(old, Label.CONTRADICTION, change=True)],
            now=LATER,
            supersedes_slot="language",
        )
        assert result.steps[0].action is Action.CONFLICT
        assert result.updated[0].superseded_by is None


def test_a_user_cannot_correct_the_operator() -> None:
    old = memory("old", source=Source.OPERATOR)
    result = resolve(memory("new"), [related(old, Label.CONTRADICTION, change=True)], now=LATER)
    assert result.steps[0].action is Action.CONFLICT


def test_a_refinement_names_what_it_refines_and_changes_nothing_else() -> None:
    result = resolve(memory("new"), [related(memory("old"), Label.REFINEMENT)], now=LATER)
    assert result.new is not None
    assert result.new.refines == ("old",)
    assert result.updated == ()


def test_memories_of_another_owner_are_never_changed() -> None:
    theirs = memory("theirs", scope=Scope(user="bo"))
    for label in Label:
        result = resolve(memory("new"), [related(theirs, label, change=True)], now=LATER)
        assert result.updated == ()
        assert result.new is not None


def test_inactive_and_superseded_memories_are_passed_over() -> None:
    gone = [
        memory("a", status=Status.QUARANTINED),
        memory("b", status=Status.ARCHIVED),
        memory("c", superseded_by="d"),
    ]
    result = resolve(memory("new"), [related(m, Label.CONTRADICTION) for m in gone], now=LATER)
    assert result.new == memory("new")
    assert result.steps == ()


def test_one_new_memory_may_conflict_with_one_and_refine_another() -> None:
    result = resolve(
        memory("new"),
        [
            related(memory("x"), Label.CONTRADICTION),
            related(memory("y"), Label.REFINEMENT),
            related(memory("z"), Label.UNRELATED),
        ],
        now=LATER,
    )
    assert result.new is not None
    assert result.new.conflicts_with == ("x",)
    assert result.new.refines == ("y",)
    assert [step.action for step in result.steps] == [Action.CONFLICT, Action.LINK, Action.NONE]
    assert [m.id for m in result.puts] == ["x", "new"]
