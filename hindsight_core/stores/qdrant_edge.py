"""Vectors in a folder, by the embedded engine of Qdrant: for one process at a time.

The process that opened the folder first has it, by a lock on a file inside; a second opening would
damage it. Other processes compare vectors in their own memory meanwhile.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote, urlsplit

from hindsight_core.errors import ConfigurationError, MissingExtraError
from hindsight_core.stores._sql_scopes import micros
from hindsight_core.stores._vector_matrix import Matrix
from hindsight_core.stores.points import Point, PointFilter, PointIndexError, PointsGoneError

try:
    import qdrant_edge
except ModuleNotFoundError as error:
    if error.name != "qdrant_edge":
        raise
    raise MissingExtraError("qdrant-edge", "qdrant-edge-py", reason=str(error)) from error

__all__ = ["EdgePoints", "open_qdrant_edge"]

_edge: Final = cast("Any", qdrant_edge)
_INDEXED: Final = (
    ("scope", "Keyword"),
    ("kind", "Keyword"),
    ("status", "Keyword"),
    ("superseded", "Integer"),
    ("time", "Integer"),
    ("trust", "Float"),
)
_Answer = TypeVar("_Answer")
_open: Final[dict[tuple[int, Path], _Folder]] = {}
_opening: Final = RLock()


def open_qdrant_edge(url: str) -> EdgePoints:
    """Open the index of `qdrant-edge:///path/to/folder`; raises `ConfigurationError`."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.netloc or parts.query or not path.strip("/"):
        raise ConfigurationError("vectors: name a folder, as in qdrant-edge:///path/to/folder")
    return EdgePoints(Path(path if os.name != "nt" else path.lstrip("/")))


class _Folder:
    """The shards of one folder, shared by all handles of the process that has its lock."""

    def __init__(self, path: Path) -> None:
        self.lock = RLock()
        self.handles = 0
        self.shards: dict[str, Any] = {}
        self._path = path
        self._owner = _owned(path)

    def shard(self, collection: str) -> Any:
        """Return a shard, which is loaded at its first use; raises `PointsGoneError`."""
        if collection not in self.shards:
            place = self._path / collection
            if not place.exists():
                raise PointsGoneError(f"{self._path}: {collection} is gone")
            self.shards[collection] = _edge.EdgeShard.load(str(place))
        return self.shards[collection]

    def make(self, collection: str, dimension: int) -> None:
        """Make a shard; one that was not finished by an earlier process is thrown away."""
        made = self._path / f"{collection}.new"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        quantized = _edge.ScalarQuantizationConfig(
            _edge.ScalarType.Int8, quantile=0.99, always_ram=True
        )
        vectors = _edge.EdgeVectorParams(
            size=dimension, distance=_edge.Distance.Dot, quantization_config=quantized
        )
        shard = _edge.EdgeShard.create(str(made), _edge.EdgeConfig(vectors=vectors))
        for field, kind in _INDEXED:
            schema = getattr(_edge.PayloadSchemaType, kind)
            shard.update(_edge.UpdateOperation.create_field_index(field, schema))
        shard.flush()
        shard.close()
        made.rename(self._path / collection)

    def drop(self, collection: str) -> None:
        """Delete a shard with its files."""
        shard = self.shards.pop(collection, None)
        if shard is not None:
            shard.close()
        shutil.rmtree(self._path / collection, ignore_errors=True)

    def close(self) -> None:
        """Write everything to disk and let another process have the folder."""
        for shard in self.shards.values():
            shard.flush()
            shard.close()
        self.shards.clear()
        self._owner.close()


class EdgePoints:
    """A `PointIndex` in a folder; a second handle of the same process shares it."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path).expanduser().absolute()
        self._pid = os.getpid()
        self._folder: _Folder | None = None

    @property
    def name(self) -> str:
        return f"qdrant-edge://{self._path}"

    @property
    def embedded(self) -> bool:
        return True

    def make(self, collection: str, dimension: int) -> bool:
        with self._opened() as folder:
            if (self._path / collection).exists():
                return False
            folder.make(collection, dimension)
            return True

    def drop(self, collection: str) -> None:
        with self._opened() as folder:
            folder.drop(collection)

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        rows = [_edge.Point(p.rid, p.vector.tolist(), p.payload()) for p in points]
        self._write(collection, _edge.UpdateOperation.upsert_points(rows))

    def delete(self, collection: str, rids: Sequence[int]) -> None:
        self._write(collection, _edge.UpdateOperation.delete_points(list(rids)))

    def delete_scopes(self, collection: str, scopes: Sequence[int]) -> None:
        inside = _edge.Filter(must=[_inside(scopes)])
        self._write(collection, _edge.UpdateOperation.delete_points_by_filter(inside))

    def count(self, collection: str, scopes: Sequence[int] | None = None) -> int:
        chosen = None if scopes is None else _edge.Filter(must=[_inside(scopes)])
        request = _edge.CountRequest(exact=True, filter=chosen)
        with self._opened() as folder:
            if not (self._path / collection).exists():
                return 0
            return int(folder.shard(collection).count(request))

    def search(
        self, collection: str, vector: Matrix, which: PointFilter, limit: int
    ) -> Sequence[int]:
        request = _edge.QueryRequest(
            limit=limit,
            query=_edge.Query.Nearest(vector.tolist()),
            filter=_filter(which),
            params=_edge.SearchParams(
                quantization=_edge.QuantizationSearchParams(rescore=True, oversampling=2.0)
            ),
            with_payload=False,
            with_vector=False,
        )
        with self._opened() as folder:
            return [int(point.id) for point in folder.shard(collection).query(request)]

    def close(self) -> None:
        folder, self._folder = self._folder, None
        if folder is None or self._pid != os.getpid():
            return
        with _opening:
            folder.handles -= 1
            if not folder.handles:
                _open.pop((self._pid, self._path), None)
                with folder.lock:
                    folder.close()

    def _write(self, collection: str, operation: Any) -> None:
        with self._opened() as folder:
            shard = folder.shard(collection)
            shard.update(operation)
            shard.flush()  # what is told must be there after a crash

    @contextmanager
    def _opened(self) -> Generator[_Folder]:
        if self._pid != os.getpid():
            raise PointIndexError(f"{self.name}: a forked process cannot use it; open it anew")
        if self._folder is None:
            self._folder = self._take()
        with self._folder.lock:
            try:
                yield self._folder
            except (OSError, RuntimeError, ValueError, TypeError) as error:
                raise PointIndexError(f"{self.name}: {error}") from error

    def _take(self) -> _Folder:
        with _opening:
            key = (self._pid, self._path)
            folder = _open.get(key)
            if folder is None:
                folder = _open[key] = _Folder(self._path)
            folder.handles += 1
            return folder


def _owned(path: Path) -> sqlite3.Connection:
    """Lock the folder by an empty database inside: the lock ends with its process everywhere."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        owner = sqlite3.connect(
            path / "owner.lock", timeout=0, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise PointIndexError(f"qdrant-edge://{path} cannot be made: {error}") from error
    try:
        owner.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        owner.close()
        raise PointIndexError(
            f"qdrant-edge://{path} belongs to another process: this one compares vectors itself"
        ) from error
    return owner


def _inside(scopes: Sequence[int]) -> Any:
    return _edge.FieldCondition(key="scope", match=_edge.MatchAny([*map(str, scopes)]))


def _filter(which: PointFilter) -> Any:
    where = which.where
    must: list[Any] = [_inside(which.scopes)]
    for key, wanted in (("kind", where.kinds), ("status", where.statuses)):
        if wanted:
            must.append(_edge.FieldCondition(key=key, match=_edge.MatchAny([*map(str, wanted)])))
    if not where.include_superseded:
        must.append(_edge.FieldCondition(key="superseded", match=_edge.MatchValue(0)))
    if where.since is not None or where.until is not None:
        between = _edge.RangeFloat(
            gte=None if where.since is None else float(micros(where.since)),
            lte=None if where.until is None else float(micros(where.until)),
        )
        must.append(_edge.FieldCondition(key="time", range=between))
    if which.rids is not None:
        must.append(_edge.HasIdCondition(set(which.rids)))
    return _edge.Filter(must=must)
