"""Checks the arguments of the public interface, so that a wrong one is told by its name.

What a method is called with is compared with what it says it takes, before it does anything. A text
may stand for a member of an enumeration, which the method itself looks up; nothing is converted.
"""

from __future__ import annotations

import collections.abc
import inspect
import math
import types
from collections.abc import Callable
from enum import Enum
from functools import wraps
from os import PathLike
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from hindsight_core.errors import ConfigurationError, ScopeError
from hindsight_core.text import clean

__all__ = ["checked"]

T = TypeVar("T")

_NEVER_RAISE: Final = frozenset(("run", "health", "ready", "close", "guard", "note", "stop"))
"""Methods that adapters and programs that end call: they report what is wrong, or are safe."""
_CHECK_THEMSELVES: Final = (("content", str), ("by", str))
"""Arguments of which each method has more to say than their type."""
_TEXTS: Final = frozenset(("content", "query", "text", "task"))
"""What people and models write: cleaned where it is used."""
_FROM_ONE: Final = frozenset(("top_k",))
_FROM_ZERO: Final = frozenset(("limit", "offset", "timeout"))
_LARGEST: Final = 2**53
_LONGEST: Final = 10**6
"""Seconds, which are eleven days."""
_GENERIC: Final = (
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
    collections.abc.Mapping,
    list,
    tuple,
    set,
    frozenset,
    dict,
)


def checked(owner: type[T]) -> type[T]:
    """Let every public method of a class check its arguments; returns the class.

    A wrong one raises `ScopeError` for a scope, else `ConfigurationError`.
    """
    for name, member in list(vars(owner).items()):
        if not name.startswith("_") and name not in _NEVER_RAISE and inspect.isfunction(member):
            setattr(owner, name, _checking(member))
    return owner


def _checking(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    hints: dict[str, Any] = {}

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not hints:
            hints.update(get_type_hints(inspect.unwrap(method)))
        given = signature.bind(*args, **kwargs).arguments
        for name, value in given.items():
            if name in hints and (name, hints[name]) not in _CHECK_THEMSELVES:
                _check(method.__name__, name, value, hints[name])
        return method(*args, **kwargs)

    return call


def _check(method: str, name: str, value: object, hint: Any) -> None:
    problem = ""
    if not _fits(value, hint):
        problem = f"must be {_named(hint)}, got {_shown(value)}"
    elif isinstance(value, float) and not math.isfinite(value):
        problem = f"must be a finite number, got {value}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least = 1 if name in _FROM_ONE else 0 if name in _FROM_ZERO else -_LARGEST
        most = _LONGEST if name == "timeout" else _LARGEST
        if not least <= value <= most:
            problem = f"must be from {least} to {most}, got {value!r:.40}"
    elif name not in _TEXTS and _has_unstorable(value):
        problem = "must not hold NUL or a lone surrogate"
    if not problem:
        return
    if name == "scope":
        raise ScopeError(f"{method}: scope {problem}. Name the user: Scope(user='...')")
    raise ConfigurationError(f"{method}: {name} {problem}")


def _has_unstorable(value: object) -> bool:
    if isinstance(value, str):
        return clean(value) != value
    if isinstance(value, list | tuple | set | frozenset):
        return any(_has_unstorable(one) for one in cast("collections.abc.Iterable[object]", value))
    return False


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as far as that can be told without calling it."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return True
    if hint is None or hint is type(None):
        return value is None
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if str(origin).endswith("Callable'>"):
        return callable(value)
    if origin in _GENERIC:
        return _fits_each(value, origin, inner)
    if not isinstance(hint, type) or (
        getattr(hint, "_is_protocol", False) and not getattr(hint, "_is_runtime_protocol", False)
    ):
        return True
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is str:
        return isinstance(value, str | PathLike)
    if issubclass(hint, Enum) and issubclass(hint, str):
        return isinstance(value, str)
    return isinstance(value, hint)


def _fits_each(value: Any, origin: type, inner: tuple[Any, ...]) -> bool:
    if isinstance(value, str | bytes | BaseModel) or not isinstance(value, origin):
        return False  # a model gives its fields when it is iterated over
    if issubclass(origin, collections.abc.Mapping):
        return all(
            _fits(key, inner[0]) and _fits(one, inner[1])
            for key, one in cast("collections.abc.Mapping[Any, Any]", value).items()
        )
    if not isinstance(value, collections.abc.Collection):
        return True  # an iterator: looking at it would use it up
    return all(_fits(one, inner[0]) for one in cast("collections.abc.Collection[Any]", value))


def _named(hint: Any) -> str:
    if hint is None or hint is type(None):
        return "None"
    inner = get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_named(one) for one in inner)
    if get_origin(hint) is not None:
        return str(hint).replace("collections.abc.", "").replace("hindsight_core.", "")
    return str(getattr(hint, "__name__", hint))


def _shown(value: object) -> str:
    try:
        return f"{type(value).__name__} {value!r:.60}"
    except Exception:  # noqa: BLE001 - a value that cannot even be shown
        return type(value).__name__
