"""Search finds what it should and reads no more than it must, however large the store."""

import itertools
import math
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight_core.indexed import CONTEXT_WEIGHT, search_text
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.schema import Context, Kind, Scope
from hindsight_core.stores import SqliteStore, _sql_match, _vector_matrix
from hindsight_core.stores._sqlite_postings import SqlitePostings
from hindsight_core.stores._vector_matrix import VectorMatrix, best
from hindsight_core.testing.samples import NOW, make_memory, unit_vector
from hindsight_core.text import terms

ADA, BOB = Scope(user="ada"), Scope(user="bob")
INFO = IndexInfo(model="test", dimension=8, relevance=0.5, same_subject=0.7)
drawn = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "store.db")
    store.claim_index(INFO)
    yield store
    store.close()


def bm25(memories, query):
    """BM25 as the book has it, over all memories: what the search must rank like."""
    texts = [search_text(memory) for memory in memories]
    held = []
    for text in texts:
        counts = Counter(terms(text.own))
        for term in terms(text.context):
            counts[term] += CONTEXT_WEIGHT
        held.append(counts)
    average = sum(sum(counts.values()) for counts in held) / len(held)
    scores = {}
    for memory, counts in zip(memories, held, strict=True):
        score = 0.0
        for term in set(query):
            n = sum(term in other for other in held)
            idf = math.log(1 + (len(held) - n + 0.5) / (n + 0.5))
            length = 1 - 0.75 + 0.75 * sum(counts.values()) / average
            score += idf * counts[term] * 2.2 / (counts[term] + 1.2 * length)
        if score:
            scores[memory.id] = score
    return scores


NUMBERS = itertools.count()
WORDS = st.lists(
    st.sampled_from(["red", "green", "blue", "退款", "政策", "apples", "running"]), min_size=1
)


@drawn
@given(texts=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12), query=WORDS)
def test_texts_are_ranked_by_bm25_over_the_scope_alone(store, texts, query):
    scope = Scope(user=f"user-{next(NUMBERS)}")
    memories = [
        make_memory(f"{scope.user}-{n}", " ".join(own), scope, context=Context(before=" ".join(b)))
        for n, (own, b) in enumerate(texts)
    ]
    store.put(memories)
    store.put([make_memory(f"{scope.user}-other", "red red green blue", BOB)])
    cut = terms(" ".join(query))
    found = {hit.id: hit.score for hit in store.match_text(scope, Where(), cut, 50)}
    assert found == pytest.approx(bm25(memories, cut))


def test_a_common_word_costs_no_more_than_the_limits_and_a_rare_one_still_decides(
    store, monkeypatch
):
    monkeypatch.setattr(_sql_match, "_LONG", 20)
    monkeypatch.setattr(_sql_match, "_ENOUGH", 40)
    monkeypatch.setattr(_sql_match, "_TOO_LONG", 200)
    store.put([make_memory(f"m{n:03}", f"common words everywhere {n}") for n in range(300)])
    store.put([make_memory("rare", "common words and a needle")])
    read = []
    original = SqlitePostings.newest

    def counted(self, *asked):
        rids = original(self, *asked)
        read.append(len(rids))
        return rids

    monkeypatch.setattr(SqlitePostings, "newest", counted)
    first = store.match_text(ADA, Where(), terms("common words everywhere needle"), 5)[0]
    assert first.id == "rare"
    assert sum(read) <= 100


def test_of_common_words_the_records_that_hold_several_come_first(store, monkeypatch):
    monkeypatch.setattr(_sql_match, "_LONG", 10)
    store.put([make_memory("both", "refund policy")])
    store.put([make_memory(f"r{n}", "refund something") for n in range(40)])
    store.put([make_memory(f"p{n}", "policy something") for n in range(40)])
    assert store.match_text(ADA, Where(), terms("refund policy"), 3)[0].id == "both"


def test_a_filter_that_few_records_pass_still_finds_them_among_common_words(store, monkeypatch):
    monkeypatch.setattr(_sql_match, "_ENOUGH", 20)
    store.put([make_memory(f"m{n}", "alpha beta gamma") for n in range(200)])
    store.put([make_memory("lesson", "gamma", kind=Kind.LESSON)])
    hits = store.match_text(ADA, Where(kinds=(Kind.LESSON,)), terms("alpha beta gamma"), 5)
    assert [hit.id for hit in hits] == ["lesson"]


def test_counts_follow_every_change_of_the_texts(store):
    def counted():
        return store.term_counts(ADA, ["pear", "plum"]).holding

    store.put([make_memory("m", "pear")])
    assert counted() == {"pear": 1}
    store.touch(ADA, ["m"], at=NOW)
    store.put([make_memory("m", "plum", revision=1)])
    assert counted() == {"plum": 1}
    store.put([make_memory("n", "plum pear")])
    assert counted() == {"plum": 2, "pear": 1}
    store.delete(ADA, ["m"])
    assert counted() == {"plum": 1, "pear": 1}


@pytest.mark.parametrize(
    "word", ['"', 'a"b', "*", "AND", "own:x", "-", "^", "x" * 5_000, "\x00", "\ud83d"]
)
def test_no_term_is_read_as_an_operator(store, word):
    store.put([make_memory("m", "plain text")])
    assert store.match_text(ADA, Where(), [word], 5) == []
    assert store.term_counts(ADA, [word]).holding == {}


def plan(store, statement, values):
    with store._database.read() as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    return " | ".join(row[3] for row in rows)


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.get(ADA, ["m"]),
        lambda s: s.find(ADA, ["k"]),
        lambda s: s.select(ADA, Where()),
        lambda s: s.select(ADA, Where(subject="x")),
        lambda s: s.match_text(ADA, Where(), ["m"], 5),
        lambda s: s.nearest(ADA, Where(), unit_vector(1), 5),
        lambda s: s.cosines(ADA, ["m"], unit_vector(1)),
        lambda s: s.call_stats(ADA, signature="s"),
        lambda s: s.call_stats(ADA, shape="s"),
        lambda s: s.events("run"),
        lambda s: s.unencoded(5),
        lambda s: s.load_recalls(ADA, recall_id="r"),
        lambda s: s.put([make_memory("new", dedupe_key="k")]),
        lambda s: s.touch(ADA, ["m"], at=NOW),
        lambda s: s.change_counter(),
    ],
)
def test_no_call_scans_a_table_of_records(store, call):
    for statement, steps in plans_of(store, call):
        for table in ("memories", "m", "calls", "events", "words", "vectors", "v", "recalls"):
            assert f"SCAN {table} " not in f"{steps} ", (statement, steps)


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.get(ADA, ["m", "n"]),
        lambda s: s.touch(ADA, ["m", "n"], at=NOW),
        lambda s: s.cosines(ADA, ["m", "n"], unit_vector(1)),
        lambda s: s.delete(ADA, ["m", "n"], wipe=False),
    ],
)
def test_a_call_by_ids_does_not_walk_through_the_scope(store, call):
    for statement, steps in plans_of(store, call):
        assert "memories_newest" not in steps, (statement, steps)


@pytest.mark.parametrize(
    "where",
    [
        Where(kinds=(Kind.PREFERENCE,)),
        Where(kinds=(Kind.PREFERENCE,), subject=("tone", "emoji")),
        Where(kinds=(Kind.LESSON,), tool_sequence=("shell",)),
    ],
)
def test_the_few_rules_or_lessons_of_a_scope_are_listed_without_its_facts(store, where):
    for statement, steps in plans_of(store, lambda s: s.select(ADA, where)):
        assert "memories_newest" not in steps, (statement, steps)


def plans_of(store, call):
    """The statements that a call runs, each with the steps that SQLite takes for it."""
    store.put([make_memory("m")])
    store.add_vectors([("m", unit_vector(1))])
    store.nearest(ADA, Where(), unit_vector(1), 5)
    seen = []
    connection = store._database._take()
    connection.set_trace_callback(seen.append)
    store._database._give(connection)
    call(store)
    connection.set_trace_callback(None)
    planned = [s for s in seen if s.split()[0] in ("SELECT", "UPDATE", "DELETE")]
    assert planned
    return [(statement, plan(store, statement, ())) for statement in planned]


rows_drawn = st.lists(st.integers(0, 99), unique=True, max_size=100).map(sorted)


@drawn
@given(rows=rows_drawn, block=st.sampled_from([7, 25, 200]), gathered=st.sampled_from([3, 1000]))
def test_scores_are_those_of_the_bare_product_whatever_rows_are_asked_for(rows, block, gathered):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_vector_matrix, "_BLOCK", block)
        patch.setattr(_vector_matrix, "_GATHERED", gathered)
        matrix = VectorMatrix(8)
        vectors = np.stack([unit_vector(n) for n in range(100)])
        while matrix.capacity < 100:
            matrix.grow()
        matrix.write(np.arange(100), vectors)
        asked = unit_vector(1_000)
        scores = matrix.scores(np.array(rows, np.int64), asked)
    assert scores == pytest.approx(vectors[rows] @ asked, abs=1e-6)
    order = sorted(range(len(rows)), key=lambda n: -scores[n])
    assert list(best(scores, 5)) == order[:5]


def test_a_growing_index_stays_exact_over_changes_and_deletions(store, monkeypatch):
    monkeypatch.setattr(_vector_matrix, "_BLOCK", 16)
    other = SqliteStore(store.path)
    rng, alive = np.random.default_rng(3), {}
    for number in range(150):
        name = f"m{number}"
        store.put([make_memory(name, scope=ADA if number % 3 else BOB)])
        store.add_vectors([(name, unit_vector(number))])
        alive[name] = number
        if number % 4 == 0:
            victim = str(rng.choice(sorted(alive)))
            store.delete(ADA if alive[victim] % 3 else BOB, [victim], wipe=False)
            del alive[victim]
        if number % 10 == 0:
            asked = unit_vector(10_000 + number)
            cosines = {n: float(unit_vector(s) @ asked) for n, s in alive.items() if s % 3}
            expected = sorted(cosines, key=lambda n: -cosines[n])[:7]
            for reader in (store, other):
                assert [h.id for h in reader.nearest(ADA, Where(), asked, 7)] == expected
    other.close()


def test_a_cache_that_missed_too_many_deletions_loads_anew(store, monkeypatch):
    monkeypatch.setattr("hindsight_core.stores._sql_vectors._KEPT_TOMBSTONES", 2)
    other = SqliteStore(store.path)
    names = [f"m{n}" for n in range(9)]
    store.put([make_memory(name) for name in names])
    store.add_vectors([(name, unit_vector(n)) for n, name in enumerate(names)])
    assert len(other.nearest(ADA, Where(), unit_vector(1), 20)) == 9
    for name in names[:6]:
        store.delete(ADA, [name], wipe=False)
    left = {hit.id for hit in other.nearest(ADA, Where(), unit_vector(1), 20)}
    assert left == set(names[6:])
    other.close()


def test_threads_that_search_while_others_write_see_whole_records(store):
    store.put([make_memory(f"m{n}", scope=ADA) for n in range(50)])
    store.add_vectors([(f"m{n}", unit_vector(n)) for n in range(50)])
    wrong, stop = [], threading.Event()

    def search():
        while not stop.is_set():
            for hit in store.nearest(ADA, Where(), unit_vector(7), 60):
                number = int(hit.id.removeprefix("m"))
                if abs(hit.score - float(unit_vector(number) @ unit_vector(7))) > 1e-5:
                    wrong.append(hit)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(50, 110):
        store.put([make_memory(f"m{number}", scope=ADA if number % 2 else BOB)])
        store.add_vectors([(f"m{number}", unit_vector(number))])
        store.delete(ADA, [f"m{number - 40}"], wipe=False)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
