"""A run's events in, what it taught out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cpu_kit import seconds_of
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core.capture import clear_lesson, judge_run, make_call, merge_lesson, situation_of
from hindsight_core.events import (
    AgentSaid,
    Event,
    FeedbackGiven,
    RunEnded,
    RunStarted,
    ToolCalled,
    ToolRejected,
    UserSaid,
)
from hindsight_core.schema import (
    Candidate,
    ErrorClass,
    Kind,
    Memory,
    Scope,
    Source,
    Status,
    Tier,
)

SCOPE = Scope(user="ann")
START = datetime(2031, 4, 1, 9, tzinfo=UTC)


class Script:
    """Writes the events of one run, a second apart."""

    def __init__(self, task: str = "Order paint for the shed", run_id: str = "r1") -> None:
        self.run_id = run_id
        self.events: list[Event] = []
        self.events.append(RunStarted(**self._base(), task=task))

    def _base(self) -> dict[str, Any]:
        count = len(self.events)
        at = START + timedelta(seconds=count)
        return {"run_id": self.run_id, "scope": SCOPE, "key": f"{self.run_id}-{count}", "at": at}

    def tool(self, name: str, args: object, result: str, **more: Any) -> Script:
        call = make_call(name, args, f"c{len(self.events)}")
        self.events.append(ToolCalled(**self._base(), call=call, result=result, **more))
        return self

    def user(self, text: str, **more: Any) -> Script:
        self.events.append(UserSaid(**self._base(), text=text, **more))
        return self

    def add(self, kind: type[Any], **more: Any) -> Script:
        self.events.append(kind(**self._base(), **more))
        return self

    def end(self, ok: bool | None = True) -> Sequence[Event]:
        self.events.append(RunEnded(**self._base(), ok=ok))
        return self.events


def lessons(events: Sequence[Event]) -> list[Candidate]:
    return [one for one in judge_run(events).candidates if one.kind is Kind.LESSON]


def paths(events: Sequence[Event]) -> list[Candidate]:
    return [one for one in judge_run(events).candidates if one.kind is Kind.PATH]


def memory(candidate: Candidate, **more: Any) -> Memory:
    values = {
        "id": "m1",
        "scope": candidate.scope,
        "kind": candidate.kind,
        "source": candidate.source,
        "trust": 0.4,
        "value": candidate.value,
        "query": candidate.query,
        "lesson": candidate.lesson,
        "evidence": candidate.evidence,
        "created_at": START,
        "updated_at": START,
        "dedupe_key": candidate.dedupe_key,
    }
    return Memory(**(values | more))


def fixed_run(run_id: str = "r1") -> Sequence[Event]:
    script = Script(run_id=run_id)
    script.tool("order_paint", {"product": "primer", "volume": "2500 ml"}, "400: give litres")
    script.tool("order_paint", {"product": "primer", "volume": "2.5 l"}, "order PA-318 placed")
    return script.end()


def test_a_fixed_call_teaches_the_difference_of_the_arguments() -> None:
    (lesson,) = lessons(fixed_run())
    assert lesson.value.content == (
        "`order_paint` failed with volume='2500 ml': 400: give litres. "
        "What worked: volume='2.5 l' instead of '2500 ml'."
    )
    assert lesson.lesson is not None
    assert lesson.lesson.correction is not None
    assert lesson.lesson.correction.proven
    assert [call.args["volume"] for call in lesson.lesson.correction.calls] == ["2.5 l"]
    assert lesson.query == "Order paint for the shed"
    assert lesson.source is Source.TOOL
    assert lesson.evidence[0].call_ids == ("c1", "c2")


def test_a_lesson_is_written_in_the_language_of_the_run() -> None:
    script = Script("约产品组明天下午三点开评审会")
    script.tool(
        "创建会议", {"主题": "评审", "开始": "明天3点"}, "参数错误：开始 的格式须为 YYYY-MM-DD"
    )
    script.tool("创建会议", {"主题": "评审", "开始": "2031-04-16"}, "会议 M-3302 已创建")
    (lesson,) = lessons(script.end())
    assert "可行的做法：开始 用 '2031-04-16'" in lesson.value.content
    assert "参数错误" in lesson.value.content


def test_another_tool_that_did_it_is_the_correction() -> None:
    script = Script("Cargo tonnage of the harbour")
    url = "https://figures.example.org/cargo/2031-02"
    script.tool("web_fetch", {"url": url}, "403 Forbidden", flagged_error=True)
    script.tool("stats_series", {"series": "cargo_tonnage", "period": "2031-02"}, '{"value": 18}')
    (lesson,) = lessons(script.end())
    assert lesson.key.tool_sequence == ("web_fetch", "stats_series")
    assert "`stats_series` worked instead" in lesson.value.content


def test_a_dead_end_is_a_lesson_too() -> None:
    script = Script("Find the film")
    script.tool("search", {"q": "The Guest"}, "Could not find [The Guest].", flagged_error=True)
    script.tool("search", {"q": "Guest film"}, "Could not find [Guest film].", flagged_error=True)
    (lesson,) = lessons(script.end(ok=False))
    assert lesson.lesson is not None
    assert lesson.lesson.correction is None
    assert len(lesson.lesson.mistake.calls) == 2
    assert "'The Guest'; 'Guest film'" in lesson.value.content


def test_failures_of_one_tool_and_class_make_one_lesson() -> None:
    script = Script("Find it")
    for number in range(200):
        script.tool("lookup", {"id": number}, f"no record with id {number}", flagged_error=True)
    (lesson,) = lessons(script.end(ok=False))
    assert lesson.lesson is not None
    assert len(lesson.lesson.mistake.calls) == 64
    assert len(lesson.value.content) < 3_000


def test_a_call_that_also_worked_in_the_run_is_no_lesson() -> None:
    script = Script("Read the file")
    script.tool("read_file", {"path": "a.txt"}, "No such file: a.txt", flagged_error=True)
    script.tool("write_file", {"path": "a.txt", "text": "x"}, "1 byte written")
    script.tool("read_file", {"path": "a.txt"}, "x")
    assert not lessons(script.end())


def test_a_transient_failure_teaches_waiting_and_expires() -> None:
    script = Script("Quote the parcel")
    script.tool("quote", {"kg": 6}, "429 Too Many Requests", flagged_error=True)
    script.tool("quote", {"kg": 6}, "EUR 21.40")
    (lesson,) = lessons(script.end())
    assert "wait, then call again" in lesson.value.content
    assert lesson.tier is Tier.SHORT
    assert lesson.expires_at is not None
    assert lesson.lesson is not None
    assert lesson.lesson.mistake.transient
    assert lesson.lesson.mistake.error_class is ErrorClass.RATE_LIMIT


def test_a_call_without_effect_on_a_thing_that_exists_is_no_evidence_yet() -> None:
    script = Script("You see a cabinet 1, a cabinet 2 and a fridge 1")
    script.tool("open", {"input": "cabinet 1"}, "Nothing happens.", flagged_error=True)
    script.tool("go", {"input": "to cabinet 2"}, "You are at cabinet 2.")
    script.tool("go", {"input": "to fridge 7"}, "Nothing happens.", flagged_error=True)
    (lesson,) = lessons(script.end())
    assert lesson.lesson is not None
    assert [call.args["input"] for call in lesson.lesson.mistake.calls] == ["to fridge 7"]


def test_a_run_that_ended_well_is_a_path_without_values() -> None:
    script = Script("Return order D-88213")
    script.tool("query_order", {"order_no": "D-88213"}, '{"sku": "CUP-09"}')
    script.tool("create_return", {"order_no": "D-88213", "reason": "R02"}, '{"code": 0}')
    (path,) = paths(script.end())
    assert "`query_order(order_no: id)` → `create_return(order_no: id, reason: id)`" in (
        path.value.content
    )
    assert "88213" not in path.value.content
    assert not any(step.args for step in path.path)


@pytest.mark.parametrize(
    ("after", "count"),
    [
        ([], 1),
        (["Works, thanks!"], 1),
        (["还是不行"], 0),
        (["That is wrong"], 0),
    ],
)
def test_the_users_next_words_outrank_the_frameworks_outcome(after: list[str], count: int) -> None:
    script = Script("Do it").tool("a", {"x": "1"}, "fine").tool("b", {"y": "2"}, "fine")
    for text in after:
        script.user(text)
    assert len(paths(script.end())) == count


def test_explicit_feedback_outranks_all() -> None:
    script = Script("Do it").tool("a", {"x": "1"}, "fine").tool("b", {"y": "2"}, "fine")
    script.user("thanks, works").add(FeedbackGiven, good=False)
    assert not paths(script.end())


def test_a_run_that_failed_is_no_path() -> None:
    script = Script("Do it").tool("a", {"x": "1"}, "fine").tool("b", {"y": "2"}, "fine")
    assert not paths(script.end(ok=False))


def test_only_the_users_own_words_are_mined() -> None:
    said = "I always prefer Python over bash."
    script = Script("Write a script")
    script.user(said, nested=True).add(AgentSaid, text=said)
    script.tool("read_file", {"path": "a"}, said)
    assert not judge_run(script.end()).candidates
    found = judge_run(Script("Write a script").user(said).end()).candidates
    assert [one.kind for one in found] == [Kind.PREFERENCE]
    assert found[0].source is Source.USER


def test_a_refused_call_is_a_word_of_the_user_and_no_failure_of_the_tool() -> None:
    script = Script("Push it")
    call = make_call("git_push", {"branch": "main"})
    script.add(ToolRejected, call=call, text="Never push to main, always use a branch.")
    judged = judge_run(script.end())
    assert [one.kind for one in judged.candidates] == [Kind.PREFERENCE]
    assert not judged.calls


def test_every_call_is_counted_with_its_situation() -> None:
    judged = judge_run(fixed_run())
    assert [call.ok for call in judged.calls] == [False, True]
    assert {call.situation for call in judged.calls} == {situation_of("order PAINT, for the shed!")}
    assert judged.cleared == {judged.calls[1].signature}
    assert judged.cleared_tools == ("order_paint",)


def test_order_and_doubling_of_events_change_nothing() -> None:
    events = list(fixed_run())
    expected = judge_run(events)
    shuffled = [*events, *events]
    random.Random(7).shuffle(shuffled)
    assert judge_run(shuffled) == expected


@pytest.mark.parametrize("drop", [0, -1])
def test_a_run_without_start_or_end_is_judged_all_the_same(drop: int) -> None:
    events = list(fixed_run())
    del events[drop]
    assert len(lessons(events)) == 1


def test_a_complaint_in_the_middle_of_a_run_makes_it_no_path() -> None:
    script = Script("Do it").tool("a", {"x": "1"}, "fine").user("Good code, wrong place.")
    script.tool("b", {"y": "2"}, "fine")
    assert not paths(script.end())


def test_the_same_way_in_another_task_is_counted_with_the_first_where_it_does_something() -> None:
    def way(task: str, tool: str, run_id: str) -> str:
        script = Script(task, run_id).tool("query_order", {"no": "D-1"}, "{}")
        (path,) = paths(script.tool(tool, {"no": "D-1"}, "{}").end())
        return path.dedupe_key

    assert way("Return order D-1", "create_return", "r1") == way(
        "Order D-1 came broken", "create_return", "r2"
    )
    assert way("Where is D-1?", "list_events", "r1") != way("Who has D-1?", "list_events", "r2")


def test_a_call_of_another_kind_is_no_fix_for_an_action() -> None:
    script = Script("Return order D-1")
    script.tool("create_return", {"no": "D-1"}, "refused", flagged_error=True)
    script.tool("get_order", {"no": "D-1"}, '{"no": "D-1"}')
    (lesson,) = lessons(script.end())
    assert lesson.lesson is not None
    assert lesson.lesson.correction is None


def test_an_argument_that_was_added_is_the_lesson() -> None:
    script = Script("客户要退货")
    script.tool("create_return", {"no": "D-1"}, '{"code": 400, "msg": "缺少必填参数 reason"}')
    script.tool("create_return", {"no": "D-1", "reason": "R02"}, '{"code": 0}')
    (lesson,) = lessons(script.end())
    assert lesson.value.content.endswith("可行的做法：加上 reason='R02'。")


def test_a_success_before_the_failure_is_no_fix() -> None:
    script = Script("Search").tool("search", {"q": "red fox"}, "A fox is a dog.")
    script.tool("search", {"q": "red foxes"}, "Could not find it", flagged_error=True)
    script.tool("search", {"q": "red fox"}, "A fox is a dog.")
    (lesson,) = lessons(script.end())
    assert lesson.lesson is not None
    assert lesson.lesson.correction is None


def test_a_late_result_is_taken_up_when_the_run_is_judged_again() -> None:
    events = list(fixed_run())
    late = [event for event in events if event.key != "r1-2"]
    (first,) = lessons(late)
    (second,) = lessons(events)
    assert first.dedupe_key == second.dedupe_key
    merged = merge_lesson(memory(first), second)
    assert "What worked" in merged.content


names = st.sampled_from(["search", "open", "支付", "bash"])
values = st.text(max_size=12) | st.integers() | st.none() | st.lists(st.integers(), max_size=3)
steps = st.tuples(
    names,
    st.dictionaries(st.sampled_from(["a", "b", "c"]), values, max_size=3),
    st.text(max_size=40) | st.sampled_from(["Nothing happens.", "error: no", "429", "ok", "失败"]),
    st.booleans(),
)


@given(st.lists(steps, max_size=12), st.randoms(use_true_random=False))
def test_any_run_is_judged_and_its_lessons_name_no_call_that_worked(
    calls: list[tuple[str, dict[str, Any], str, bool]], rng: random.Random
) -> None:
    script = Script("go to cabinet 1")
    for tool, args, result, raised in calls:
        script.tool(tool, args, result, raised=raised)
    events = list(script.end())
    judged = judge_run(events)
    worked = {call.signature for call in judged.calls if call.ok}
    for one in judged.candidates:
        if one.lesson is not None and not one.lesson.mistake.transient:
            assert not worked & {call.signature for call in one.lesson.mistake.calls}
    rng.shuffle(events)
    assert judge_run(events) == judged


def test_a_long_run_is_judged_in_time() -> None:
    script = Script("Find it")
    for number in range(1_000):
        text = f"record {number} of the archive in room {number % 7}"
        result = "no such record" if number % 3 else "found"
        script.tool("lookup", {"q": text, "page": number}, result, flagged_error=bool(number % 3))
    events = script.end()
    assert seconds_of(lambda: judge_run(events)) < 5.0


@pytest.mark.parametrize("said", ["Fetch report number {}.", "请取一下第{}份报告。"])
def test_a_run_of_many_turns_takes_as_long_as_its_parts(said: str) -> None:
    def talk(turns: int) -> Sequence[Event]:
        script = Script("Reports")
        for number in range(turns):
            script.user(said.format(number % 100))
            script.tool("fetch", {"report": number}, "12 pages")
        return script.end()

    short, long = talk(250), talk(4_000)
    at_once = seconds_of(lambda: judge_run(long))
    assert at_once < 2.5 * seconds_of(lambda: [judge_run(short) for _ in range(16)])


def test_no_events_teach_nothing() -> None:
    assert judge_run([]).candidates == ()


def test_a_second_run_adds_its_evidence_and_calls_to_the_lesson() -> None:
    (first,) = lessons(fixed_run())
    script = Script(run_id="r2")
    script.tool("order_paint", {"product": "primer", "volume": "750 ml"}, "400: give litres")
    (second,) = lessons(script.end(ok=False))
    assert first.dedupe_key == second.dedupe_key
    merged = merge_lesson(memory(first), second)
    assert merged.lesson is not None
    assert [call.args["volume"] for call in merged.lesson.mistake.calls] == ["2500 ml", "750 ml"]
    assert [one.run_id for one in merged.evidence] == ["r1", "r2"]
    assert "'2500 ml'" in merged.content
    assert "What worked" in merged.content


def test_merging_the_same_run_again_changes_nothing() -> None:
    (first,) = lessons(fixed_run())
    old = memory(first)
    assert merge_lesson(old, first) is old


def test_a_success_of_the_same_call_clears_the_dead_end() -> None:
    script = Script("Invoice")
    script.tool("invoice", {"to": "acme"}, "failed: signer is not installed", flagged_error=True)
    (lesson,) = lessons(script.end(ok=False))
    later = Script("Another invoice", run_id="r2")
    later.tool("invoice", {"to": "acme"}, "invoice 17 made")
    cleared = clear_lesson(memory(lesson), judge_run(later.end()).cleared)
    assert cleared.status is Status.ARCHIVED


def test_clearing_one_of_several_calls_keeps_the_others() -> None:
    script = Script("Find it")
    script.tool("search", {"q": "one"}, "Could not find one", flagged_error=True)
    script.tool("search", {"q": "two"}, "Could not find two", flagged_error=True)
    (lesson,) = lessons(script.end(ok=False))
    old = memory(lesson)
    later = Script("Find it", run_id="r2").tool("search", {"q": "one"}, "One is a number.")
    cleared = clear_lesson(old, judge_run(later.end()).cleared)
    assert cleared.status is Status.ACTIVE
    assert "'one'" not in cleared.content
    assert "'two'" in cleared.content
    assert clear_lesson(cleared, {"unknown"}) is cleared


def test_an_archived_lesson_that_fails_again_is_active_again() -> None:
    (lesson,) = lessons(fixed_run())
    archived = memory(lesson, status=Status.ARCHIVED)
    (again,) = lessons(fixed_run("r2"))
    assert merge_lesson(archived, again).status is Status.ACTIVE


def test_what_worked_for_the_users_next_request_is_no_fix() -> None:
    script = Script().user("Book a table at eight")
    script.tool("book", {"place": "Elm", "at": "20:00"}, "already booked", flagged_error=True)
    script.user("Leave it. Now book lunch for the whole team at the same place")
    script.tool("book", {"place": "Elm", "at": "12:00"}, "booked")
    (lesson,) = lessons(script.end())
    assert lesson.lesson is not None
    assert lesson.lesson.correction is None


def test_a_users_correction_leads_to_the_fix() -> None:
    script = Script().user("Book a table at eight")
    script.tool("book", {"place": "Elm", "at": "20:00"}, "already booked", flagged_error=True)
    script.user("Sorry, I meant noon, at the same place")
    script.tool("book", {"place": "Elm", "at": "12:00"}, "booked")
    (lesson,) = lessons(script.end())
    assert "at='12:00' instead of '20:00'" in lesson.value.content


def test_failures_of_other_commands_of_a_shell_are_other_lessons() -> None:
    script = Script()
    missing = "No such file or directory"
    script.tool(
        "bash", {"command": "cat site.yml"}, f"cat: site.yml: {missing}", flagged_error=True
    )
    script.tool("bash", {"command": "npm test"}, "bash: npm: command not found", flagged_error=True)
    script.tool("bash", {"command": "cat conf/site.yml"}, "a: 1")
    found = lessons(script.end())
    fixed = [one.lesson.correction is not None for one in found if one.lesson]
    assert len({one.dedupe_key for one in found}) == 2
    assert sorted(fixed) == [False, True]


def test_refusals_of_other_arguments_are_other_lessons_that_tell_only_them() -> None:
    script = Script()
    script.tool("book", {"at": "8pm", "name": "X"}, "at must be HH:MM", flagged_error=True)
    script.tool("book", {"at": "20:00", "seats": 0}, "seats must be positive", flagged_error=True)
    script.tool("book", {"at": "20:00", "seats": 2}, "booked")
    first, second = sorted(one.value.content for one in lessons(script.end()))
    assert first.endswith("What worked: at='20:00' instead of '8pm'.") or second.endswith(
        "What worked: at='20:00' instead of '8pm'."
    )
    assert first.count("What worked") == second.count("What worked") == 1
