"""Reranking by an endpoint: `POST {base_url}/rerank`, as Jina, Cohere, vLLM and others serve it."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any, Final, cast

from hindsight_core.errors import ConfigurationError, ModelError
from hindsight_core.models._local import cap

__all__ = ["EndpointReranker"]

_TRY_AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504})


class EndpointReranker:
    """Asks `{base_url}/rerank` with `{"model", "query", "documents"}` for `relevance_score`s.

    The form that Jina and Cohere set and vLLM, Infinity, LocalAI and text-embeddings routers share.
    No package is needed. `max_retries` on 408, 409, 429 and 5xx with doubling pauses from
    `pause` seconds. Scores outside 0 to 1 are clipped. Raises `ModelError`.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        max_retries: int = 2,
        timeout: float = 10.0,
        pause: float = 0.25,
        max_bytes: int = 8_000,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ConfigurationError(f"base_url: must be an http(s) URL, got {base_url!r:.80}")
        self._model = model
        self._url = base_url.rstrip("/") + "/rerank"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._max_retries = max_retries
        self._timeout = timeout
        self._pause = pause
        self._max_bytes = max_bytes

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, larger is better, in the order of the texts."""
        if not texts:
            return []
        answer = self._ask(
            {
                "model": self._model,
                "query": cap(query, self._max_bytes),
                "documents": [cap(text, self._max_bytes) for text in texts],
                "top_n": len(texts),
            }
        )
        try:
            found = {
                int(item["index"]): min(1.0, max(0.0, float(item["relevance_score"])))
                for item in answer["results"]
            }
            return [found[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self._url} answered no relevance_score for each of {len(texts)} documents"
            ) from error

    def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked in __init__
            self._url, data=json.dumps(body).encode(), headers=self._headers, method="POST"
        )
        problem = ""
        for attempt in range(self._max_retries + 1):
            if attempt:
                time.sleep(self._pause * 2 ** (attempt - 1))
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                    return cast("dict[str, Any]", json.loads(answer.read()))
            except urllib.error.HTTPError as error:
                with error:
                    problem = f"HTTP {error.code} {error.reason}"
                if error.code not in _TRY_AGAIN:
                    break
            except (OSError, ValueError) as error:
                problem = str(error)
        raise ModelError(f"reranking by {self._url} failed: {problem}")
