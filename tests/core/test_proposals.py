"""What maintenance proposes with its evidence, and that nothing is done unless it is accepted."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from hindsight_core import (
    ConfigurationError,
    Hindsight,
    Kind,
    NotFoundError,
    Scope,
    Settings,
    Source,
    Status,
)
from hindsight_core.cli.app import app
from hindsight_core.maintenance import Ask, ProposalKind, find_patterns
from hindsight_core.schema import Evidence
from hindsight_core.testing.samples import NOW

ME = Scope(user="ana")
BY = "anna@example.org"


class Clock:
    def __init__(self):
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hs(tmp_path, clock):
    settings = Settings(maintenance=False, deadline=60.0)
    with Hindsight.open(
        str(tmp_path / "m.db"), embedder=None, settings=settings, clock=clock
    ) as opened:
        yield opened


def ask(hs, text, session, *, scope=ME):
    run = hs.run(scope, task=text, session=session)
    run.user(text)
    run.finish(ok=None)
    return run.run_id


def contradiction(hs, *, verified=0):
    """Two statements that were found to contradict each other, the first verified in runs."""
    pair = [
        hs.remember(ME, text, source=Source.USER)
        for text in ("The office is in Ghent", "The office is in Bruges")
    ]
    first, second = pair
    evidence = tuple(Evidence(run_id=f"r{n}") for n in range(verified))
    changed = [
        first.model_copy(
            update={
                "conflicts_with": (second.id,),
                "revision": 1,
                "verified_runs": verified,
                "evidence": evidence,
            }
        ),
        second.model_copy(update={"conflicts_with": (first.id,), "revision": 1}),
    ]
    hs.store.put(changed)
    return first.id, second.id


def dump(hs):
    return [memory.model_dump_json() for memory in hs.memories(ME)]


def test_a_contradiction_is_proposed_with_its_evidence_and_changes_nothing_by_itself(hs):
    first, second = contradiction(hs, verified=2)
    before = dump(hs)
    report = hs.maintain()
    assert (report.proposed, report.counts) == (1, {})
    assert dump(hs) == before
    (one,) = hs.proposals.open(ME)
    assert (one.kind, one.memory_ids) == (ProposalKind.CONTRADICTION, (first, second))
    assert one.reason == "verified in 2 runs against 0"
    assert [e.run_id for e in one.evidence] == ["r0", "r1"]
    assert hs.maintain().proposed == 0


def test_an_accepted_contradiction_archives_the_other_one(hs):
    first, second = contradiction(hs)
    hs.proposals.find()
    (one,) = hs.proposals.open(ME)
    assert one.memory_ids == (second, first), "the newer one where both are worth the same"
    changed = hs.proposals.accept(ME, one.id, by=BY, keep=first)
    assert (changed.id, changed.status) == (second, Status.ARCHIVED)
    assert hs.get(ME, first).status is Status.ACTIVE
    assert f"kept by {BY}" in changed.reasons[-1]
    assert hs.proposals.open(ME) == []
    (decided,) = hs.proposals.decided(ME)
    assert (decided.status, decided.by) == ("accepted", BY)
    assert any(e.action == "proposal: accepted" for e in hs.store.audit_log())
    assert hs.restore(ME, second).status is Status.ACTIVE


def test_what_was_refused_is_not_proposed_again(hs):
    contradiction(hs)
    hs.proposals.find()
    (one,) = hs.proposals.open(ME)
    before = dump(hs)
    hs.proposals.refuse(ME, one.id, by=BY, why="there are two offices")
    assert dump(hs) == before
    assert hs.proposals.find() == []
    assert hs.proposals.open(ME) == []
    with pytest.raises(NotFoundError):
        hs.proposals.accept(ME, one.id, by=BY)


def test_a_proposal_whose_memory_changed_meanwhile_is_no_longer_open(hs):
    first, _ = contradiction(hs)
    (one,) = hs.proposals.find()
    hs.forget(ME, first)
    assert hs.proposals.open(ME) == []
    with pytest.raises(NotFoundError):
        hs.proposals.accept(ME, one.id, by=BY)


def test_a_rule_that_nobody_came_near_for_long_is_proposed_for_forgetting(hs, clock):
    rule = hs.remember(ME, "Use tabs, not spaces", kind=Kind.PREFERENCE, source=Source.USER)
    clock.now += timedelta(days=59)
    assert hs.maintain().proposed == 0
    clock.now += timedelta(days=2)
    assert hs.maintain().proposed == 1
    (one,) = hs.proposals.open(ME)
    assert (one.kind, one.memory_ids) == (ProposalKind.STALE, (rule.id,))
    assert "61 days" in one.reason
    assert hs.get(ME, rule.id).status is Status.ACTIVE
    hs.proposals.accept(ME, one.id, by=BY)
    assert hs.get(ME, rule.id).status is Status.ARCHIVED


def test_a_stale_proposal_closes_itself_once_the_memory_is_used(hs, clock):
    rule = hs.remember(ME, "Use tabs, not spaces", kind=Kind.PREFERENCE, source=Source.USER)
    clock.now += timedelta(days=61)
    hs.maintain()
    assert len(hs.proposals.open(ME)) == 1
    hs.store.touch(ME, [rule.id], at=clock())
    assert hs.proposals.open(ME) == []


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (
            ["Export the sales figures of May", "Please export the sales figures of June"] * 2,
            "The user has asked for this in 4 sessions",
        ),
        (["导出五月的销售数据", "请导出六月的销售数据"] * 2, "用户已在 4 次会话中"),
        (["匯出五月的銷售資料", "請匯出六月的銷售資料"] * 2, "4 次会话"),
    ],
)
def test_what_was_asked_for_in_three_sessions_is_a_pattern(hs, texts, words):
    ids = [ask(hs, text, f"s{n}") for n, text in enumerate(texts)]
    assert hs.memories(ME) == []
    hs.maintain()
    (one,) = hs.proposals.open(ME)
    assert one.kind is ProposalKind.PATTERN
    assert [e.run_id for e in one.evidence] == ids
    assert hs.memories(ME) == []
    memory = hs.proposals.accept(ME, one.id, by=BY)
    assert words in memory.content
    assert (memory.status, memory.source) == (Status.ACTIVE, Source.AGENT)
    assert [m.id for m in hs.memories(ME)] == [memory.id]
    (decided,) = hs.proposals.decided(ME)
    assert decided.text == ""


def test_the_same_asked_often_in_one_session_or_by_others_is_no_pattern(hs):
    for n in range(4):
        ask(hs, "Export the sales figures", "one session")
        ask(hs, "Export the sales figures", f"s{n}", scope=Scope(user=f"u{n}"))
        ask(hs, "yes, go on", f"chat{n}")
    ask(hs, "Export the sales figures", "two")
    assert hs.proposals.find() == []


def test_sessions_that_were_summed_up_count_after_their_runs_are_gone(hs, clock):
    for n in range(3):
        ask(hs, "Export the sales figures", f"s{n}")
        hs.summarize(ME, f"s{n}")
        hs.flush()
        clock.now += timedelta(days=1)
        hs.store.prune_events(before=clock() + timedelta(days=1))
    kinds = [one.kind for one in hs.proposals.find()]
    assert kinds == [ProposalKind.PATTERN]


def test_another_user_neither_sees_nor_decides(hs):
    contradiction(hs)
    (one,) = hs.proposals.find()
    bob = Scope(user="bob")
    assert hs.proposals.open(bob) == []
    for decide in (hs.proposals.accept, hs.proposals.refuse):
        with pytest.raises(NotFoundError):
            decide(bob, one.id, by=BY)
    assert hs.proposals.scopes() == [ME]
    hs.forget(ME)
    assert hs.proposals.open(ME) == []
    assert hs.proposals.scopes() == []


@pytest.mark.parametrize("by", ["", "  ", None, "x" * 300])
def test_nobody_decides_without_a_name(hs, by):
    contradiction(hs)
    (one,) = hs.proposals.find()
    with pytest.raises(ConfigurationError, match="by"):
        hs.proposals.accept(ME, one.id, by=by)
    with pytest.raises(ConfigurationError, match="keep"):
        hs.proposals.accept(ME, one.id, by=BY, keep="none of them")
    assert len(hs.proposals.open(ME)) == 1


def test_the_order_in_which_runs_are_read_changes_no_pattern():
    asks = [
        Ask(text=f"Export the sales figures {n}", session=f"s{n}", run_id=f"r{n}", at=NOW)
        for n in range(4)
    ]
    (one,) = find_patterns(ME, asks, NOW)
    assert list(find_patterns(ME, asks[::-1], NOW)) == [one]


def test_the_command_line_lists_accepts_and_refuses(hs, clock):
    clock.now = datetime.now(UTC)  # the command line has no other
    first, second = contradiction(hs, verified=1)
    for n in range(3):
        ask(hs, "Export the sales figures", f"s{n}")

    def run(*args):
        words = ["proposals", *args, "--store", hs.url]
        return CliRunner().invoke(app, words, env={"COLUMNS": "240"})

    found = json.loads(run("find", "--json").stdout)
    assert {one["kind"] for one in found} == {"contradiction", "pattern"}
    listed = run("list", "-u", "ana").stdout
    for word in ("contradiction", "Ghent", "sales"):
        assert word in listed
    assert len(json.loads(run("list", "--everyone", "--json").stdout)) == 2
    ids = {one["kind"]: one["id"] for one in found}
    done = run("refuse", ids["pattern"], "--by", BY, "-u", "ana")
    assert done.exit_code == 0, done.output
    done = run("accept", ids["contradiction"], "--by", BY, "-u", "ana", "--json")
    assert json.loads(done.stdout)["id"] == second
    assert hs.get(ME, first).status is Status.ACTIVE
    assert json.loads(run("list", "-u", "ana", "--json").stdout) == []
