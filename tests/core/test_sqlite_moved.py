"""A store whose file is moved, deleted or replaced under it says so, and loses nothing silently."""

import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.errors import StoreUnavailableError
from hindsight_core.stores import SqliteStore
from hindsight_core.testing.samples import make_memory

ME = Scope(user="ana")


def move(path, target):
    for end in ("", "-wal", "-shm"):
        if path.with_name(path.name + end).exists():
            path.with_name(path.name + end).rename(target.with_name(target.name + end))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def store(path):
    store = SqliteStore(path)
    store.put([make_memory("before", "a text of before")])
    yield store
    store.close()


def refuses(store):
    with pytest.raises(StoreUnavailableError, match="moved, deleted or replaced"):
        store.put([make_memory("after", "a text of afterwards")])
    with pytest.raises(StoreUnavailableError, match="moved, deleted or replaced"):
        store.count()


def test_a_deleted_file_is_neither_written_nor_read_nor_made_again(path, store):
    path.unlink()
    refuses(store)
    assert not path.exists()


def test_a_moved_file_that_is_put_back_goes_on(path, store, tmp_path):
    move(path, tmp_path / "elsewhere.db")
    refuses(store)
    move(tmp_path / "elsewhere.db", path)
    store.put([make_memory("after", "a text of afterwards")])
    assert sum(store.count().values()) == 2


def test_a_file_that_was_replaced_is_another_store(path, store, tmp_path):
    other = SqliteStore(tmp_path / "other.db")
    other.close()
    move(path, tmp_path / "elsewhere.db")
    move(tmp_path / "other.db", path)
    refuses(store)
    again = SqliteStore(path)
    assert again.count() == {}
    again.close()


@pytest.mark.swallows
@pytest.mark.parametrize("said", ["From now on always use pnpm.", "以后都用 pnpm。"])
def test_health_tells_of_a_deleted_store_and_the_host_goes_on(path, said):
    with Hindsight.open(str(path), embedder=None) as hs:
        hs.flush()
        path.unlink()
        run = hs.run(ME, task="x")
        run.user(said, turn="1")
        assert run.context() is None
        assert run.before_tool("t", {"a": 1}).action == "run"
        run.finish()
        health = hs.health()
        assert not health.ok
    assert not path.exists()
