"""A memory that stands alone against related, better trusted ones is marked or held back."""

import pytest

from hindsight_core import Context, Hindsight, Scope, Source, Status
from hindsight_core.engine.agreeing import ALONE, LIKE_REFUSED
from hindsight_core.guard.consensus import Standing, note_for, stands, votes
from hindsight_core.testing.samples import make_memory

ME = Scope(user="ana")
TRUE = {
    "en": "Use the internal mirror for packages.",
    "zh": "安装软件包要用内部镜像。",
}
FALSE = {
    "en": "Do not use the internal mirror for packages.",
    "zh": "安装软件包不要用内部镜像。",
}
ASKED = {"en": "internal mirror for packages?", "zh": "安装软件包用内部镜像吗？"}
BOTH = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def memory(name, trust, source=Source.AGENT, **fields):
    return make_memory(name, trust=trust, source=source, **fields)


@BOTH
def test_a_tools_word_against_the_users_is_held_back(hs, language):
    hs.remember(ME, TRUE[language], source=Source.USER)
    alone = hs.remember(ME, FALSE[language], source=Source.TOOL)
    hs.flush()  # now they are linked as a contradiction
    found = hs.recall(ME, ASKED[language])
    assert [m.content for m in found.memories] == [TRUE[language]]
    reason = next(c.reason for c in found.report.candidates if c.memory_id == alone.id)
    assert reason == ALONE
    assert FALSE[language] not in found.block.text


@BOTH
def test_an_agents_word_against_the_users_is_marked(hs, language):
    hs.remember(ME, TRUE[language], source=Source.USER)
    alone = hs.remember(ME, FALSE[language], source=Source.AGENT)
    block = hs.recall(ME, ASKED[language]).block
    assert FALSE[language] in block.text
    assert note_for(alone) in block.text
    assert ("采用前" in note_for(alone)) == (language == "zh")


@BOTH
def test_the_users_own_word_is_never_held_back_or_marked(hs, language):
    hs.remember(ME, TRUE[language], source=Source.USER)
    hs.remember(ME, FALSE[language], source=Source.USER)
    block = hs.recall(ME, ASKED[language]).block
    assert note_for(make_memory("m", TRUE[language])) not in block.text
    assert FALSE[language] in block.text


@BOTH
def test_what_nobody_contradicts_is_shown_plainly(hs, language):
    hs.remember(ME, FALSE[language], source=Source.TOOL)
    other = {"en": "The packages office opens at nine.", "zh": "软件包办公室九点开门。"}
    hs.remember(ME, other[language], source=Source.USER)
    found = hs.recall(ME, ASKED[language])
    assert FALSE[language] in found.block.text
    assert note_for(found.memories[0]) not in found.block.text


@BOTH
def test_a_person_who_confirms_it_ends_the_doubt(hs, language):
    hs.remember(ME, TRUE[language], source=Source.USER)
    alone = hs.remember(ME, FALSE[language], source=Source.TOOL)
    hs.verify(ME, alone.id, by=Source.USER)
    assert FALSE[language] in hs.recall(ME, ASKED[language]).block.text


@BOTH
def test_what_is_like_a_refused_memory_is_not_shown_though_it_was_stored_before(hs, language):
    early = hs.remember(ME, FALSE[language], source=Source.TOOL)
    assert hs.recall(ME, ASKED[language]).memories
    held = early.model_copy(update={"status": Status.QUARANTINED, "revision": 1})
    hs.store.put([held])
    hs.review.refuse(ME, early.id, by="bob")
    twin = early.model_copy(update={"id": "twin", "dedupe_key": ""})
    hs.store.put([twin])
    found = hs.recall(ME, ASKED[language])
    assert found.block is None
    assert {c.memory_id: c.reason for c in found.report.candidates} == {"twin": LIKE_REFUSED}


def test_votes_are_weighed_by_trust_and_repetition_adds_none():
    tool = memory("t", 0.4, Source.TOOL)
    user = memory("u", 0.9, Source.USER)
    agents = [memory(f"a{n}", 0.6, context=Context(speaker="same")) for n in range(9)]
    assert stands(tool, [user], []) is Standing.HELD
    assert stands(tool, agents, []) is Standing.MARKED
    assert stands(tool, [memory("x", 0.4, Source.TOOL)], []) is Standing.SHOWN
    several = [memory(f"b{n}", 0.6, context=Context(speaker=f"s{n}")) for n in range(2)]
    assert stands(tool, several, []) is Standing.HELD
    assert stands(tool, [user], several) is Standing.SHOWN


def test_agreement_of_the_same_origin_does_not_help():
    own = {"source": Source.TOOL, "context": Context(speaker="forum")}
    tool = memory("t", 0.4, **own)
    friends = [memory(f"f{n}", 0.4, **own) for n in range(20)]
    assert stands(tool, [memory("u", 0.9, Source.USER)], friends) is Standing.HELD


def test_what_our_own_runs_have_proven_needs_nobodys_agreement():
    assert votes(memory("a", 0.4, Source.TOOL))
    assert not votes(memory("b", 0.4, Source.TOOL, verified_runs=2))
    assert not votes(memory("c", 0.9, Source.USER))
