"""fastembed on a model that is built here: its own runtime and tokenizer, no hub, no network."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.errors import ModelError
from hindsight_core.models import FastEmbedEmbedder

WORDS = ["[PAD]", "[UNK]", "[CLS]", "tea", "green", "wiki", "port", "茶", "端口"]
DIMENSION = 384


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder: a table of vectors, one a word, of which the first word's is the text's."""
    onnx: Any = import_module("onnx")
    tokenizers: Any = import_module("tokenizers")
    words = tokenizers.models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    settings = {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 64, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    }
    for name, content in settings.items():
        (tmp_path / name).write_text(json.dumps(content))
    table = np.random.default_rng(0).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)
    helper, kinds = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "table",
        [
            helper.make_tensor_value_info(name, kinds.INT64, ["texts", "words"])
            for name in ("input_ids", "attention_mask")
        ],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", kinds.FLOAT, ["texts", "words", DIMENSION]
            )
        ],
        [onnx.numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, str(tmp_path / "model_optimized.onnx"))
    return tmp_path


def test_vectors_have_the_announced_shape_and_unit_length(folder: Path) -> None:
    embedder = FastEmbedEmbedder(specific_model_path=str(folder))
    rows = embedder.passages(["tea green", "wiki", "", *["port"] * 40])
    assert rows.shape == (43, embedder.info.dimension) == (43, DIMENSION)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert embedder.passages([]).shape == (0, DIMENSION)
    assert embedder.info.model == "fastembed:BAAI/bge-small-en-v1.5"
    near, far = rows[:2] @ embedder.query("tea")
    assert near > 0.99 > far


@pytest.mark.parametrize(("said", "asked"), [("tea please", "tea ?"), ("茶 please", "茶 ?")])
def test_a_memory_is_recalled_by_it(folder: Path, tmp_path: Path, said: str, asked: str) -> None:
    embedder = FastEmbedEmbedder(specific_model_path=str(folder))
    with Hindsight.open(str(tmp_path / "m.db"), embedder=embedder) as memory:
        memory.remember(Scope(user="me"), said)
        assert memory.flush()
        found = memory.recall(Scope(user="me"), asked)
    assert found.report.candidates[0].cosine == pytest.approx(1.0, abs=1e-4)
    assert found.memories[0].content == said


def test_weights_that_cannot_be_had_are_one_clear_error(folder: Path) -> None:
    (folder / "model_optimized.onnx").unlink()
    embedder = FastEmbedEmbedder(specific_model_path=str(folder))
    with pytest.raises(ModelError, match="could not load 'BAAI/bge-small-en"):
        embedder.passages(["x"])
