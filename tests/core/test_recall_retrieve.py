"""Retrieval over the embedded store: what is found, what is left out, and why."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight_core.errors import ConfigurationError
from hindsight_core.han import simplified
from hindsight_core.port_types import TermCounts
from hindsight_core.ports import IndexInfo, Where
from hindsight_core.recall.asked import questions
from hindsight_core.recall.evidence import base_parts
from hindsight_core.recall.found import DEFAULT_SETTINGS, RetrievalSettings
from hindsight_core.recall.lexical import QueryTerms, held_by
from hindsight_core.recall.retrieve import retrieve
from hindsight_core.recall.synonyms import Synonyms
from hindsight_core.schema import (
    Context,
    Evidence,
    Kind,
    Memory,
    MemoryKey,
    MemoryValue,
    Scope,
    Source,
)
from hindsight_core.stores import SqliteStore
from hindsight_core.text import fold, terms

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ME = Scope(user="me")


class BagEmbedder:
    """A bag of hashed terms: alike texts share terms, and nothing is learnt."""

    info = IndexInfo(model="bag", dimension=512, relevance=0.4, same_subject=0.8)

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts], np.float32).reshape(-1, 512)

    def query(self, text: str) -> np.ndarray:
        vector = np.full(512, 1e-3, np.float32)
        for term in terms(text):
            vector[zlib.crc32(term.encode()) % 512] += 1
        return vector / np.linalg.norm(vector)


BAG = BagEmbedder()


def memory(name: str, content: str, scope: Scope = ME, **fields: object) -> Memory:
    made: dict[str, object] = {
        "id": name,
        "scope": scope,
        "kind": Kind.FACT,
        "source": Source.USER,
        "trust": 0.9,
        "value": MemoryValue(content=content),
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Memory.model_validate(made | fields)


@pytest.fixture
def store(tmp_path: Path):
    opened = SqliteStore(tmp_path / "m.db")
    opened.claim_index(BAG.info)
    yield opened
    opened.close()


def encode(store: SqliteStore) -> None:
    waiting = store.unencoded(1000)
    vectors = BAG.passages([text for _, text in waiting])
    store.add_vectors((one, vector) for (one, _), vector in zip(waiting, vectors, strict=True))


def ask(store: SqliteStore, text: str, *, scope: Scope = ME, where: Where | None = None, **more):
    more = {"top_k": 3, "now": NOW} | more
    return retrieve(store, BAG, scope, text, where or Where(), **more)


def names(found) -> list[str]:
    return [one.memory.id for one in found.kept]


TEXTS = {
    "wiki": "The wiki listens on port 8080.",
    "tea": "She drinks green tea in the morning.",
    "refund": "退款需要订单编号。",
    "hotel": "我们住在海边的酒店。",
}


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    store.put([memory(name, text) for name, text in TEXTS.items()])
    encode(store)
    return store


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("On which port is the wiki?", "wiki"),
        ("What tea does she drink?", "tea"),
        ("怎么退款？", "refund"),
        ("怎麼退款？", "refund"),
        ("我们住哪个酒店？", "hotel"),
    ],
)
def test_the_memory_that_answers_comes_first(
    filled: SqliteStore, question: str, first: str
) -> None:
    assert names(ask(filled, question))[0] == first


@pytest.mark.parametrize("question", ["How heavy is an elephant?", "大象有多重？", "", "  \x00"])
def test_below_the_threshold_nothing_is_returned(filled: SqliteStore, question: str) -> None:
    found = ask(filled, question)
    assert found.kept == ()
    assert all(one.why_not == "below the relevance threshold" for one in found.candidates)


def test_the_threshold_is_that_of_the_index(filled: SqliteStore) -> None:
    assert names(ask(filled, "green tea")) == ["tea"]
    filled.claim_index(replace(BAG.info, relevance=0.99))
    assert ask(filled, "green tea").threshold == 0.99


def test_what_is_left_out_says_why_and_every_part_is_there(filled: SqliteStore) -> None:
    found = ask(filled, "the wiki and the green tea", top_k=1)
    kept, beyond = found.candidates[:2]
    assert kept.kept
    assert beyond.why_not == "beyond the best 1"
    assert kept.similarity == pytest.approx(sum(kept.parts.values()))
    assert kept.score.total >= beyond.score.total
    assert set(kept.parts) >= {"words", "vector", "feedback"}
    assert kept.matched


def test_a_message_with_two_questions_gets_the_best_of_each(filled: SqliteStore) -> None:
    found = ask(filled, "Which port has the wiki? Also, what tea does she drink?", top_k=2)
    assert names(found) == ["wiki", "tea"]
    assert [one.question for one in found.kept] == [0, 1]


def test_a_memory_without_a_vector_is_found_by_its_words(filled: SqliteStore) -> None:
    filled.put([memory("new", "The printer jams on thick paper.")])
    found = ask(filled, "Why does the printer jam?")
    assert names(found)[0] == "new"
    assert found.kept[0].cosine is None


def test_without_an_embedder_words_alone_find(filled: SqliteStore) -> None:
    found = retrieve(filled, None, ME, "the port of the wiki", Where(), top_k=3, now=NOW)
    assert names(found)[0] == "wiki"
    assert found.lexical_only


def test_a_recall_in_another_process_sees_a_write_at_once(filled: SqliteStore) -> None:
    assert names(ask(filled, "the plumber's number")) == []
    script = (
        "import sys; from datetime import UTC, datetime;"
        "from hindsight_core.schema import *; from hindsight_core.stores import SqliteStore;"
        "now = datetime(2026, 3, 1, tzinfo=UTC);"
        "SqliteStore(sys.argv[1]).put([Memory(id='plumber', scope=Scope(user='me'),"
        " kind=Kind.FACT, source=Source.USER, trust=0.9, created_at=now, updated_at=now,"
        " value=MemoryValue(content='The number of the plumber is 555 0199.'))])"
    )
    subprocess.run([sys.executable, "-c", script, str(filled.path)], check=True)
    assert names(ask(filled, "the plumber's number"))[0] == "plumber"


def test_the_hard_filter_holds_and_leaves_the_whole_scope_when_it_finds_nothing(
    filled: SqliteStore,
) -> None:
    filled.put([memory("booking", "The wiki is down.", key=MemoryKey(task_type="ops"))])
    found = ask(filled, "the wiki", where=Where(task_type="ops"))
    assert names(found) == ["booking"]
    assert not found.widened
    wide = ask(filled, "the wiki", where=Where(task_type="cooking"))
    assert set(names(wide)) == {"wiki", "booking"}
    assert wide.widened
    assert ask(filled, "the wiki", where=Where(kinds=(Kind.LESSON,))).kept == ()


def test_what_was_superseded_or_has_expired_is_not_recalled(store: SqliteStore) -> None:
    store.put(
        [
            memory("old", "The wiki listens on port 80.", superseded_by="new"),
            memory("new", "The wiki listens on port 8080."),
            memory("gone", "The wiki listens nowhere.", expires_at=NOW - timedelta(days=1)),
        ]
    )
    found = ask(store, "Where does the wiki listen?")
    assert names(found) == ["new"]
    assert [one.why_not for one in found.candidates if one.memory.id == "gone"] == ["expired"]


def test_of_two_that_say_the_same_only_the_better_is_kept(store: SqliteStore) -> None:
    store.put([memory("one", "Call the dentist."), memory("two", "call the DENTIST.", trust=0.4)])
    assert names(ask(store, "dentist")) == ["one"]


def test_who_spoke_and_what_came_before_find_a_turn_and_are_not_its_content(
    store: SqliteStore,
) -> None:
    store.put(
        [
            memory(
                "answer",
                "Two weeks ago!",
                context=Context(speaker="Dana", before="Omar: When did you move to Lisbon?"),
            ),
            memory("other", "Two cats.", context=Context(speaker="Omar")),
        ]
    )
    found = ask(store, "When did Dana move to Lisbon?")
    assert names(found)[0] == "answer"
    assert found.kept[0].parts["speaker"] > 0
    assert found.kept[0].memory.content == "Two weeks ago!"


@pytest.mark.parametrize(
    ("named", "unnamed", "speaker", "empty", "telling"),
    [
        (
            "When did Owen lose his pickup?",
            "When was the pickup lost?",
            "Owen",
            "What?",
            "The truck died on the way home from the county fair.",
        ),
        (
            "王芳的车什么时候坏的？",
            "车什么时候坏的？",
            "王芳",
            "什么？",
            "星期五晚上从市集回家的路上，卡车冒烟熄火了。",
        ),
    ],
)
def test_a_turn_that_says_nothing_does_not_gain_by_the_name_of_its_speaker(
    named: str, unnamed: str, speaker: str, empty: str, telling: str
) -> None:
    def strength(question: str, content: str) -> float:
        said = memory("one", content, context=Context(speaker=speaker))
        asked = next(iter(questions(question)))
        match = QueryTerms(asked.terms, TermCounts(total=1, holding={})).match(held_by(said))
        return base_parts(asked, said, 0.8, match, DEFAULT_SETTINGS)["vector"]

    assert strength(unnamed, empty) == strength(unnamed, telling)
    assert strength(named, empty) < 0.7 * strength(named, telling)


def test_the_best_memory_leads_on_to_what_belongs_to_it(store: SqliteStore) -> None:
    store.put(
        [
            memory("who", "Marta is the head of the harbour office."),
            memory("number", "Marta has the phone number 555 0123."),
            memory("noise", "Pavel has the phone number 555 0177."),
        ]
    )
    encode(store)
    found = ask(store, "the phone number of the head of the harbour office")
    assert names(found)[:2] == ["who", "number"]


def test_memories_of_one_run_speak_for_each_other(store: SqliteStore) -> None:
    trip = (Evidence(run_id="trip"),)
    store.put(
        [
            memory("lake", "We swam in the lake.", evidence=trip),
            memory("boat", "The boat on the lake was red.", evidence=trip),
            memory("alone", "A lake is on the map.", evidence=(Evidence(run_id="map"),)),
        ]
    )
    parts = {one.memory.id: one.parts["run"] for one in ask(store, "the lake").candidates}
    assert parts["lake"] == parts["boat"] > parts["alone"]


def test_a_reranker_has_the_last_word_on_the_best(filled: SqliteStore) -> None:
    class Shortest:
        def scores(self, query: str, texts: Sequence[str]) -> list[float]:
            assert query == "wiki tea"
            return [float("tea" in text) for text in texts]

    assert names(ask(filled, "wiki tea", rerank=Shortest().scores))[0] == "tea"


@pytest.mark.parametrize("question", ["我要退货", "我要退錢", "how do I get a refund?"])
def test_words_that_mean_the_same_find_each_other(store: SqliteStore, question: str) -> None:
    store.put([memory("rule", "退款需要主管同意。"), memory("other", "发货需要三天。")])
    assert names(retrieve(store, None, ME, question, Where(), top_k=3, now=NOW)) == ["rule"]


def test_an_entity_is_filtered_by_all_its_names(store: SqliteStore) -> None:
    store.put(
        [
            memory("rule", "Ask a manager.", key=MemoryKey(entities=("refund",))),
            memory("other", "Ask a manager.", key=MemoryKey(entities=("shipping",))),
        ]
    )
    found = ask(store, "whom to ask?", where=Where(entities=("退货",)))
    assert [one.memory.id for one in found.candidates] == ["rule"]


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("which package manager should I use?", "The user wants pnpm, not npm."),
        ("该用哪个包管理器？", "以后都用 pnpm，别用 npm。"),
        ("用哪個包管理器？", "The user wants pnpm, not npm."),
        ("what test framework do we use", "测试一律用 pytest。"),
        ("测试框架用什么", "Run pytest before every commit."),
        ("which database should the service use?", "The service keeps its rows in PostgreSQL."),
        ("哪个云平台合适", "机器都放在阿里云上。"),
        ("which editor does he like", "He writes everything in VS Code."),
        ("打开哪个浏览器", "Open links in Firefox."),
    ],
)
def test_a_question_for_a_kind_finds_the_thing_of_that_kind(
    store: SqliteStore, question: str, right: str
) -> None:
    others = ["Ask before you spend money.", "会议在周五。", "The report is due on Monday."]
    texts = [right, *others]
    store.put([memory(f"m{number}", text) for number, text in enumerate(texts)])
    found = retrieve(store, None, ME, question, Where(), top_k=3, now=NOW)
    assert names(found)[:1] == ["m0"]


def test_a_thing_finds_neither_its_kind_nor_another_of_it(store: SqliteStore) -> None:
    store.put([memory("kind", "Ask about the package manager."), memory("other", "Use yarn.")])
    found = retrieve(store, None, ME, "is npm fine?", Where(), top_k=3, now=NOW)
    assert names(found) == []


def test_what_names_the_kind_itself_comes_before_what_names_a_thing(store: SqliteStore) -> None:
    store.put([memory("thing", "Use yarn."), memory("kind", "The package manager is pinned.")])
    found = retrieve(store, None, ME, "which package manager", Where(), top_k=3, now=NOW)
    assert names(found) == ["kind", "thing"]


@pytest.mark.parametrize("wanted", ["package manager", "Package Manager", "包管理器"])
def test_an_entity_of_a_kind_passes_the_filter_for_that_kind(
    store: SqliteStore, wanted: str
) -> None:
    store.put(
        [
            memory("rule", "Ask a manager.", key=MemoryKey(entities=("pnpm",))),
            memory("other", "Ask a manager.", key=MemoryKey(entities=("Firefox",))),
        ]
    )
    found = ask(store, "whom to ask?", where=Where(entities=(wanted,)))
    assert [one.memory.id for one in found.candidates] == ["rule"]


def test_the_shipped_kinds_are_written_as_they_are_compared() -> None:
    kinds = tomllib.loads(files("hindsight_core.recall").joinpath("kinds.toml").read_text("utf-8"))
    for kind in kinds["kind"]:
        every = [*kind["names"], *kind["members"]]
        assert every == list(dict.fromkeys(simplified(fold(one)) for one in every))
        assert all(terms(one) and len(max(terms(one), key=len)) > 1 for one in every)


def test_a_user_adds_words_of_his_own(store: SqliteStore) -> None:
    store.put([memory("box", "The blue box needs a new fuse.")])
    question = "what is wrong with the TARDIS"
    own = Synonyms.shipped().extended([("tardis", "blue box")])
    assert names(retrieve(store, None, ME, question, Where(), top_k=3, now=NOW)) == []
    found = retrieve(store, None, ME, question, Where(), top_k=3, now=NOW, synonyms=own)
    assert names(found) == ["box"]


@pytest.mark.parametrize("group", [["alone"], ["word", "?!"], []])
def test_a_group_of_synonyms_needs_two_words(group: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="synonyms"):
        Synonyms([group])


SCOPES = st.builds(
    Scope,
    tenant=st.sampled_from(["t1", "t2"]),
    user=st.sampled_from(["u1", "u2"]),
    agent=st.sampled_from([None, "a1", "a2"]),
    session=st.sampled_from([None, "s1"]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(owners=st.lists(SCOPES, min_size=1, max_size=8), asking=SCOPES, encoded=st.booleans())
def test_no_recall_crosses_a_scope(
    tmp_path_factory: pytest.TempPathFactory, owners: list[Scope], asking: Scope, encoded: bool
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("scopes") / "m.db")
    store.claim_index(BAG.info)
    store.put(
        [memory(f"m{n}", f"secret number {n}, 秘密", owner) for n, owner in enumerate(owners)]
    )
    if encoded:
        encode(store)
    found = ask(store, "the secret number 秘密", scope=asking, top_k=20)
    seen = {f"m{n}" for n, owner in enumerate(owners) if asking.sees(owner)}
    assert set(names(found)) == seen
    assert {one.memory.id for one in found.candidates} == seen
    store.close()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    words=st.lists(
        st.sampled_from(["refund", "退款", "booked", "flights", "ＡＢ１", "頁面", "x-1"]),
        min_size=1,
    )
)
def test_a_text_is_found_by_its_own_words(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    store = SqliteStore(tmp_path_factory.mktemp("own") / "m.db")
    text = " ".join(words)
    store.put([memory("it", text), memory("other", "unrelated")])
    found = retrieve(
        store, None, ME, text.upper(), Where(), top_k=1, now=NOW, settings=RetrievalSettings()
    )
    assert names(found) == ["it"]
    store.close()
