"""What other processes do to a store in the tests; run by path, it needs no test framework."""

import os
import resource
import sys
import time
import traceback
from pathlib import Path

from hindsight_core.errors import StoreError
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Scope
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import (
    NOW,
    make_call_record,
    make_memory,
    make_said,
    unit_vector,
)

INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)
SCOPE = Scope(user="ada")


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def write_for_ever(path, name):
    """Write as an agent does, and say so after each call that came back."""
    store = SqliteStore(path)
    store.claim_index(INFO)
    say("pid", os.getpid())
    number = 0
    while True:
        number += 1
        run = f"{name}-{number}"
        store.append(make_said(run, run), owner=name)
        say("event", run)
        store.put([make_memory(run, f"memory {run} of the writer", dedupe_key=run)])
        say("memory", run)
        call = make_call_record("k", ok=False, run_id=run, signature=run)
        store.settle(run, through=1, memories=[make_memory(f"{run}-lesson")], calls=[call])
        say("settled", run)
        if number % 3 == 0:
            store.add_vectors([(run, unit_vector(number))])
            say("vector", run)
        if number % 5 == 0:
            store.delete(SCOPE, [f"{run}-lesson"], wipe=number % 10 == 0)
            say("deleted", run)


def be_killed_again_and_again(path):
    """For each line that is read, fork a writer and wait until somebody has killed it."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            write_for_ever(path, line.strip())
        os.waitpid(pid, 0)
        say("dead")


def at_once(count, task, *arguments):
    """Run a task in several processes at once, each with its number; fail if one of them does."""
    children = []
    for number in range(int(count)):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                globals()[task](number, *arguments)
                code = 0
            except BaseException:  # noqa: BLE001 - printed, and told by the exit code
                traceback.print_exc()
            finally:
                os._exit(code)
        children.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert codes == [0] * len(codes), codes
    say("done")


def share(name, path, rounds):
    """Write and read beside others; every write must be found at once."""
    store = SqliteStore(path)
    store.claim_index(INFO)
    for number in range(int(rounds)):
        one = f"p{name}x{number}"
        assert store.append(make_said(one, one), owner=str(name))
        store.put([make_memory(one, f"word{one} shared")])
        store.add_vectors([(one, unit_vector(number))])
        assert [hit.id for hit in store.match_text(SCOPE, Where(), [f"word{one}"], 3)] == [one]
        assert one in store.cosines(SCOPE, [one], unit_vector(1))
        assert len(store.nearest(SCOPE, Where(), unit_vector(1), 5)) >= min(5, number + 1)
        call = make_call_record(one, ok=False, run_id=one)
        store.settle(one, through=1, memories=[], calls=[call])
        store.touch(SCOPE, ["shared"], at=NOW)
    store.close()


def open_new(name, folder, stores):
    """Open stores that are not there yet, each in the same moment as others do."""
    begin = time.time() + 0.2
    for number in range(int(stores)):
        time.sleep(max(0.0, begin + 0.1 * number - time.time()))
        store = SqliteStore(Path(folder) / str(number) / "store.db")
        store.put([make_memory(f"m{name}")])
        store.close()


def fork(path):
    """Use a store before a fork, and on both sides after it."""
    store = SqliteStore(path)
    store.claim_index(INFO)
    store.put([make_memory("before")])
    store.add_vectors([("before", unit_vector(1))])
    assert len(store.nearest(SCOPE, Where(), unit_vector(1), 5)) == 1

    def both_sides(side):
        for number in range(20):
            store.put([make_memory(f"side{side}x{number}")])
            store.add_vectors([(f"side{side}x{number}", unit_vector(number))])
            assert store.nearest(SCOPE, Where(), unit_vector(number), 1)[0].score > 0.99

    globals()["both_sides"] = both_sides
    at_once(2, "both_sides")
    both_sides(2)
    store.close()


def write_as_nobody(path, warm_up):
    """Open and write as a user who owns nothing; what is imported late is imported before."""
    SqliteStore(warm_up).close()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setegid(65534)
        os.seteuid(65534)
    write_until_an_error(path)


def write_until_an_error(path, limit=None):
    """Open and write until an error stops it, and say which; no file may outgrow `limit`."""
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    number = 0
    try:
        store = SqliteStore(Path(path))
        while number < 2_000:
            store.put([make_memory(f"m{number}", "x" * 900)])
            number += 1
    except StoreError as error:
        say(type(error).__name__, number, error)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
