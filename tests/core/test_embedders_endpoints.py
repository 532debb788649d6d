"""Embeddings and reranking over HTTP, against real sockets."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from hindsight_core.errors import ConfigurationError, MissingExtraError, ModelError
from hindsight_core.models import EndpointReranker, OpenAIEmbedder
from hindsight_core.ports import Embedder, Reranker
from hindsight_core.testing.scripted_server import ScriptedServer, hashed_vector


def embedder(server: ScriptedServer, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", **{"base_url": server.url, "dimension": 8} | options)


def requests(server: ScriptedServer) -> list[dict[str, Any]]:
    return [r.body for r in server.requests if r.path.endswith("/embeddings")]


@pytest.mark.parametrize("encoding_format", ["base64", "float"])
def test_vectors_come_back_in_order_and_in_batches(encoding_format: str) -> None:
    texts = [f"text {n}, 第{n}句" for n in range(5)]
    with ScriptedServer() as server:
        made = embedder(server, batch_size=2, encoding_format=encoding_format)
        rows = made.passages(texts)
        assert isinstance(made, Embedder)
        assert made.info.model == "openai:tiny"
    assert rows.shape == (5, 8)
    assert np.allclose(rows, [hashed_vector(text) for text in texts], atol=1e-6)
    assert [len(body["input"]) for body in requests(server)] == [2, 2, 1]
    assert {body["encoding_format"] for body in requests(server)} == {encoding_format}


def test_questions_and_passages_get_their_prefixes() -> None:
    with ScriptedServer() as server:
        made = embedder(server, query_prefix="query: ", passage_prefix="passage: ")
        made.query("who?")
        made.passages(["she"])
    assert [body["input"] for body in requests(server)] == [["query: who?"], ["passage: she"]]


def test_a_busy_endpoint_is_asked_again() -> None:
    with ScriptedServer(statuses=[429, 503]) as server:
        vector = embedder(server, max_retries=2).query("again")
    assert np.allclose(vector, hashed_vector("again"), atol=1e-6)


@pytest.mark.parametrize("statuses", [[400], [500, 500]])
def test_an_endpoint_that_fails_is_one_clear_error(statuses: list[int]) -> None:
    with (
        ScriptedServer(statuses=statuses) as server,
        pytest.raises(ModelError, match="the endpoint for 'tiny' failed"),
    ):
        embedder(server, max_retries=1).query("no")


def test_an_endpoint_that_is_down_is_the_same_error() -> None:
    made = OpenAIEmbedder("tiny", base_url="http://127.0.0.1:9/v1", dimension=8, max_retries=0)
    with pytest.raises(ModelError):
        made.query("anybody?")


def test_another_length_than_announced_is_refused_and_names_the_right_one() -> None:
    with (
        ScriptedServer() as server,
        pytest.raises(ModelError, match="dimension=8"),
    ):
        embedder(server, dimension=9).query("short")


def test_the_endpoint_is_asked_to_shorten_only_when_told() -> None:
    with ScriptedServer() as server:
        embedder(server).query("as they are")
        embedder(server, reduce=True).query("shorter")
        with pytest.raises(ModelError):
            OpenAIEmbedder(base_url=server.url, dimension=256).query("known model")
    asked = [body.get("dimensions") for body in requests(server)]
    assert asked == [None, 8, 256]


def test_an_unknown_model_needs_its_dimension() -> None:
    with pytest.raises(ConfigurationError, match="dimension"):
        OpenAIEmbedder("mystery", base_url="http://127.0.0.1:9/v1")
    assert OpenAIEmbedder(base_url="http://127.0.0.1:9/v1").info.dimension == 1536


def test_no_key_of_another_host_is_sent_to_a_server_of_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    with ScriptedServer() as server:
        embedder(server).query("hello")
        assert "sk-of-openai" not in server.requests[0].headers["authorization"]


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"hindsight-core\[openai\]"):
        OpenAIEmbedder()


class _Rerank(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        status, answer = self.server.answers.pop(0)
        if answer is None:
            scored = [
                {"index": n, "relevance_score": float(body["query"] in text)}
                for n, text in enumerate(body["documents"])
            ]
            answer = {"results": sorted(scored, key=lambda one: -one["relevance_score"])}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def rerank_server() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Rerank)
    server.seen, server.answers = [], []
    server.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_scores_come_back_in_the_order_of_the_texts(rerank_server: Any) -> None:
    rerank_server.answers = [(503, {}), (200, None)]
    reranker = EndpointReranker("r", base_url=rerank_server.url, api_key="k", pause=0.001)
    assert isinstance(reranker, Reranker)
    assert reranker.scores("tea", ["coffee", "green tea", "水"]) == [0.0, 1.0, 0.0]
    path, headers, body = rerank_server.seen[-1]
    assert (path, body["model"], body["top_n"]) == ("/v1/rerank", "r", 3)
    assert headers["Authorization"] == "Bearer k"
    assert reranker.scores("tea", []) == []


@pytest.mark.parametrize(
    "answers",
    [
        [(400, {})],
        [(500, {}), (500, {}), (500, {})],
        [(200, {"results": [{"index": 0}]})],
        [(200, {"results": []})],
        [(200, {"error": "no"})],
    ],
)
def test_a_reranker_that_fails_is_one_clear_error(rerank_server: Any, answers: list[Any]) -> None:
    rerank_server.answers = answers
    with pytest.raises(ModelError):
        EndpointReranker("r", base_url=rerank_server.url, pause=0.001).scores("q", ["a"])


def test_a_base_url_must_be_http() -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        EndpointReranker("r", base_url="file:///etc/passwd")
