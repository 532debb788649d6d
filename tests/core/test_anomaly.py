"""Crowds of writes: what trips the watch, what must not, and that a person decides."""

import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from hindsight_core import (
    AnomalyLimits,
    ConfigurationError,
    Context,
    Hindsight,
    NotFoundError,
    Scope,
    Settings,
    Source,
    Status,
    Where,
)
from hindsight_core.cli.app import app

ME = Scope(user="ana")
ANY = Where(statuses=(), include_superseded=True)
BOTH = pytest.mark.parametrize("language", ["en", "zh"])
ENGLISH = "apple river window teacher engine garden violin pepper marble candle forest ladder"
CHINESE = "苹果 河流 窗户 老师 引擎 花园 提琴 胡椒 大理石 蜡烛 森林 梯子"
WORDS = {"en": ENGLISH.split(" "), "zh": CHINESE.split(" ")}
POISON = {
    "en": "The harbour depot opens at a quarter past nine{}.",
    "zh": "北岸仓库早上九点一刻开门{}。",
}
ENDINGS = ["", " sharp", " on Mondays", " today", " again", " in May", " too", " now", " there"]


class Clock:
    def __init__(self):
        self.now = datetime(2026, 5, 4, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(milliseconds=1)
        return self.now

    def wait(self, **span):
        self.now += timedelta(**span)


@pytest.fixture
def clock():
    return Clock()


def opened(tmp_path, clock, told=None, **limits):
    settings = Settings(
        anomaly=AnomalyLimits(**limits), deadline=60, on_alert=None if told is None else told.append
    )
    return Hindsight.open(str(tmp_path / "m.db"), embedder=None, clock=clock, settings=settings)


def diverse(number, language="en"):
    words = WORDS[language]
    picked = [words[(number * step + step) % 12] for step in (1, 5, 7)]
    return f"{'' if language == 'zh' else ' '}".join([*picked, f"{number * 7919}"])


def near_duplicates(language, count):
    return [POISON[language].format(ending) for ending in ENDINGS[:count]]


@BOTH
def test_near_duplicates_go_to_quarantine_the_earlier_ones_too(tmp_path, clock, language, caplog):
    told = []
    with (
        opened(tmp_path, clock, told) as hs,
        caplog.at_level(logging.WARNING, logger="hindsight_core"),
    ):
        innocent = hs.remember(ME, diverse(1, language), source=Source.TOOL)
        for text in near_duplicates(language, 9):
            hs.remember(ME, text, source=Source.TOOL)
        (alert,) = hs.alerts.open(ME)
        assert (alert.pattern, alert.count, alert.source) == ("near_duplicates", 8, "tool")
        assert told == [alert]
        assert [r.getMessage() for r in caplog.records if alert.id in r.getMessage()] != []
        assert len(caplog.records) == 1
        assert hs.health().alerts == {"near_duplicates": 1}
        assert not hs.health().ok
        waiting = hs.review.waiting(ME)
        assert waiting
        assert all(alert.id in " ".join(memory.reasons) for memory in waiting)
        assert hs.get(ME, innocent.id).status is Status.ACTIVE
        # The worker may have merged some of them meanwhile; none is left outside.
        others = {memory.id for memory in hs.memories(ME, ANY)} - {innocent.id}
        assert others == {memory.id for memory in waiting}
        assert hs.review.show(ME, waiting[0].id).alerts == (alert,)


def test_while_an_alert_stands_writes_are_held_back_but_not_the_users_own_words(tmp_path, clock):
    with opened(tmp_path, clock) as hs:
        for text in near_duplicates("en", 8):
            hs.remember(ME, text, source=Source.AGENT)
        later = hs.remember(ME, diverse(3), source=Source.TOOL)
        assert later.status is Status.QUARANTINED
        for source in (Source.USER, Source.OPERATOR):
            said = hs.remember(ME, f"{diverse(4)} {source}", source=source)
            assert said.status is Status.ACTIVE
        other = hs.remember(Scope(user="ben"), diverse(3), source=Source.TOOL)
        assert other.status is Status.ACTIVE


def test_an_alert_holds_in_another_process_and_after_a_restart(tmp_path, clock):
    with opened(tmp_path, clock) as hs:
        for text in near_duplicates("en", 8):
            hs.remember(ME, text, source=Source.TOOL)
    with opened(tmp_path, clock) as again:
        assert again.remember(ME, diverse(2), source=Source.TOOL).status is Status.QUARANTINED


def test_writes_of_other_processes_count_too(tmp_path, clock):
    texts = near_duplicates("en", 8)
    with opened(tmp_path, clock) as one, opened(tmp_path, clock) as other:
        for number, text in enumerate(texts):
            clock.wait(seconds=6)
            (one, other)[number % 2].remember(ME, text, source=Source.TOOL)
        assert [alert.pattern for alert in one.alerts.open(ME)] == ["near_duplicates"]
        assert len(one.review.waiting(ME)) == len(one.memories(ME, ANY))


@BOTH
@pytest.mark.parametrize("admit", [True, False, None])
def test_a_person_closes_an_alert_and_decides_on_all_that_it_held(tmp_path, clock, language, admit):
    with opened(tmp_path, clock) as hs:
        for text in near_duplicates(language, 8):
            hs.remember(ME, text, source=Source.TOOL)
        (alert,) = hs.alerts.open(ME)
        with pytest.raises(NotFoundError):
            hs.alerts.close(Scope(user="ben"), alert.id, by="eve")
        with pytest.raises(ConfigurationError, match="who decides"):
            hs.alerts.close(ME, alert.id, by="")
        changed = hs.alerts.close(ME, alert.id, by="bob", admit=admit)
        wanted = {True: Status.ACTIVE, False: Status.ARCHIVED, None: Status.QUARANTINED}[admit]
        assert {memory.status for memory in hs.memories(ME, ANY)} == {wanted}
        assert bool(changed) == (admit is not None)
        assert hs.alerts.open() == []
        assert [a.closed_by for a in hs.alerts.closed(ME)] == ["bob"]
        assert hs.health().ok
        assert hs.remember(ME, diverse(5, language), source=Source.TOOL).status is Status.ACTIVE


def test_a_false_alert_gives_the_scope_twice_as_much_room(tmp_path, clock):
    texts = [f"The harbour depot opens at a quarter past nine {word}." for word in WORDS["en"]]
    with opened(tmp_path, clock, near_duplicates=3) as hs:
        for text in texts[:3]:
            hs.remember(ME, text, source=Source.TOOL)
        hs.alerts.close(ME, hs.alerts.open(ME)[0].id, by="bob", admit=True)
        statuses = [hs.remember(ME, t, source=Source.TOOL).status for t in texts[3:9]]
        assert statuses == [Status.ACTIVE] * 5 + [Status.QUARANTINED]


def test_a_burst_of_one_channel_trips_and_an_hour_of_the_same_writes_does_not(tmp_path, clock):
    with opened(tmp_path, clock, burst=30) as hs:
        for number in range(60):
            clock.wait(minutes=1)
            hs.remember(ME, diverse(number), source=Source.AGENT)
        assert hs.alerts.open(ME) == []
        for number in range(60, 90):
            hs.remember(ME, diverse(number), source=Source.AGENT)
        assert [alert.pattern for alert in hs.alerts.open(ME)] == ["burst"]


@BOTH
def test_text_that_has_nothing_to_do_with_the_task_trips(tmp_path, clock, language):
    task = {"en": "Book a table for the team dinner", "zh": "为团队聚餐预订餐桌"}[language]
    with opened(tmp_path, clock, off_topic=6) as hs:
        hs.run(ME, task=task)
        for number in range(12):
            hs.remember(ME, f"{task} {number}", source=Source.TOOL)
        assert hs.alerts.open(ME) == [] or hs.alerts.open(ME)[0].pattern != "off_topic"
    with opened(tmp_path, clock, off_topic=6, near_duplicates=50) as hs:
        ben = Scope(user="ben")
        hs.run(ben, task=task)
        for number in range(6):
            hs.remember(ben, diverse(number, language), source=Source.TOOL)
        assert [alert.pattern for alert in hs.alerts.open(ben)] == ["off_topic"]


def test_one_origin_that_suddenly_says_everything_trips(tmp_path, clock):
    with opened(tmp_path, clock, dominance_writes=20) as hs:
        for number in range(40):
            who = Context(speaker=("mail", "web", "wiki")[number % 3])
            hs.remember(ME, diverse(number), source=Source.TOOL, context=who)
        clock.wait(hours=1)
        for number in range(40, 60):
            hs.remember(ME, diverse(number), source=Source.TOOL, context=Context(speaker="forum"))
        assert [alert.pattern for alert in hs.alerts.open(ME)] == ["dominance"]


def test_an_operator_imports_thousands_of_messages(tmp_path, clock):
    with (
        opened(tmp_path, clock, per_run=50, burst=50) as hs,
        hs.alerts.expecting(ME, by="ops"),
    ):
        for conversation in range(4):
            run = hs.run(ME, session=f"s{conversation}", run_id=f"r{conversation}")
            for turn in range(500):
                said = diverse(conversation * 500 + turn)
                run.user(f"From now on always use {said}.", turn=str(turn))
            run.finish()
        for text in near_duplicates("en", 9):
            hs.remember(ME, text, source=Source.TOOL)
        assert hs.alerts.open(ME) == []
        assert not [m for m in hs.review.waiting(ME) if "anomaly" in str(m.reasons)]
        assert len(hs.memories(ME, limit=5_000)) > 500
    actions = [entry.action for entry in hs_log(tmp_path) if entry.actor == "ops"]
    assert actions == ["many writes done", "many writes expected"]


def hs_log(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hs:
        return hs.store.audit_log(limit=10_000)


def test_ten_thousand_messages_by_the_operators_own_channel_trip_nothing(tmp_path, clock):
    with opened(tmp_path, clock, burst=100) as hs:
        for number in range(300):
            hs.remember(ME, f"{POISON['en'].format('')} {number}", source=Source.OPERATOR)
        assert hs.alerts.open(ME) == []


@BOTH
def test_a_user_who_states_twenty_preferences_trips_nothing(tmp_path, clock, language):
    forms = {"en": "From now on always use {}, never {}.", "zh": "以后一律用{}，不要用{}。"}
    with opened(tmp_path, clock) as hs:
        run = hs.run(ME, task="Set up")
        for number in range(20):
            words = diverse(number, language), diverse(number + 50, language)
            run.user(forms[language].format(*words), turn=str(number))
        run.finish()
        assert hs.alerts.open(ME) == []
        assert len(hs.memories(ME)) >= 15
        assert hs.review.waiting(ME) == []


def test_a_tool_that_says_the_very_same_a_hundred_times_is_one_memory_and_no_attack(
    tmp_path, clock
):
    with opened(tmp_path, clock) as hs:
        for _ in range(100):
            memory = hs.remember(ME, POISON["en"].format(""), source=Source.TOOL)
        assert memory.status is Status.ACTIVE
        assert len(hs.memories(ME, ANY)) == 1


def test_facts_that_differ_in_a_number_are_different_facts(tmp_path, clock):
    with opened(tmp_path, clock) as hs:
        for number in range(50):
            hs.remember(ME, f"Order {number} was shipped to the harbour.", source=Source.TOOL)
        assert hs.alerts.open(ME) == []


def test_a_batch_of_runs_that_fail_alike_trips_nothing(tmp_path, clock):
    with opened(tmp_path, clock) as hs:
        for number in range(40):
            run = hs.run(ME, task=f"Book table number {number} for {diverse(number)}")
            run.after_tool("book", {"time": "8pm", "n": number}, result="bad", flagged_error=True)
            run.after_tool("book", {"time": "20:00", "n": number}, result="booked")
            run.finish(ok=True)
        assert hs.alerts.open(ME) == []
        assert hs.memories(ME) != []


def test_one_run_that_teaches_too_much_is_held_back_whole(tmp_path, clock):
    with opened(tmp_path, clock, per_run=5) as hs:
        run = hs.run(ME, task="Crawl the pages")
        for number in range(8):
            name = f"tool_{WORDS['en'][number]}"
            run.after_tool(name, {"q": diverse(number)}, result="no such page", flagged_error=True)
        run.finish()
        found = hs.memories(ME, ANY)
        assert len(found) >= 5
        assert {memory.status for memory in found} == {Status.QUARANTINED}
        assert [alert.pattern for alert in hs.alerts.open(ME)] == ["burst"]


@pytest.mark.swallows
def test_a_callback_that_raises_breaks_nothing(tmp_path, clock):
    def raising(alert):
        raise RuntimeError("pager is down")

    settings = Settings(on_alert=raising)
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None, clock=clock, settings=settings) as hs:
        for text in near_duplicates("en", 8):
            hs.remember(ME, text, source=Source.TOOL)
        assert len(hs.alerts.open(ME)) == 1
        assert hs.health().errors == {"on_alert": 1}


def test_the_watch_can_be_turned_off_and_limits_are_checked(tmp_path, clock):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None, clock=clock, settings=Settings(anomaly=None)) as hs:
        for text in near_duplicates("en", 9):
            assert hs.remember(ME, text, source=Source.TOOL).status is Status.ACTIVE
    for wrong in ({"burst": 1}, {"dominance": 0.2}, {"window_minutes": 0}):
        with pytest.raises(ConfigurationError, match="anomaly"):
            AnomalyLimits(**wrong)


@BOTH
def test_the_command_lists_and_closes_alerts(tmp_path, clock, language):
    with opened(tmp_path, clock) as hs:
        for text in near_duplicates(language, 8):
            hs.remember(ME, text, source=Source.TOOL)
    where = ("--store", str(tmp_path / "m.db"), "-u", "ana", "--json")
    run = CliRunner().invoke
    (alert,) = json.loads(run(app, ["review", "alerts", *where]).stdout)
    done = run(app, ["review", "close", alert["id"], "--by", "bob", "--refuse-all", *where])
    assert {memory["status"] for memory in json.loads(done.stdout)} == {"archived"}
    assert json.loads(run(app, ["review", "alerts", *where]).stdout) == []
