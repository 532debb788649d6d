"""Events wait in a queue while the store is away, and reach it afterwards, each once."""

import sqlite3
import threading
import time
from contextlib import contextmanager

import pytest
import redis

from hindsight_core import ConfigurationError, Hindsight, Scope
from hindsight_core.errors import InvalidMemoryError, StoreUnavailableError
from hindsight_core.stores import SqliteStore, open_store, with_queue
from hindsight_core.stores.queueing import QueuedStore
from hindsight_core.stores.redis_queue import RedisQueue
from hindsight_core.stores.write_queue import LocalQueue, QueueError
from hindsight_core.testing.samples import NOW, make_said
from hindsight_core.testing.store_contract import StoreContract, assert_complete

ADA, BOB = Scope(user="ada"), Scope(user="bob")


class Server:
    """A store that can be away as a server is: it refuses, or it hangs."""

    def __init__(self, path):
        self.inside = SqliteStore(path)
        self.away = False
        self.asked = []
        self.goes_on = threading.Event()
        self.goes_on.set()

    def __getattr__(self, name):
        found = getattr(self.inside, name)
        if not callable(found):
            return found

        def call(*args, **kwargs):
            self.asked.append(name)
            self.goes_on.wait()
            if self.away and name != "close":
                raise StoreUnavailableError("the server is away")
            return found(*args, **kwargs)

        return call


@pytest.fixture
def impatient(monkeypatch):
    """Within it a server that hangs is given up after a moment."""

    @contextmanager
    def inside():
        with monkeypatch.context() as patched:
            patched.setattr("hindsight_core.stores.queueing._PATIENCE", 0.6)
            patched.setattr("hindsight_core.stores.queueing._PROBE", 0.5)
            yield

    return inside


@pytest.fixture
def waits(monkeypatch):
    """Says how long a queue in a file waits for its lock."""

    def so_long(queue, seconds):
        monkeypatch.setattr("hindsight_core.stores.write_queue._BUSY_SECONDS", seconds)
        if queue._connection is not None:
            queue._connection.execute(f"PRAGMA busy_timeout = {round(1_000 * seconds)}")

    return so_long


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(params=["memory", "file", "redis"])
def queue(request, tmp_path):
    if request.param == "redis":
        url = request.getfixturevalue("redis_server").url
        return lambda: [RedisQueue(url, "store")]
    place = tmp_path / "queue.db" if request.param == "file" else None
    return lambda: [LocalQueue(place)]


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "server.db")
    yield server
    server.goes_on.set()
    server.inside.close()


@pytest.fixture
def store(server, queue):
    store = QueuedStore(lambda: server, "postgresql://host/db", queue())
    yield store
    server.goes_on.set()
    store.close()


class TestQueuedStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path):
        self.path = tmp_path / "store.db"

    def make_store(self):
        return QueuedStore(lambda: SqliteStore(self.path), "postgresql://host/db", [LocalQueue()])

    def open_again(self, store):
        return self.make_store()


def test_the_contract_is_run_whole():
    assert assert_complete(StoreContract, TestQueuedStore) >= 60


@pytest.mark.parametrize("how", ["refuses", "hangs"])
def test_events_wait_while_the_server_is_away_and_arrive_in_their_order(
    store, server, how, impatient
):
    assert store.append(make_said("0", "run"), owner="p")
    if how == "refuses":
        server.away = True
    else:
        server.goes_on.clear()
    with impatient():
        for number in range(1, 5):
            assert store.append(make_said(str(number), "run"), owner="p")
    with pytest.raises(StoreUnavailableError):
        store.events("run")
    assert "events" not in server.asked  # it fails at once: nobody waits for the deadline
    assert store.queue_state()["backlog"] == 4
    server.away = False
    server.goes_on.set()
    until(lambda: not store.queue_state()["backlog"])
    until(lambda: store.append(make_said("5", "run"), owner="p") or True)
    until(lambda: len(server.inside.events("run")) == 6)
    assert [event.key for event in server.inside.events("run")] == list("012345")


def test_a_busy_server_that_answers_in_parts_is_not_taken_for_one_that_is_away(
    store, server, impatient
):
    assert store.append(make_said("0", "run"), owner="p")
    type(server).answered_at = property(lambda _: time.monotonic())
    try:
        server.goes_on.clear()  # neither a call nor a question whether it is there comes to an end
        threading.Timer(2.0, server.goes_on.set).start()
        with impatient():
            assert store.append(make_said("1", "run"), owner="p")
    finally:
        del type(server).answered_at
    assert len(server.inside.events("run")) == 2
    assert store.queue_state()["backlog"] == 0


def test_what_was_stored_before_the_answer_was_lost_is_not_stored_twice(store, server):
    class LostError(StoreUnavailableError):
        pass

    inside, lost = server.inside.append, []

    def store_and_lose(event, *, owner):
        inside(event, owner=owner)
        if not lost:
            lost.append(1)
            raise LostError("the connection was lost")

    server.inside.append = store_and_lose
    assert store.append(make_said("1", "run"), owner="p")
    until(lambda: not store.queue_state()["backlog"])
    del server.inside.append
    assert [event.key for event in server.inside.events("run")] == ["1"]


def test_the_server_may_come_after_its_clients(server, queue):
    server.away = True

    def open_it():
        if server.away:
            raise StoreUnavailableError("nobody listens")
        return server

    store = QueuedStore(open_it, "postgresql://host/db", queue())
    assert store.append(make_said("1", "run"), owner="p")
    with pytest.raises(StoreUnavailableError, match="nobody listens"):
        store.connect(store.change_counter)
    server.away = False
    until(lambda: not store.queue_state()["backlog"])
    assert [event.key for event in store.events("run")] == ["1"]
    store.close()


def test_opening_waits_for_a_server_that_goes_away_again_after_its_first_answer(
    tmp_path, queue, monkeypatch, caplog
):
    def opened(*refusals):
        server, left = Server(tmp_path / "server.db"), list(refusals)
        answered = server.inside.index_info

        def index_info():
            if left:
                raise StoreUnavailableError(left.pop(0))
            return answered()

        monkeypatch.setattr(server.inside, "index_info", index_info)
        store = QueuedStore.over(lambda: server, "postgresql://host/db", queue())
        return Hindsight.open(store=store, embedder=None)

    with pytest.raises(StoreUnavailableError, match="away again"):
        opened("away again")
    monkeypatch.setenv("HINDSIGHT_WAIT", "60")
    with opened("away again", "still away") as hindsight:
        assert hindsight.health().store_error == ""
    assert "waiting for postgresql://host/db: still away" in caplog.text


def test_an_event_that_the_store_refuses_does_not_hold_up_the_rest(store, server, caplog):
    inside = server.inside.append_all

    def picky(events):
        if "1" in [event.key for event, _ in events]:
            raise InvalidMemoryError("event", "SECRETMARK is not liked", "Leave it")
        return inside(events)

    server.inside.append_all = picky
    server.away = True
    for number in range(3):
        store.append(make_said(str(number), "run"), owner="p")
    server.away = False
    until(lambda: not store.queue_state()["backlog"])
    assert [event.key for event in server.inside.events("run")] == ["0", "2"]
    assert store.queue_state()["refused"] == 1
    assert "SECRETMARK" not in caplog.text


def test_what_waits_of_a_user_is_erased_with_him(store, server):
    server.away = True
    store.append(make_said("a", "run-a", ADA), owner="p")
    store.append(make_said("b", "run-b", BOB), owner="p")
    with pytest.raises(StoreUnavailableError):
        store.erase(ADA, at=NOW)  # half of it: what waits is gone, the store was not reached
    server.away = False
    until(lambda: not store.queue_state()["backlog"])
    receipt = store.erase(ADA, at=NOW)
    assert receipt.remaining["queue"] == 0
    assert (server.inside.events("run-a"), len(server.inside.events("run-b"))) == ([], 1)


def test_what_a_process_left_behind_is_delivered_by_the_next(server, queue):
    if not queue()[0].durable:
        return
    server.away = True
    first = QueuedStore(lambda: server, "postgresql://host/db", queue())
    first.append(make_said("1", "run"), owner="p")
    first._delivery._stopped.set()  # as if it were killed: nothing is handed over any more
    server.away = False
    second = QueuedStore(lambda: server, "postgresql://host/db", queue())
    second._delivery._wanted.set()
    until(lambda: not second.queue_state()["backlog"])
    assert [event.key for event in server.inside.events("run")] == ["1"]
    second.close()
    for left in first._delivery._queues:  # the system closes what a killed process had open
        left.close()


def test_while_both_are_away_events_wait_in_a_file(server, redis_server, tmp_path):
    def queues():
        return [RedisQueue(redis_server.url, "s"), LocalQueue(tmp_path / "spool.db", "s")]

    store = QueuedStore(lambda: server, "postgresql://host/db", queues())
    server.away = True
    store.append(make_said("1", "run"), owner="p")
    assert not (tmp_path / "spool.db").exists()
    redis_server.stop()
    for number in ("2", "3"):
        store.append(make_said(number, "run"), owner="p")
    state = store.queue_state()
    assert (state["in_memory"], state["backlog"], bool(state["error"])) == (0, 2, True)
    store.close()
    again = Server(tmp_path / "server.db")
    after = QueuedStore(lambda: again, "postgresql://host/db", queues())
    until(lambda: len(again.inside.events("run")) == 2)  # the first one waits for Redis
    assert after.append(make_said("4", "run"), owner="p")
    assert [event.key for event in again.inside.events("run")] == ["2", "3", "4"]
    after.close()


def test_new_events_wait_behind_those_in_the_file_when_redis_is_back(
    server, redis_server, tmp_path
):
    queues = [RedisQueue(redis_server.url, "s"), LocalQueue(tmp_path / "spool.db", "s")]
    store = QueuedStore(lambda: server, "postgresql://host/db", queues)
    server.away = True
    redis_server.stop()
    store.append(make_said("1", "run"), owner="p")
    redis_server.start()
    store.append(make_said("2", "run"), owner="p")
    assert (queues[0].size(), queues[1].size()) == (0, 2)
    server.away = False
    until(lambda: len(server.inside.events("run")) == 2)
    assert [event.key for event in server.inside.events("run")] == ["1", "2"]
    store.close()


def test_what_waits_in_memory_is_handed_over_or_told_at_the_end(server, caplog, tmp_path):
    (tmp_path / "file").touch()
    nowhere = LocalQueue(tmp_path / "file" / "queue.db")
    store = QueuedStore(lambda: server, "postgresql://host/db", [nowhere, LocalQueue()])
    server.away = True
    store.append(make_said("1", "run"), owner="p")
    assert store.queue_state()["in_memory"] == 1
    store.close()
    assert "1 events that waited in memory" in caplog.text
    assert "HINDSIGHT_SPOOL" in caplog.text


def test_what_waits_in_memory_moves_to_the_file_as_soon_as_it_is_free(server, tmp_path, waits):
    spool = tmp_path / "spool.db"
    queue = LocalQueue(spool)
    store = QueuedStore(lambda: server, "postgresql://host/db", [queue, LocalQueue()])
    with Hindsight.open(store=store, embedder=None) as hindsight:
        server.away = True
        store.append(make_said("1", "run"), owner="p")
        assert (store.queue_state()["in_memory"], hindsight.unrecorded) == (0, 0)
        other = sqlite3.connect(spool, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # another process writes, and the machine is slow
        waits(queue, 0.1)
        store.append(make_said("2", "run"), owner="p")
        store.append(make_said("3", "run"), owner="p")
        assert (store.queue_state()["in_memory"], hindsight.unrecorded) == (2, 2)
        assert hindsight.health().unrecorded == 2
        waits(queue, 60)
        other.execute("ROLLBACK")
        other.close()
        until(lambda: not store.queue_state()["in_memory"])
        assert (store.queue_state()["backlog"], hindsight.unrecorded) == (3, 0)
        store.append(make_said("4", "run"), owner="p")
        assert store.queue_state()["in_memory"] == 0
        server.away = False
        until(lambda: not store.queue_state()["backlog"])
        assert [event.key for event in server.inside.events("run")] == list("1234")


def test_what_waits_in_memory_at_the_end_is_kept_in_the_file(server, tmp_path, monkeypatch, waits):
    monkeypatch.setattr("hindsight_core.stores.delivering._FIRST", 60.0)
    monkeypatch.setattr("hindsight_core.stores.delivering._LONGEST", 60.0)
    spool = tmp_path / "spool.db"
    made = LocalQueue(spool)
    made.push("{}")
    made.close()
    other = sqlite3.connect(spool, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    queue = LocalQueue(spool)
    waits(queue, 0.1)
    store = QueuedStore(lambda: server, "postgresql://host/db", [queue, LocalQueue()])
    server.away = True
    store.append(make_said("1", "run"), owner="p")
    assert store.in_memory == 1
    waits(queue, 60)
    other.execute("ROLLBACK")
    other.close()
    store.close()
    left = LocalQueue(spool, "")
    assert left.size() == 2
    left.close()


def test_an_event_that_no_queue_takes_is_an_error(server, tmp_path):
    (tmp_path / "file").touch()
    nowhere = LocalQueue(tmp_path / "file" / "queue.db")
    store = QueuedStore(lambda: server, "postgresql://host/db", [nowhere])
    server.away = True
    with pytest.raises(StoreUnavailableError, match="no queue"):
        store.append(make_said("1", "run"), owner="p")
    store.close()


def test_without_a_name_events_wait_in_a_file_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HINDSIGHT_SPOOL", str(tmp_path / "mine" / "queue.db"))

    def open_it():
        raise StoreUnavailableError("nobody listens")

    for url in ("postgresql://a/x", "postgresql://a/y"):
        store = with_queue(open_it, url, "")()
        store.append(make_said("1", "run"), owner="p")
        assert store.queue_state()["durable"]
        assert store.queue_state()["backlog"] == 1  # that of the other is not seen
        store.close()
    assert (tmp_path / "mine" / "queue.db").stat().st_mode & 0o077 == 0


def test_one_of_two_processes_leads_and_erasing_waits_for_it(server, tmp_path, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores.delivering._TO_HOLD", 0.3)
    monkeypatch.setattr("hindsight_core.stores.write_queue.LEAD_SECONDS", 600)
    first, second = (LocalQueue(tmp_path / "queue.db") for _ in range(2))
    first.push("{}")
    assert first.lead()
    assert first.lead()
    assert not second.lead()
    server.away = True  # so that nothing is handed over
    store = QueuedStore(lambda: server, "postgresql://host/db", [second])
    with pytest.raises(StoreUnavailableError, match="another process"):
        store.erase(ADA, at=NOW)
    store.close()
    first.close()


def test_a_batch_on_its_way_does_not_bring_back_who_is_erased_meanwhile(store, server):
    on_its_way, go_on = threading.Event(), threading.Event()
    inside = server.inside.append_all

    def slow(events):
        on_its_way.set()
        go_on.wait(60)
        return inside(events)

    server.away = True
    store.append(make_said("a", "run-a", ADA), owner="p")
    server.inside.append_all = slow
    server.away = False
    assert on_its_way.wait(60)
    until(lambda: not store._delivery.down)
    erasing = threading.Thread(target=lambda: store.erase(ADA, at=NOW))
    erasing.start()
    go_on.set()
    erasing.join(60)
    assert server.inside.events("run-a") == []
    until(lambda: not store.queue_state()["backlog"])
    assert server.inside.events("run-a") == []


def test_redis_keeps_what_it_took_with_its_append_only_file(tmp_path, redis_server):
    queue = RedisQueue(redis_server.url, "store")
    assert "appendonly" in queue.warning()
    with redis.Redis.from_url(redis_server.url) as raw:
        raw.config_set("appendonly", "yes")
        until(lambda: not raw.info("persistence")["aof_rewrite_in_progress"])
    assert queue.warning() == ""
    queue.push("kept")
    redis_server.stop()
    with pytest.raises(QueueError):
        queue.size()
    redis_server.start("--appendonly", "yes")
    assert [body for _, body in queue.peek(9)] == ["kept"]
    queue.close()


def test_two_stores_never_share_a_queue(redis_server):
    def open_it():
        raise StoreUnavailableError("nobody listens")

    names = set()
    for url in (
        "postgresql://a/x",
        "postgresql://b/x",
        "postgresql://a/y",
        "postgresql://a/x?schema=z",
    ):
        store = with_queue(open_it, url, redis_server.url)()
        names.add(store._delivery._queues[0]._key)
        store.close()
    assert len(names) == 4


def test_a_queue_of_another_kind_is_refused():
    with pytest.raises(ConfigurationError, match="redis://"):
        Hindsight.open("postgresql://host/db", embedder=None, queue="kafka://host", lazy=False)


def test_a_server_that_cannot_be_reached_is_told_of_once(caplog):
    with pytest.raises(StoreUnavailableError):
        Hindsight.open("postgresql://ana@127.0.0.1:9/nowhere", embedder=None)
    assert "passed over" not in caplog.text


def test_an_embedded_store_needs_no_queue(tmp_path):
    def open_it():
        return open_store(f"sqlite:///{tmp_path / 's.db'}")

    assert with_queue(open_it, f"sqlite:///{tmp_path / 's.db'}", "redis://nowhere") is open_it
