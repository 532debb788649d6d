"""A scripted OpenAI-compatible server on loopback, for tests: real sockets, no model.

Answers `POST /v1/chat/completions` (streamed or not, with tool calls), `POST /v1/embeddings`
(floats or base64) and `GET /v1/models`. Every request is kept for the test to look at.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from hindsight_core.testing._openai_wire import (
    CREATED,
    Reply,
    ScriptedCall,
    Step,
    as_reply,
    completion,
    completion_chunks,
    embedding_list,
    embedding_texts,
    error_object,
)

__all__ = ["RecordedRequest", "Reply", "ScriptedCall", "ScriptedServer", "Step", "hashed_vector"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRequest:
    """A request as it arrived; header names are in lower case."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]


class ScriptedServer:
    """Plays `script`, one step a chat completion, in the order in which the requests arrive.

    After its last step it starts over if `cycle`, and else answers 400, which no client retries.
    `embed` makes the vector of a text (default: `hashed_vector`); `statuses` are sent, one each,
    before embeddings are answered. With `api_key` any other key gets 401. Without `keep_alive` each
    connection serves one request, so that a client holds none for another event loop. Use it as a
    context manager; `url` ends in `/v1`.
    """

    def __init__(
        self,
        script: Sequence[Step] = (),
        *,
        cycle: bool = False,
        embed: Callable[[str], Sequence[float]] | None = None,
        statuses: Sequence[int] = (),
        api_key: str | None = None,
        keep_alive: bool = True,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.closing = threading.Event()
        self.api_key = api_key
        self.keep_alive = keep_alive
        self.embed = embed or hashed_vector
        self._steps: Iterator[Step] = itertools.cycle(script) if cycle else iter(script)
        self._statuses = iter(statuses)
        self._lock = threading.Lock()
        self._answered = 0
        self._http = _Server(self)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), name="scripted-server", daemon=True
        )
        self._thread.start()

    def play(self, *steps: Step) -> None:
        """Play these steps from now on, in place of what is left of the script."""
        with self._lock:
            self._steps = iter(steps)

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests so far."""
        return [r.body for r in self.requests if r.path.endswith("/chat/completions")]

    def close(self) -> None:
        """Stop serving, wake every delayed answer and give the port back."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def record(self, request: RecordedRequest) -> None:
        """Keep a request."""
        with self._lock:
            self.requests.append(request)

    def next_reply(self, request: dict[str, Any]) -> tuple[int, Reply]:
        """Take the next step of the script; return its number, from 1, and what to answer."""
        with self._lock:
            step = next(self._steps, _EXHAUSTED)
            self._answered += 1
            number = self._answered
        return number, as_reply(step, request)

    def next_embedding_status(self) -> int:
        """The status with which the next request for embeddings is answered."""
        with self._lock:
            return next(self._statuses, 200)


_EXHAUSTED: Final = Reply(status=400, text="the script has no further step")


def hashed_vector(text: str, dimension: int = 8) -> list[float]:
    """A vector of unit length that depends on the text alone: the same text, the same vector.

    `dimension` is at most 64.
    """
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=dimension).digest()
    values = [byte / 127.5 - 1.0 for byte in digest]
    length = sum(v * v for v in values) ** 0.5 or 1.0
    return [v / length for v in values]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: ScriptedServer) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of many tests, and nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes: with Nagle's algorithm the second waits up to 40 ms for the
    # client's delayed acknowledgement of the first.
    disable_nagle_algorithm = True
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Print nothing."""

    def do_GET(self) -> None:
        self._received({})
        if self.path.endswith("/models"):
            model = {"id": "scripted", "object": "model", "created": CREATED, "owned_by": "tests"}
            self._json({"object": "list", "data": [model]})
        else:
            self._error(Reply(status=404, text=f"no route {self.path}"))

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body: dict[str, Any] = json.loads(self.rfile.read(length) or b"{}")
        self._received(body)
        key = self.server.script.api_key
        if key is not None and self.headers.get("authorization") != f"Bearer {key}":
            self._error(Reply(status=401, text="wrong API key"))
        elif self.path.endswith("/chat/completions"):
            self._chat(body)
        elif self.path.endswith("/embeddings"):
            self._embeddings(body)
        else:
            self._error(Reply(status=404, text=f"no route {self.path}"))

    def _received(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.script.record(RecordedRequest(path=self.path, body=body, headers=headers))

    def _chat(self, body: dict[str, Any]) -> None:
        number, reply = self.server.script.next_reply(body)
        if reply.delay and self.server.script.closing.wait(reply.delay):
            self.close_connection = True
        elif reply.status != 200:
            self._error(reply)
        elif body.get("stream"):
            self._stream(completion_chunks(body, number, reply), cut_after=reply.cut_after)
        else:
            self._json(completion(body, number, reply), headers=reply.headers)

    def _embeddings(self, body: dict[str, Any]) -> None:
        if (status := self.server.script.next_embedding_status()) != 200:
            self._error(Reply(status=status, text="scripted failure"))
            return
        vectors = [self.server.script.embed(text) for text in embedding_texts(body)]
        self._json(embedding_list(body, vectors))

    def _error(self, reply: Reply) -> None:
        self._json(error_object(reply.text), reply.status, reply.headers)

    def _json(
        self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if not self.server.script.keep_alive:
            self.send_header("connection", "close")  # which also makes the server close it
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, chunks: Sequence[Mapping[str, Any]], *, cut_after: int | None) -> None:
        # In HTTP chunks, so that a client can tell a cut answer from a finished one.
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        events = [json.dumps(chunk).encode() for chunk in chunks[:cut_after]]
        for event in [*events, *([b"[DONE]"] if cut_after is None else [])]:
            data = b"data: " + event + b"\n\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if cut_after is None:
            self.wfile.write(b"0\r\n\r\n")
