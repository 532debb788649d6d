"""The audit log under the signing key: who has the file alone cannot write a chain that fits."""

from __future__ import annotations

import hashlib
import json

import pytest
from typer.testing import CliRunner

from hindsight_core import Hindsight, Scope
from hindsight_core.cli.app import app
from hindsight_core.errors import ConfigurationError
from hindsight_core.ports import AuditEntry
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import NOW

ANA = Scope(user="ana")


def write(store, count, key=b""):
    if key:
        store.key_audit(lambda: key)
    for number in range(count):
        store.audit(AuditEntry(at=NOW, actor="a", action="b", subject=f"s{number}"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.db"


@pytest.fixture
def store(path):
    with_key = SqliteStore(path)
    with_key.key_audit(lambda: b"k" * 32)
    yield with_key
    with_key.close()


def rewrite(path, *, forge=lambda text: hashlib.sha256(text).hexdigest()):
    """Write the whole chain anew, as anybody with the file can, with one entry changed."""
    store = SqliteStore(path)
    with store._database.exclusive() as connection:
        connection.execute("DROP TRIGGER audit_is_never_changed")
        rows = connection.execute(
            "SELECT seq, at, actor, action, subject, detail FROM audit ORDER BY seq"
        ).fetchall()
        previous = ""
        for seq, *values in rows:
            if seq == 2:
                values[1] = "somebody else"
            digest = forge(json.dumps([previous, *values]).encode())
            connection.execute(
                "UPDATE audit SET actor = ?, prev_hash = ?, hash = ? WHERE seq = ?",
                (values[1], previous, digest, seq),
            )
            previous = digest
    assert store.check()["problems"] == [], "the forged chain hangs together"
    store.close()


def audit_problems(store):
    return [line for line in store.check()["problems"] if "audit" in line]


def test_a_log_under_the_key_has_no_problem(store):
    write(store, 5)
    assert store.check()["problems"] == []


def test_a_chain_that_was_written_anew_without_the_key_is_found(store, path):
    write(store, 5)
    rewrite(path)
    (found,) = audit_problems(store)
    assert "5 audit entries (1 to 5) were written without the key" in found


def test_a_chain_that_was_written_anew_under_another_key_is_found(store, path):
    write(store, 5)
    rewrite(path, forge=lambda text: "k1:" + hashlib.sha256(b"guessed" + text).hexdigest())
    (found,) = audit_problems(store)
    assert "no audit entry fits the key" in found


def test_a_single_changed_entry_is_still_named(store):
    write(store, 5)
    with store._database.exclusive() as connection:
        connection.execute("DROP TRIGGER audit_is_never_changed")
        connection.execute("UPDATE audit SET actor = 'x' WHERE seq = 3")
    assert audit_problems(store) == ["audit entry 3 does not follow: it was changed"]


def test_entries_of_before_the_key_are_read_and_wait_for_somebody_to_vouch(path):
    old = SqliteStore(path)
    write(old, 3)
    write(old, 2, b"k" * 32)
    assert [entry.subject for entry in old.audit_log()] == ["s1", "s0", "s2", "s1", "s0"]
    (found,) = audit_problems(old)
    assert "3 audit entries (1 to 3)" in found
    assert "audit --vouch" in found
    assert old.vouch_audit(at=NOW, by="bob") == 3
    assert old.check()["problems"] == []
    assert old.audit_log(limit=1)[0].actor == "bob"
    old.close()


def test_what_was_vouched_for_cannot_be_changed_afterwards(path):
    old = SqliteStore(path)
    write(old, 3)
    old.key_audit(lambda: b"k" * 32)
    old.vouch_audit(at=NOW, by="bob")
    with old._database.exclusive() as connection:
        connection.execute("UPDATE audit_vouched SET through = 9")
    assert any("without the key" in line for line in audit_problems(old))
    old.close()


def test_nobody_can_vouch_for_a_log_that_was_tampered_with(path):
    old = SqliteStore(path)
    write(old, 3)
    old.key_audit(lambda: b"k" * 32)
    with old._database.exclusive() as connection:
        connection.execute("DROP TRIGGER audit_is_never_changed")
        connection.execute("UPDATE audit SET actor = 'x' WHERE seq = 2")
    with pytest.raises(ConfigurationError, match="entry 2"):
        old.vouch_audit(at=NOW, by="bob")
    old.close()


def test_nobody_can_vouch_without_the_key(path):
    old = SqliteStore(path)
    write(old, 1)
    with pytest.raises(ConfigurationError, match="HINDSIGHT_KEY"):
        old.vouch_audit(at=NOW, by="bob")
    old.close()


def test_a_keyed_log_without_its_key_is_said_not_to_be_known(store):
    write(store, 2)
    store.key_audit(lambda: b"")
    (found,) = audit_problems(store)
    assert "HINDSIGHT_KEY" in found


def test_doctor_finds_a_rewritten_chain_and_takes_what_was_vouched_for(path):
    with Hindsight.open(str(path), embedder=None) as hindsight:
        for text in ("The user likes tea.", "The user likes milk."):
            kept = hindsight.remember(ANA, text)
            hindsight.forget(ANA, [kept.id])
    url = f"sqlite:///{path}"
    assert CliRunner().invoke(app, ["doctor", "--store", url]).exit_code == 0
    rewrite(path)
    found = CliRunner().invoke(app, ["doctor", "--store", url])
    assert found.exit_code == 1
    assert "without the key" in found.output
    vouched = CliRunner().invoke(app, ["audit", "--store", url, "--vouch", "--by", "bob"])
    assert vouched.exit_code == 0, vouched.output
    assert CliRunner().invoke(app, ["doctor", "--store", url]).exit_code == 0


def test_vouching_needs_a_name(path):
    with (
        Hindsight.open(str(path), embedder=None) as hindsight,
        pytest.raises(ConfigurationError, match="by"),
    ):
        hindsight.review.vouch(by=" ")
