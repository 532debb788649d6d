"""What was acknowledged is there: after kill -9, among processes and threads, over a fork."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import make_call_record, make_memory, make_said, unit_vector

WORKER = Path(__file__).with_name("sqlite_worker.py")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)
ADA = Scope(user="ada")


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, str(WORKER), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(process):
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out.split()


def test_kill_9_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path):
    path, rounds, chance = tmp_path / "store.db", 25, random.Random(7)
    writer = start("be_killed_again_and_again", path, stdin=subprocess.PIPE)
    done = defaultdict(set)
    for number in range(rounds):
        writer.stdin.write(f"w{number}\n")
        writer.stdin.flush()
        pid = int(writer.stdout.readline().split()[1])
        threading.Timer(chance.uniform(0.002, 0.2), os.kill, (pid, signal.SIGKILL)).start()
        while (line := writer.stdout.readline().split()) != ["dead"]:
            done[line[0]].add(line[1])
        store = SqliteStore(path)
        if number % 5 == 0:
            assert store.check()["problems"] == []
        assert {m.id for m in store.get(ADA, sorted(done["memory"]))} == done["memory"]
        store.close()
    finish(writer)

    store = SqliteStore(path)
    assert store.check()["problems"] == []
    assert all(store.events(run) for run in done["event"])
    pending = {run.run_id for run in store.runs(limit=10_000)}
    for run in done["settled"]:
        assert run not in pending
        assert [c.failures for c in store.call_stats(ADA, signature=run)] == [1]
    deleted = {f"{run}-lesson" for run in done["deleted"]}
    assert store.get(ADA, sorted(deleted)) == []
    lessons = {f"{run}-lesson" for run in done["settled"]}
    there = {memory.id for memory in store.get(ADA, sorted(lessons))}
    # Of the lessons that are gone, the deletion was acknowledged or was the call that was killed.
    assert len(lessons - there - deleted) <= rounds
    assert set(store.cosines(ADA, sorted(done["vector"]), unit_vector(1))) == done["vector"]
    assert len(done["memory"]) > 3  # or nothing was shown; a busy machine comes to little in time
    store.close()


def test_four_processes_write_and_read_one_store_at_once(tmp_path):
    path, rounds = tmp_path / "store.db", 40
    store = SqliteStore(path)
    store.put([make_memory("shared")])
    assert finish(start("at_once", 4, "share", path, rounds)) == ["done"]
    names = {f"p{n}x{number}" for n in range(4) for number in range(rounds)}
    assert {memory.id for memory in store.get(ADA, sorted(names))} == names
    assert all(store.events(name) for name in names)
    assert store.runs() == []
    assert store.call_stats(ADA, signature="signature")[0].failures == len(names)
    assert store.get(ADA, ["shared"])[0].references == len(names)
    assert len(store.nearest(ADA, Where(), unit_vector(1), 1_000)) == len(names)
    assert store.check()["problems"] == []
    store.close()


def test_many_threads_share_one_store(tmp_path):
    store = SqliteStore(tmp_path / "store.db")
    store.claim_index(INFO)

    def work(name):
        for number in range(25):
            one = f"{name}x{number}"
            store.append(make_said(one, one), owner="p")
            store.put([make_memory(one, f"word{one} shared")])
            store.add_vectors([(one, unit_vector(number))])
            assert [h.id for h in store.match_text(ADA, Where(), [f"word{one}"], 3)] == [one]
            assert one in {h.id for h in store.nearest(ADA, Where(), unit_vector(number), 400)}
            call = make_call_record(one, ok=False, run_id=one)
            store.settle(one, through=1, memories=[], calls=[call])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, [f"t{n}" for n in range(8)]))
    assert store.count() == {"fact/active": 200}
    assert store.call_stats(ADA, signature="signature")[0].failures == 200
    assert store.check()["problems"] == []
    store.close()


def test_a_store_may_be_used_on_both_sides_of_a_fork(tmp_path):
    path = tmp_path / "store.db"
    assert finish(start("fork", path)) == ["done"]
    store = SqliteStore(path)
    assert store.count() == {"fact/active": 61}
    assert store.check()["problems"] == []
    store.close()


def test_processes_that_create_the_store_at_once_all_find_it(tmp_path):
    stores = 8
    assert finish(start("at_once", 4, "open_new", tmp_path, stores)) == ["done"]
    for number in range(stores):
        store = SqliteStore(tmp_path / str(number) / "store.db")
        assert store.count() == {"fact/active": 4}
        store.close()


def test_every_connection_keeps_the_rules_that_safety_rests_on(tmp_path):
    store = SqliteStore(tmp_path / "store.db")
    database = store._database
    with database.exclusive() as first, database.exclusive() as second, database.read() as third:
        for connection in (first, second, third):
            rules = {
                name: connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in (
                    "journal_mode",
                    "synchronous",
                    "foreign_keys",
                    "secure_delete",
                    "busy_timeout",
                    "temp_store",
                )
            }
            assert list(rules.values()) == ["wal", 1, 1, 1, 5_000, 2]
    store.close()


def test_a_thread_that_fails_inside_a_write_leaves_nothing_behind(tmp_path):
    store = SqliteStore(tmp_path / "store.db")

    def broken():
        yield make_memory("first")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.put(broken())
    assert store.count() == {}
    assert store.put([make_memory("second")])[0].created
    store.close()
