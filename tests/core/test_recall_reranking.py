"""A reranker behind a real endpoint decides among the best, and a recall can do without it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.models import EndpointReranker

ME = Scope(user="me")


class _Rerank(BaseHTTPRequestHandler):
    """Prefers what holds the server's favourite word, as a cross-encoder that knows better."""

    def do_POST(self) -> None:
        server: Any = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append(body)
        server.gate.wait(60)
        results = [
            {"index": place, "relevance_score": 0.9 if server.favourite in text else 0.1}
            for place, text in enumerate(body["documents"])
        ]
        data = json.dumps({"results": results}).encode()
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Rerank)
    server.seen, server.status, server.favourite = [], 200, ""
    server.gate = threading.Event()
    server.gate.set()
    server.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.gate.set()
    server.shutdown()
    server.server_close()
    thread.join()


def opened(tmp_path: Path, server: Any, **options: Any) -> Hindsight:
    reranker = EndpointReranker("r", base_url=server.url, max_retries=0)
    return Hindsight.open(str(tmp_path / "m.db"), embedder=None, reranker=reranker, **options)


@pytest.mark.parametrize(
    ("said", "question", "favourite"),
    [
        (
            ("The wiki runs on port 8080.", "The wiki port of the test system is 9090."),
            "Which port has the wiki?",
            "8080",
        ),
        (
            ("维基的端口是 8080。", "测试系统的维基端口是 9090，不是生产端口。"),
            "维基的端口是多少？",
            "8080",
        ),
    ],
)
@pytest.mark.parametrize("other", [False, True])
def test_the_reranker_decides_which_of_the_best_comes_first(
    tmp_path: Path,
    server: Any,
    said: tuple[str, str],
    question: str,
    favourite: str,
    other: bool,
) -> None:
    server.favourite = "9090" if other else favourite
    with opened(tmp_path, server) as memory:
        for text in said:
            memory.remember(ME, text)
        found = memory.recall(ME, question)
    assert server.favourite in found.memories[0].content
    assert server.seen[0]["query"] == question
    assert set(said) == set(server.seen[0]["documents"])
    assert found.report.candidates[0].evidence["rerank"] == pytest.approx(0.45)


@pytest.mark.swallows
def test_a_recall_goes_on_without_a_reranker_that_fails(tmp_path: Path, server: Any) -> None:
    server.status = 500
    with opened(tmp_path, server) as memory:
        memory.remember(ME, "The wiki runs on port 8080.")
        assert memory.recall(ME, "Which port has the wiki?").memories
        assert "rerank" in memory.health().last_error


@pytest.mark.swallows
def test_a_run_does_not_wait_for_a_slow_reranker(
    tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hindsight_core.engine.recorder._PATIENCE", 0.005)  # of a long deadline
    server.gate.clear()
    with opened(tmp_path, server) as memory:
        memory.remember(ME, "The wiki runs on port 8080.")
        block = memory.run(ME, task="Which port has the wiki?").context()
        assert block is not None
        assert "8080" in block.text
        assert "rerank: TimeoutError" in memory.health().last_error


def test_without_one_nothing_is_reranked(tmp_path: Path) -> None:
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as memory:
        memory.remember(ME, "The wiki runs on port 8080.")
        found = memory.recall(ME, "Which port has the wiki?")
    assert "rerank" not in found.report.candidates[0].evidence
