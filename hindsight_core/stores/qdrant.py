"""Vectors on a Qdrant server or cluster: one collection for each store and embedder.

One collection and not one a month: the scope is its tenant index, so a search costs what one user
holds, of whatever age, and what is older than three months is found as well (docs/benchmarks.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from hindsight_core.errors import ConfigurationError, MissingExtraError
from hindsight_core.stores._vector_matrix import Matrix
from hindsight_core.stores.points import Point, PointFilter, PointIndexError, PointsGoneError

try:
    from qdrant_client import QdrantClient, models
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

    from hindsight_core.stores._qdrant_filters import filter_of, inside
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "qdrant_client":
        raise
    raise MissingExtraError("qdrant", "qdrant-client", reason=str(error)) from error

__all__ = ["KEY_VARIABLE", "QdrantPoints", "open_qdrant"]

KEY_VARIABLE: Final = "HINDSIGHT_VECTORS_KEY"
_OPTIONS: Final = ("prefix", "replicas", "shards", "timeout")
_SEARCH_SECONDS: Final = 1
"""After so many seconds a search goes by words; the whole recall has two."""
_WRITE_SECONDS: Final = 30
_NOT_FOUND: Final = 404
_PORT: Final = 6333
_INDEXES: Final = {
    "scope": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    "kind": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    "status": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    "superseded": models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=True, range=False
    ),
    "time": models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=False, range=True
    ),
    "trust": models.FloatIndexParams(type=models.FloatIndexType.FLOAT),
}
_QUANTIZED: Final = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(
        type=models.ScalarType.INT8, quantile=0.99, always_ram=True
    )
)
_SEARCHED: Final = models.SearchParams(
    hnsw_ef=128, quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0)
)


def open_qdrant(url: str) -> QdrantPoints:
    """Open the index of `qdrant://host[:port]` or, by TLS, `qdrants://host[:port]`.

    Options: `prefix` of the server's path, `replicas` and `shards` of a new collection, `timeout`
    of a search in seconds. The API key is that of HINDSIGHT_VECTORS_KEY, else the password of the
    URL. Nothing is asked of the server yet. Raises `ConfigurationError`.
    """
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(options.keys() - {*_OPTIONS})
    try:
        port = parts.port or _PORT
    except ValueError:
        unknown.append("the port")
        port = _PORT
    if unknown or not parts.hostname or parts.path.strip("/"):
        said = ", ".join(unknown) or parts.path.strip("/") or "a URL without a host"
        raise ConfigurationError(
            f"vectors: {said} is not understood. Use {parts.scheme}://host:{_PORT}, with "
            f"?{'=..&'.join(_OPTIONS)}=.. as options"
        )
    search_seconds = _number(options, "timeout") or _SEARCH_SECONDS
    key = os.environ.get(KEY_VARIABLE) or unquote(parts.password or parts.username or "") or None

    def connect(seconds: int) -> QdrantClient:
        return QdrantClient(
            host=parts.hostname,
            port=port,
            https=parts.scheme == "qdrants",
            prefix=options.get("prefix"),
            api_key=key,
            timeout=seconds,
            check_compatibility=False,  # which would ask the server here and now
        )

    return QdrantPoints(
        connect,
        name=f"{parts.scheme}://{parts.hostname}:{port}",
        search_seconds=search_seconds,
        replicas=_number(options, "replicas"),
        shards=_number(options, "shards"),
    )


def _number(options: dict[str, str], name: str) -> int | None:
    value = options.get(name)
    if value is None:
        return None
    if not value.isdecimal() or int(value) < 1:
        raise ConfigurationError(f"vectors: {name}={value} must be a whole number above 0")
    return int(value)


class QdrantPoints:
    """A `PointIndex` over `qdrant-client`; `connect` makes a client with a timeout in seconds.

    The vectors are on the server's disk, their quantized form (int8) in its memory; the best are
    compared in full. Every write waits until it has taken effect. With replicas a write waits for
    all of them.
    """

    def __init__(
        self,
        connect: Callable[[int], QdrantClient],
        *,
        name: str,
        search_seconds: int = _SEARCH_SECONDS,
        replicas: int | None = None,
        shards: int | None = None,
    ) -> None:
        self._connect = connect
        self._name = name
        self._search_seconds = search_seconds
        self._replicas = replicas
        self._shards = shards
        self._clients: dict[tuple[int, int], Any] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def embedded(self) -> bool:
        return False

    def make(self, collection: str, dimension: int) -> bool:
        with self._answering():
            client = self._client(_WRITE_SECONDS)
            if client.collection_exists(collection):
                return False
            client.create_collection(
                collection,
                vectors_config=models.VectorParams(
                    # Unit vectors, so this is the cosine; nothing is normalised once more.
                    size=dimension,
                    distance=models.Distance.DOT,
                    on_disk=True,
                ),
                quantization_config=_QUANTIZED,
                shard_number=self._shards,
                replication_factor=self._replicas,
                write_consistency_factor=self._replicas,
            )
            for field, schema in _INDEXES.items():
                client.create_payload_index(collection, field, schema, wait=True)
        return True

    def drop(self, collection: str) -> None:
        with self._answering():
            client = self._client(_WRITE_SECONDS)
            if client.collection_exists(collection):
                client.delete_collection(collection)

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        batch = models.Batch(
            ids=[point.rid for point in points],
            vectors=[point.vector.tolist() for point in points],
            payloads=[point.payload() for point in points],
        )
        with self._answering():
            self._client(_WRITE_SECONDS).upsert(collection, batch, wait=True)

    def delete(self, collection: str, rids: Sequence[int]) -> None:
        with self._answering():
            chosen = models.PointIdsList(points=list(rids))
            self._client(_WRITE_SECONDS).delete(collection, chosen, wait=True)

    def delete_scopes(self, collection: str, scopes: Sequence[int]) -> None:
        with self._answering():
            chosen = models.FilterSelector(filter=models.Filter(must=[inside(scopes)]))
            self._client(_WRITE_SECONDS).delete(collection, chosen, wait=True)

    def count(self, collection: str, scopes: Sequence[int] | None = None) -> int:
        with self._answering():
            client = self._client(_WRITE_SECONDS)
            if not client.collection_exists(collection):
                return 0
            chosen = None if scopes is None else models.Filter(must=[inside(scopes)])
            return int(client.count(collection, chosen, exact=True).count)

    def search(
        self, collection: str, vector: Matrix, which: PointFilter, limit: int
    ) -> Sequence[int]:
        with self._answering():
            found = self._client(self._search_seconds).query_points(
                collection,
                query=vector.tolist(),
                query_filter=filter_of(which),
                search_params=_SEARCHED,
                limit=limit,
                with_payload=False,
            )
        return [int(point.id) for point in found.points]

    def close(self) -> None:
        for (pid, _), client in self._clients.items():
            if pid == os.getpid():
                client.close()
        self._clients.clear()

    def _client(self, seconds: int) -> Any:
        key = (os.getpid(), seconds)  # a forked child must not write to its parent's sockets
        if key not in self._clients:
            self._clients[key] = self._connect(seconds)
        return self._clients[key]

    @contextmanager
    def _answering(self) -> Generator[None]:
        try:
            yield
        except UnexpectedResponse as error:
            if error.status_code == _NOT_FOUND:
                raise PointsGoneError(f"{self._name}: the collection is gone") from error
            said = f"HTTP {error.status_code} {error.reason_phrase}"
            raise PointIndexError(f"{self._name} refused: {said}") from error
        except ApiException as error:
            cause = getattr(error, "source", error)
            raise PointIndexError(
                f"{self._name} does not answer ({type(cause).__name__}: {cause})"
            ) from error
