"""The hard filter of a search in Qdrant's terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from qdrant_client import models

from hindsight_core.stores._sql_scopes import micros
from hindsight_core.stores.points import PointFilter

__all__ = ["filter_of", "inside"]


def inside(scopes: Sequence[int]) -> models.FieldCondition:
    """Return the condition that a point is of one of these scopes."""
    return models.FieldCondition(key="scope", match=models.MatchAny(any=[*map(str, scopes)]))


def filter_of(which: PointFilter) -> models.Filter:
    """Return the filter that lets through what `which` does."""
    where = which.where
    must: list[models.Condition] = [inside(which.scopes)]
    for key, wanted in (("kind", where.kinds), ("status", where.statuses)):
        if wanted:
            names = models.MatchAny(any=[*map(str, wanted)])
            must.append(models.FieldCondition(key=key, match=names))
    if not where.include_superseded:
        must.append(models.FieldCondition(key="superseded", match=models.MatchValue(value=0)))
    if where.since is not None or where.until is not None:
        between = models.Range(
            gte=None if where.since is None else micros(where.since),
            lte=None if where.until is None else micros(where.until),
        )
        must.append(models.FieldCondition(key="time", range=between))
    if which.rids is not None:
        must.append(models.HasIdCondition(has_id=list(which.rids)))
    return models.Filter(must=cast("Any", must))
