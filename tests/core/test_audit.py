"""The audit log: append-only, one chain, and every change behind our back is named."""

import subprocess
import sys
import textwrap
from datetime import timedelta

import pytest

from hindsight_core.ports import AuditEntry
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import NOW

COLUMNS = "at, actor, action, subject, detail, prev_hash, hash"


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "store.db")
    yield store
    store.close()


def write(store, count):
    for number in range(count):
        at = NOW + timedelta(seconds=number)
        store.audit(AuditEntry(at=at, actor="a", action="b", subject=f"s{number}"))


def tamper(store, *statements):
    with store._database.exclusive() as connection:
        connection.execute("DROP TRIGGER audit_is_never_changed")
        connection.execute("DROP TRIGGER audit_is_never_deleted")
        for statement in statements:
            connection.execute(statement)
    return [line for line in store.check()["problems"] if "audit" in line]


def test_a_log_that_nobody_touched_has_no_problem(store):
    assert store.check()["problems"] == []
    write(store, 5)
    assert store.check()["problems"] == []


@pytest.mark.parametrize("column", ["at", "actor", "action", "subject", "detail", "prev_hash"])
def test_a_changed_entry_is_named(store, column):
    write(store, 5)
    found = tamper(store, f"UPDATE audit SET {column} = '7' WHERE seq = 3")
    assert [line for line in found if "entry 3 " in line and "was changed" in line]
    assert not [line for line in found if "entry 2 " in line or "entry 5 " in line]


def test_a_changed_entry_whose_hash_was_made_to_fit_breaks_the_next_one(store):
    write(store, 5)
    forged = SqliteStore(store.path.parent / "forged.db")
    write(forged, 2)
    forged.audit(AuditEntry(at=NOW, actor="a", action="b", subject="forged"))
    with forged._database.read() as connection:
        row = connection.execute(f"SELECT {COLUMNS} FROM audit WHERE seq = 3").fetchone()
    forged.close()
    values = ", ".join(f"'{value}'" for value in row)
    found = tamper(store, f"UPDATE audit SET ({COLUMNS}) = ({values}) WHERE seq = 3")
    assert found == ["audit entry 4 does not follow: what it was written after is gone"]


@pytest.mark.parametrize(
    ("gone", "named"), [(1, "entry 1 is"), (3, "entry 3 is"), (5, "entry 5 is")]
)
def test_a_removed_entry_is_named_the_newest_too(store, gone, named):
    write(store, 5)
    found = tamper(store, f"DELETE FROM audit WHERE seq = {gone}")
    assert len(found) == 1
    assert named in found[0]
    assert "missing" in found[0]


def test_a_log_that_was_emptied_is_named(store):
    write(store, 5)
    (found,) = tamper(store, "DELETE FROM audit")
    assert "entries 1 to 5 are missing" in found


def test_entries_that_changed_places_are_named(store):
    write(store, 5)
    found = tamper(
        store,
        "UPDATE audit SET seq = -1 WHERE seq = 2",
        "UPDATE audit SET seq = 2 WHERE seq = 3",
        "UPDATE audit SET seq = 3 WHERE seq = -1",
    )
    assert any("entry 2 does not follow" in line for line in found)
    assert any("entry 3 does not follow" in line for line in found)


def test_entries_that_were_closed_up_after_a_removal_are_named(store):
    write(store, 5)
    found = tamper(
        store,
        "DELETE FROM audit WHERE seq = 3",
        "UPDATE audit SET seq = 3 WHERE seq = 4",
        "UPDATE audit SET seq = 4 WHERE seq = 5",
        "UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'",
    )
    assert found == ["audit entry 3 does not follow: what it was written after is gone"]


def test_processes_that_write_at_once_keep_one_chain(store):
    code = f"""
        import sys
        from hindsight_core.ports import AuditEntry
        from hindsight_core.stores import SqliteStore
        from hindsight_core.testing.samples import NOW
        store = SqliteStore({str(store.path)!r})
        for number in range(40):
            store.audit(AuditEntry(at=NOW, actor=sys.argv[1], action="b", subject=str(number)))
        store.close()
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    running = [subprocess.Popen([*command, name]) for name in ("one", "two", "three")]
    assert [process.wait(600) for process in running] == [0, 0, 0]
    entries = store.audit_log(limit=1_000)
    assert len(entries) == 120
    assert {entry.actor for entry in entries} == {"one", "two", "three"}
    assert store.check()["problems"] == []
