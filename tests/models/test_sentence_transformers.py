"""sentence-transformers on models that are built here: its own layers and tokenizer, no hub."""

from __future__ import annotations

import logging
import string
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    BertTokenizerFast,
)

from hindsight_core import Hindsight, Scope, Settings
from hindsight_core.errors import ModelError
from hindsight_core.models import CrossEncoderReranker, SentenceTransformerEmbedder

_HAN = [chr(0x4E00 + number) for number in range(3_000)]
_VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *string.ascii_lowercase,
    *("##" + letter for letter in string.ascii_lowercase),
    *_HAN,
]
_SCOPE = Scope(user="me")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bi-encoder, `bi`, and a cross-encoder, `cross`, both with fixed weights."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "vocab.txt").write_text("\n".join(_VOCABULARY), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    torch.manual_seed(1)
    shape = BertConfig(
        vocab_size=len(_VOCABULARY),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        num_labels=1,
    )
    for name, kind in (("plain", BertModel), ("cross", BertForSequenceClassification)):
        kind(shape).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    # A folder of transformers alone gets the mean of its tokens as its vector.
    SentenceTransformer(str(folder / "plain"), prompts={"query": "q: ", "document": ""}).save(
        str(folder / "bi")
    )
    return folder


def test_vectors_have_unit_length_and_texts_of_both_languages_differ(models: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(models / "bi"), device="cpu")
    vectors = embedder.passages(["the port", "的端口", "", "x" * 100_000])
    assert vectors.shape == (4, embedder.info.dimension) == (4, 32)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert abs(float(vectors[0] @ vectors[1])) < 0.999


def test_questions_are_asked_for_by_the_prompt_of_questions(models: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(models / "bi"), device="cpu")
    reference = SentenceTransformer(str(models / "bi"), device="cpu")
    wanted = reference.encode("q: the port", normalize_embeddings=True)
    np.testing.assert_allclose(embedder.query("the port"), wanted, atol=1e-5)


def test_a_cross_encoder_scores_as_the_library_does_from_0_to_1(models: Path) -> None:
    reranker = CrossEncoderReranker(str(models / "cross"), device="cpu")
    texts = ["the wiki is at 8080", "端口是八零八零", ""]
    reference = CrossEncoder(str(models / "cross"), device="cpu").predict(
        [("port", text) for text in texts], activation_fn=torch.nn.Sigmoid()
    )
    scores = reranker.scores("port", texts)
    assert scores == pytest.approx([float(score) for score in reference], abs=1e-5)
    assert all(0 < score < 1 for score in scores)
    assert reranker.scores("port", []) == []


def test_a_store_is_encoded_searched_and_reranked_by_them(models: Path, tmp_path: Path) -> None:
    with Hindsight.open(
        str(tmp_path / "m.db"),
        embedder=SentenceTransformerEmbedder(str(models / "bi"), relevance=-1, device="cpu"),
        reranker=CrossEncoderReranker(str(models / "cross"), device="cpu"),
        settings=Settings(relevance=-1),
    ) as memory:
        memory.remember(_SCOPE, "The port of the wiki is 8080.")
        memory.remember(_SCOPE, "备份在每周一进行。")
        memory.flush()
        found = memory.recall(_SCOPE, "which port has the wiki")
        assert found.memories[0].content == "The port of the wiki is 8080."
        assert found.report.embedder.startswith("sentence-transformers:")
        assert all("rerank" in one.evidence for one in found.report.candidates)
        assert not memory.health().errors


def test_a_model_that_is_not_there_is_named_and_the_run_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    missing = str(tmp_path / "no-such-model")
    with pytest.raises(ModelError, match="no-such-model"):
        SentenceTransformerEmbedder(missing, local_files_only=True).passages(["x"])
    with (
        caplog.at_level(logging.WARNING, "hindsight_core"),
        pytest.raises(ModelError, match="no-such-model"),
    ):
        CrossEncoderReranker(missing, local_files_only=True).scores("q", ["x"])
