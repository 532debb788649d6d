"""The health of a memory over HTTP, as a plain ASGI application that any server can mount."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias

from hindsight_core._version import __version__
from hindsight_core.engine import Hindsight
from hindsight_core.errors import MissingExtraError
from hindsight_core.service.probing import Probe

__all__ = ["HealthApp"]

logger: Final = logging.getLogger("hindsight_core")
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
_Answer: TypeAlias = tuple[int, str, bytes]
_JSON: Final = "application/json"
_NO_ANSWER: Final = "the store does not answer within 2 s"


class HealthApp:
    """Answers `GET /healthz`, `/readyz` and `/metrics`, and 404 to everything else.

    `/healthz` says that the process runs, whatever the store does: who restarts on it must not
    restart for a server that is down. `/readyz` is 503 while the memory does not serve and names
    what it waits for. `/metrics` needs the extra `metrics`; a `registry` of prometheus_client
    (that of a `PrometheusObserver`) is shown with it. No answer holds a text of a memory, a user
    or a password, so none of them asks for a token. Behind a mount its path comes last.
    """

    def __init__(self, hindsight: Hindsight, *, registry: object = None) -> None:
        self._ready = Probe(hindsight.ready, fresh=0.5)
        self._health = Probe(hindsight.health, fresh=5.0)
        self._registry = _with_health(registry, self._health)
        self._paths: dict[str, Callable[[], _Answer]] = {
            "/healthz": _live,
            "/readyz": self._readiness,
            "/metrics": self._metrics,
        }

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request; of other kinds of connection only the start and end of a server."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    def handles(self, path: str) -> bool:
        """Whether a path is one of its own."""
        return path in self._paths

    async def _answer(self, scope: Message, send: Send) -> None:
        path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
        answer = self._paths.get(path)
        if answer is None:
            status, kind, body = _json(404, {"error": "not found"})
        elif scope["method"] not in ("GET", "HEAD"):
            status, kind, body = _json(405, {"error": "only GET and HEAD"})
        else:
            status, kind, body = await asyncio.to_thread(answer)
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        if status == 405:
            headers.append((b"allow", b"GET, HEAD"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": body})

    def _readiness(self) -> _Answer:
        state = self._ready()
        if state is None:
            return _json(503, {"ready": False, "waiting_for": [_NO_ANSWER]})
        body = {"ready": state.ready, "waiting_for": list(state.waiting_for)}
        return _json(200 if state.ready else 503, body)

    def _metrics(self) -> _Answer:
        if self._registry is None:
            return _json(501, {"error": str(MissingExtraError("metrics", "prometheus_client"))})
        from hindsight_core.service.metrics import CONTENT_TYPE, rendered

        return 200, CONTENT_TYPE, rendered(self._registry)


def _with_health(registry: Any, ask: Any) -> Any:
    """The registry with `health` in it, or None where prometheus_client is not installed."""
    try:
        from hindsight_core.service.metrics import CollectorRegistry, HealthCollector
    except MissingExtraError as error:
        logger.info("no metrics are shown: %s", error)
        return None
    registry = CollectorRegistry() if registry is None else registry
    registry.register(HealthCollector(ask))
    return registry


def _live() -> _Answer:
    return _json(200, {"live": True, "version": __version__})


def _json(status: int, value: object) -> _Answer:
    return status, _JSON, json.dumps(value).encode()


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
