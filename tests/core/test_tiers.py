"""Working memory ends with its run; short-term memory lasts if it is of use again."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_core import Hindsight, Kind, Scope, Settings, Source, Status, Tier

ME = Scope(user="ana")


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


def short(hs, text="The export of the sales figures is in the folder out", **more):
    return hs.remember(ME, text, **({"source": Source.AGENT, "tier": Tier.SHORT} | more))


def ask(hs, session):
    run = hs.run(ME, task="Where is the export of the sales figures?", session=session)
    block = run.context()
    run.finish(ok=None)
    return block


def test_working_memory_is_seen_in_its_run_and_gone_after_it(hs):
    run = hs.run(ME, task="Sort the mail")
    run.user("Sort the mail")
    note = hs.remember(ME, "Half of the mail is sorted", tier=Tier.WORKING)
    assert note.id in [m.id for m in hs.recall(ME, "is the mail sorted?").memories]
    run.finish(ok=True)
    assert hs.memories(ME) == []
    assert hs.recall(ME, "is the mail sorted?").memories == ()


def test_working_memory_waits_for_the_last_run_that_was_there_before_it(hs):
    first, second = (hs.run(ME, task=f"Sort the mail {n}", session=f"s{n}") for n in (1, 2))
    for run in (first, second):
        run.user("Sort the mail")
    note = hs.remember(ME, "Half of the mail is sorted", tier=Tier.WORKING)
    first.finish(ok=True)
    assert [m.id for m in hs.memories(ME)] == [note.id]
    second.finish(ok=True)
    assert hs.memories(ME) == []


def test_working_memory_of_a_process_that_died_is_over_after_a_day_and_then_deleted(hs, clock):
    hs.remember(ME, "Half of the mail is sorted", tier=Tier.WORKING)
    clock.now += timedelta(days=1, minutes=1)
    assert hs.recall(ME, "is the mail sorted?").memories == ()
    assert hs.maintain().counts == {"delete": 1}
    assert hs.memories(ME) == []


def test_what_was_used_again_in_another_session_becomes_long_term(hs, clock):
    memory = short(hs)
    assert memory.id in ask(hs, "tuesday").memory_ids
    assert hs.maintain().counts == {"promote": 1}
    clock.now += timedelta(days=60)
    assert hs.maintain().counts == {}
    assert hs.get(ME, memory.id).tier is Tier.LONG


def test_a_session_that_uses_its_own_summary_makes_it_no_longer_lived(hs, clock):
    run = hs.run(ME, task="Export the sales figures", session="monday")
    run.user("Export the sales figures")
    run.finish(ok=True)
    memory = hs.summarize(ME, "monday")
    assert memory.id in ask(hs, "monday").memory_ids
    assert hs.maintain().counts == {}
    assert memory.id in ask(hs, "tuesday").memory_ids
    assert hs.maintain().counts == {"promote": 1}


def test_what_a_person_confirmed_or_stated_as_lasting_becomes_long_term(hs):
    hs.verify(ME, short(hs).id)
    short(hs, "From now on always send me the export as CSV", source=Source.USER)
    short(hs, "以后导出的文件一律用 CSV", source=Source.USER)
    assert hs.maintain().counts == {"promote": 3}


def test_the_rest_lapses_and_can_be_brought_back(hs, clock):
    memory = short(hs, "The lift is out of order", source=Source.USER)
    clock.now += timedelta(days=6, hours=23)
    assert hs.maintain().counts == {}
    clock.now += timedelta(hours=2)
    assert [s.reason for s in hs.maintain(dry_run=True).steps] == [
        "short-term, and not used again for 7 days"
    ]
    assert hs.maintain().counts == {"lapse": 1}
    assert hs.get(ME, memory.id).status is Status.ARCHIVED
    assert hs.restore(ME, memory.id).status is Status.ACTIVE


def test_a_long_term_memory_is_left_alone(hs, clock):
    hs.remember(ME, "I prefer pnpm", kind=Kind.PREFERENCE, source=Source.USER)
    clock.now += timedelta(days=8)
    assert hs.maintain().counts == {}
