"""What hot queries found, kept on a real Redis server until a write."""

import pytest
import redis

from hindsight_core import ConfigurationError, Hindsight, Scope
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.stores import SqliteStore, caching, open_store
from hindsight_core.stores.redis import RedisCache
from hindsight_core.testing.samples import NOW, make_memory, unit_vector
from hindsight_core.testing.store_contract import StoreContract, assert_complete

ADA, BOB = Scope(user="ada"), Scope(user="bob")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)


class Counting(SqliteStore):
    """Counts how often the store itself is asked."""

    asked = 0

    def match_text(self, *args):
        self.asked += 1
        return super().match_text(*args)

    def nearest(self, *args):
        self.asked += 1
        return super().nearest(*args)


@pytest.fixture
def stores(tmp_path, redis_server):
    """Two handles to one store, as of two processes, and the store of the first."""
    path = tmp_path / "s.db"
    inside = Counting(path)
    first = caching.CachedStore(inside, RedisCache(redis_server.url, inside.identity))
    second = open_store(f"sqlite:///{path}", redis_server.url)
    yield first, second, inside
    first.close()
    second.close()


def found(store, scope=ADA, word="pear"):
    return sorted(hit.id for hit in store.match_text(scope, Where(), [word], 9))


class TestCachedStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path, redis_server):
        self.place, self.cache = f"sqlite:///{tmp_path / 'store.db'}", redis_server.url

    def make_store(self):
        return open_store(self.place, self.cache)

    def open_again(self, store):
        return open_store(self.place, self.cache)


def test_the_contract_is_run_whole():
    assert assert_complete(StoreContract, TestCachedStore) >= 60


def test_the_second_of_two_equal_queries_does_not_ask_the_store(stores):
    first, second, inside = stores
    second.claim_index(INFO)
    second.put([make_memory("a", "a pear")])
    second.add_vectors([("a", unit_vector(1))])
    for _ in range(3):
        assert found(first) == ["a"]
        assert [hit.id for hit in first.nearest(ADA, Where(), unit_vector(1), 3)] == ["a"]
    assert inside.asked == 2


def test_a_write_of_any_process_is_seen_by_the_next_query(stores):
    first, second, _ = stores
    assert found(first) == found(second) == []
    second.put([make_memory("a", "a pear")])
    assert found(first) == found(second) == ["a"]
    first.put([make_memory("a", "a plum", revision=1), make_memory("b", "a pear")])
    assert found(first) == found(second) == ["b"]
    second.delete(ADA, ["b"])
    assert found(first) == []
    first.settle("run", through=0, memories=[make_memory("c", "a pear")], calls=[], uses=[])
    assert found(second) == ["c"]
    second.reflect([], [make_memory("d", "a pear")], at=NOW)
    assert found(first) == ["c", "d"]
    second.erase(ADA, at=NOW)
    assert found(first) == []


def test_a_write_of_one_user_leaves_what_is_held_of_another(stores):
    first, _, inside = stores
    first.put([make_memory("a", "a pear"), make_memory("b", "a pear", BOB)])
    assert (found(first), found(first, BOB)) == (["a"], ["b"])
    first.put([make_memory("c", "a pear")])
    asked = inside.asked
    assert found(first, BOB) == ["b"]
    assert inside.asked == asked
    assert found(first) == ["a", "c"]


def test_what_was_read_before_a_write_is_not_held_after_it(stores, redis_server):
    inside = stores[2]
    cache = RedisCache(redis_server.url, inside.identity)
    _, ticket = cache.get("owner", "key")
    cache.drop(["owner"])
    cache.set("owner", "key", "old", ticket)
    assert cache.get("owner", "key")[0] is None
    _, ticket = cache.get("owner", "key")
    cache.drop([""])
    cache.set("owner", "key", "old", ticket)
    assert cache.get("owner", "key")[0] is None
    _, ticket = cache.get("owner", "key")
    cache.set("owner", "key", "new", ticket)
    assert cache.get("owner", "key")[0] == "new"
    cache.close()


def test_nothing_of_what_was_erased_stays_in_the_cache_and_all_of_it_ends_in_five_minutes(
    stores, redis_server
):
    first, _, _ = stores
    first.put([make_memory("a", "GONEMARK pear")])
    assert first.get(ADA, ["a"])[0].content == "GONEMARK pear"
    with redis.Redis.from_url(redis_server.url, decode_responses=True) as raw:
        (held,) = raw.keys("*:held:*")
        assert 0 < raw.ttl(held) <= 300
        assert "GONEMARK" in str(raw.hgetall(held))
        first.erase(ADA, at=NOW)
        assert raw.keys("*:held:*") == []


def test_a_cache_that_is_down_is_passed_over_and_told_and_its_old_entries_are_dropped(
    stores, redis_server, monkeypatch
):
    monkeypatch.setattr(caching, "_PAUSE", 0.0)
    first, _, _ = stores
    first.put([make_memory("a", "a pear")])
    assert found(first) == ["a"]
    redis_server.stop()
    assert found(first) == ["a"]
    assert first.cache_error
    first.put([make_memory("b", "a pear")])
    assert found(first) == ["a", "b"]
    redis_server.start()
    assert found(first) == ["a", "b"]
    assert first.cache_error == ""


def test_health_says_that_the_cache_is_down(tmp_path, redis_server):
    with Hindsight.open(tmp_path / "s.db", embedder=None, cache=redis_server.url) as hindsight:
        hindsight.remember(ADA, "Refunds take three days.")
        assert hindsight.recall(ADA, "How long do refunds take?").memories
        assert hindsight.health().ok
        redis_server.stop()
        assert hindsight.recall(ADA, "How long do refunds take?").memories
        assert "Error" in hindsight.health().cache_error
        assert not hindsight.health().ok


def test_a_cache_of_another_kind_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="redis://"):
        Hindsight.open(tmp_path / "s.db", embedder=None, cache="memcached://host")
