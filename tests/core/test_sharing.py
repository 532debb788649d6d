"""A lesson is shared by an explicit grant, without what is personal, and can be taken back."""

import json

import pytest
from typer.testing import CliRunner

from hindsight_core import ConfigurationError, Hindsight, Kind, NotFoundError, Scope, Source, Where
from hindsight_core.cli.app import app

ANA, BEN = Scope(user="ana-of-sales"), Scope(user="ben")
BILLING = Scope(user="ben", agent="billing")
LESSONS = Where(kinds=(Kind.LESSON,))
BOTH = pytest.mark.parametrize("language", ["en", "zh"])
TASK = {
    "en": "Book a table for the anniversary of Mia Chen, mia@example.org",
    "zh": "为王小明先生的纪念日预订餐桌，电话 13812345678",
}
NAME = {"en": "Mia Chen", "zh": "王小明"}
PERSONAL = (
    "Mia Chen",
    "王小明",
    "mia@",
    "13812345678",
    "u-4471",
    "anniversary",
    "纪念日",
    "ana-of",
)


@pytest.fixture
def hs(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        yield hindsight


def learn(hs, language="en", scope=ANA, tool="book_table"):
    run = hs.run(scope, task=TASK[language])
    args = {"customer_name": NAME[language], "user_id": "u-4471", "time": "8pm"}
    bad = f"{NAME[language]} ({scope.user}): time must be HH:MM"
    run.after_tool(tool, args, call_id="1", result=bad, flagged_error=True)
    run.after_tool(tool, args | {"time": "20:00"}, call_id="2", result="booked")
    run.finish(ok=True)
    return hs.memories(scope, LESSONS)[0]


def recall(hs, scope, tool="book_table"):
    return hs.recall(scope, f"{tool} time 8pm 20:00")


@BOTH
def test_a_shared_lesson_is_recalled_by_the_receiver_without_anything_personal(hs, language):
    memory = learn(hs, language)
    assert recall(hs, BEN).block is None
    grant = hs.sharing.grant(ANA, memory.id, by="ops", users=["ben"])
    found = recall(hs, BEN)
    assert "20:00" in found.block.text
    (copy,) = hs.memories(BEN)
    everything = copy.model_dump_json() + found.report.model_dump_json()
    for word in PERSONAL:
        assert word not in everything
    assert copy.evidence[0].note == "shared by ops"
    assert copy.evidence[0].run_id == f"grant:{grant.id}"
    assert copy.lineage == (memory.id,)
    assert copy.trust <= memory.trust
    assert copy.source is not Source.USER


@BOTH
def test_the_preview_is_what_is_shared_and_shares_nothing(hs, language):
    memory = learn(hs, language)
    preview = hs.sharing.preview(ANA, memory.id, situation="Booking a table", names=["HH:MM"])
    assert recall(hs, BEN).block is None
    hs.sharing.grant(
        ANA, memory.id, by="ops", users=["ben"], situation="Booking a table", names=["HH:MM"]
    )
    recall(hs, BEN)
    (copy,) = hs.memories(BEN)
    assert (copy.value, copy.lesson, copy.query) == (preview.value, preview.lesson, preview.query)
    assert "HH:MM" not in copy.model_dump_json()


def test_nobody_else_receives_it(hs):
    memory = learn(hs)
    hs.sharing.grant(ANA, memory.id, by="ops", users=["ben"])
    for other in (Scope(user="eve"), Scope(user="ben", tenant="other")):
        assert recall(hs, other).block is None
        assert hs.memories(other) == []


def test_a_grant_to_a_role_is_seen_by_agents_of_that_role_only(hs):
    memory = learn(hs)
    hs.sharing.grant(ANA, memory.id, by="ops", users=["ben", "ana-of-sales"], agents=["billing"])
    assert recall(hs, BILLING).block is not None
    assert recall(hs, BEN).block is None
    assert recall(hs, Scope(user="ben", agent="writer")).block is None
    assert hs.memories(Scope(user="ben", agent="writer")) == []
    own = hs.memories(Scope(user="ana-of-sales", agent="writer"))
    assert len([m for m in own if m.kind is Kind.LESSON]) == 1


def test_an_agents_own_lesson_reaches_another_agent_of_the_same_user(hs):
    one, other = Scope(user="ana", agent="one"), Scope(user="ana", agent="other")
    memory = learn(hs, scope=one)
    assert recall(hs, other).block is None
    hs.sharing.grant(one, memory.id, by="ana", users=["ana"], agents=["other"])
    assert recall(hs, other).block is not None
    assert recall(hs, Scope(user="ana", agent="third")).block is None


def test_everyone_means_those_to_come_too_and_not_the_giver(hs):
    memory = learn(hs)
    grant = hs.sharing.grant(ANA, memory.id, by="ops", users=["*"])
    for user in ("ben", "newcomer"):
        assert recall(hs, Scope(user=user)).block is not None
    assert recall(hs, Scope(user="ben", tenant="other")).block is None
    assert len(hs.memories(ANA, LESSONS)) == 1
    assert hs.sharing.revoke(ANA, grant.id, by="ops") == 2
    for user in ("ben", "newcomer", "later"):
        assert recall(hs, Scope(user=user)).block is None


@BOTH
def test_what_was_revoked_is_gone_from_recall_list_explain_and_the_files(tmp_path, language):
    path = tmp_path / "m.db"
    with Hindsight.open(str(path), embedder=None) as hs:
        memory = learn(hs, language, tool="canary_tool")
        grant = hs.sharing.grant(ANA, memory.id, by="ops", users=["ben"], agents=["billing"])
        report = recall(hs, BILLING, "canary_tool").report
        (copy,) = hs.memories(BILLING)
        assert hs.sharing.revoke(ANA, grant.id, by="ops") == 1
        assert recall(hs, BILLING, "canary_tool").block is None
        assert hs.memories(BILLING, Where(statuses=())) == []
        for wanted in (copy.id, report.recall_id):
            with pytest.raises(NotFoundError):
                hs.explain(BILLING, wanted)
        assert hs.sharing.grants(ANA) == []
        hs.forget(ANA)
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"canary_tool: " not in raw
    assert b"time='8pm'" not in raw


def test_forgetting_the_original_takes_the_copies_with_it(hs):
    memory = learn(hs)
    hs.sharing.grant(ANA, memory.id, by="ops", users=["*"])
    for user in ("ben", "eve"):
        assert recall(hs, Scope(user=user)).block is not None
    receipt = hs.forget(ANA, [memory.id])
    assert receipt.removed["shared copies"] == 2
    assert not any(receipt.remaining.values())
    for user in ("ben", "eve", "new"):
        assert recall(hs, Scope(user=user)).block is None
        assert hs.memories(Scope(user=user)) == []


def test_forgetting_the_giver_takes_the_copies_and_forgetting_a_receiver_his_name(hs, tmp_path):
    memory = learn(hs)
    hs.sharing.grant(ANA, memory.id, by="ops", users=["ben", "carla-canary"])
    for user in ("ben", "carla-canary"):
        recall(hs, Scope(user=user))
    receipt = hs.forget(Scope(user="carla-canary"))
    assert receipt.removed["named in grants"] == 1
    assert [grant.users for grant in hs.sharing.grants(ANA)] == [("ben",)]
    assert recall(hs, BEN).block is not None
    assert hs.forget(ANA).removed["shared copies"] == 1
    assert recall(hs, BEN).block is None
    hs.close()
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"carla-canary" not in raw
    assert b"ana-of-sales" not in raw


def test_what_may_not_be_shared_is_a_typed_error(hs):
    fact = hs.remember(ANA, "The office closes at six.")
    lesson = learn(hs)
    with pytest.raises(ConfigurationError, match="lessons and paths"):
        hs.sharing.grant(ANA, fact.id, by="ops", users=["ben"])
    with pytest.raises(NotFoundError):
        hs.sharing.grant(BEN, lesson.id, by="ops", users=["eve"])
    with pytest.raises(ConfigurationError, match="who decides"):
        hs.sharing.grant(ANA, lesson.id, by="", users=["ben"])
    for users in ([], "ben", ["u"] * 1_001):
        with pytest.raises(ConfigurationError, match="users"):
            hs.sharing.grant(ANA, lesson.id, by="ops", users=users)
    grant = hs.sharing.grant(ANA, lesson.id, by="ops", users=["ben"])
    with pytest.raises(NotFoundError):
        hs.sharing.revoke(BEN, grant.id, by="eve")
    recall(hs, BEN)
    with pytest.raises(ConfigurationError, match="not yours"):
        hs.sharing.grant(BEN, hs.memories(BEN)[0].id, by="ben", users=["eve"])


def test_a_receiver_who_forgets_a_copy_does_not_get_it_again(hs):
    memory = learn(hs)
    hs.sharing.grant(ANA, memory.id, by="ops", users=["ben"])
    recall(hs, BEN)
    hs.forget(BEN, [hs.memories(BEN)[0].id])
    assert recall(hs, BEN).block is None


def test_the_audit_log_names_the_grant_and_neither_text_nor_receiver(hs):
    memory = learn(hs)
    grant = hs.sharing.grant(ANA, memory.id, by="ops", users=["ben-canary"])
    hs.sharing.revoke(ANA, grant.id, by="ops")
    log = [(e.actor, e.action, e.subject) for e in hs.store.audit_log()]
    assert log == [("ops", "share revoked", grant.id), ("ops", "shared", grant.id)]
    assert "ben-canary" not in str(hs.store.audit_log())


def test_the_command_previews_grants_lists_and_revokes(tmp_path):
    path = str(tmp_path / "m.db")
    with Hindsight.open(path, embedder=None) as hs:
        memory = learn(hs)
    where = ("--store", path, "-u", ANA.user)

    def run(*args):
        done = CliRunner().invoke(app, ["share", *args, *where, "--json"])
        if done.exception:
            raise done.exception
        return json.loads(done.stdout)

    assert "Mia Chen" not in json.dumps(run("preview", memory.id))
    grant = run("grant", memory.id, "--to", "ben", "--by", "ops")
    assert [one["id"] for one in run("list")] == [grant["id"]]
    with Hindsight.open(path, embedder=None) as hs:
        assert recall(hs, BEN).block is not None
    assert run("revoke", grant["id"], "--by", "ops")["copies"] == 1
    assert run("list") == []
    with pytest.raises(ConfigurationError, match="--everyone"):
        run("grant", memory.id, "--by", "ops")
