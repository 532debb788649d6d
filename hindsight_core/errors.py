"""Errors of the public interface: each names the field, the limit and the way out."""

from __future__ import annotations

__all__ = [
    "ConfigurationError",
    "EmbedderMismatchError",
    "HindsightError",
    "InvalidMemoryError",
    "MissingExtraError",
    "ModelBusyError",
    "ModelError",
    "ModelRefusedError",
    "ModelRejectedError",
    "NotFoundError",
    "ScopeError",
    "StaleError",
    "StoreCorruptError",
    "StoreError",
    "StoreUnavailableError",
    "StoreVersionError",
]


class HindsightError(Exception):
    """Base of every error that this package raises on purpose.

    None of them is a `ValueError`: pydantic would wrap those and hide their type.
    """


class ConfigurationError(HindsightError):
    """A setting, URL or argument of the public interface is not usable."""


class ScopeError(ConfigurationError):
    """A call names no user, or names one that is not acceptable."""


class InvalidMemoryError(HindsightError):
    """A text or field handed in cannot be stored; nothing was stored."""

    def __init__(self, field: str, problem: str, way_out: str) -> None:
        self.field = field
        self.problem = problem
        self.way_out = way_out
        super().__init__(f"{field}: {problem}. {way_out}")


class NotFoundError(HindsightError, LookupError):
    """No memory, run or recall with that id is visible in this scope."""


class MissingExtraError(HindsightError, ImportError):
    """An optional dependency is absent; the message names the extra to install."""

    def __init__(self, extra: str, module: str, *, reason: str | None = None) -> None:
        self.extra = extra
        self.module = module
        detail = f" ({reason})" if reason else ""
        super().__init__(
            f"{module} could not be imported{detail}. "
            f"Install it with: pip install 'hindsight-core[{extra}]'"
        )


class ModelError(HindsightError):
    """An embedder, reranker or chat model failed, or answered what cannot be used."""


class ModelBusyError(ModelError):
    """A chat model may answer the same question later: `after` seconds, None where nobody says."""

    def __init__(self, message: str, *, after: float | None = None) -> None:
        self.after = after
        super().__init__(message)


class ModelRefusedError(ModelError):
    """A chat model will not answer this question, however often it is asked."""


class ModelRejectedError(ModelRefusedError):
    """A server rejects a request in every form: this question, or all by a setting of its own."""


class StoreError(HindsightError):
    """A store could not do what it was asked; nothing was stored in half."""


class StoreUnavailableError(StoreError):
    """The store cannot be reached now: locked, read-only, disk full, or server down."""


class StaleError(StoreError):
    """A record was changed by somebody else since it was read; read it again and repeat."""


class StoreCorruptError(StoreError):
    """The store's file is damaged or is not a store."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of this package."""


class EmbedderMismatchError(StoreError):
    """The store's vectors were made by another embedder than the one in use."""

    def __init__(self, stored: str, configured: str) -> None:
        self.stored = stored
        self.configured = configured
        super().__init__(
            f"the store was indexed with embedder {stored!r} and is opened with {configured!r}. "
            f"Run 'hindsight-core reindex' to re-embed it, or open it with {stored!r}"
        )
