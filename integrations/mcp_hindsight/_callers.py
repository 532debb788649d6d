"""Who calls, as the connection says it: a caller never names himself."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hindsight_core import Scope

__all__ = ["Caller", "Quota", "Window"]

_MOST_KEYS: Final = 10_000
_NAMED: Final = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """For whom a connection speaks, fixed when it was made, and the session that it belongs to."""

    user: str
    tenant: str = "default"
    agent: str | None = None
    session: str = ""

    @property
    def scope(self) -> Scope:
        """The scope of everything that this caller stores or sees."""
        return Scope(user=self.user, tenant=self.tenant, agent=self.agent)

    @property
    def named(self) -> str:
        """How the audit log names him: not by the user, whose name must not outlive an erasure."""
        return f"mcp: {self.agent}"[:_NAMED] if self.agent else "mcp"

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this caller's session from every other one."""
        return (self.tenant, self.user, self.agent or "", self.session)


@dataclass(frozen=True, slots=True)
class Window:
    """What a quota says of one call: whether it may run, how many are left, seconds to wait."""

    allowed: bool
    left: int | None
    retry_after: float = 0.0


class Quota:
    """At most `most` calls for one key in any `seconds`; 0 is no limit. Thread-safe.

    `clock` returns seconds that never go back. The 10,000 keys used last are remembered.
    """

    def __init__(self, most: int, clock: Callable[[], float], *, seconds: float = 60.0) -> None:
        self.most = most
        self._clock = clock
        self._seconds = seconds
        self._taken: OrderedDict[tuple[str, ...], list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: tuple[str, ...]) -> Window:
        """Count one call, unless it is one too many."""
        if not self.most:
            return Window(allowed=True, left=None)
        with self._lock:
            now = self._clock()
            taken = [at for at in self._taken.get(key, ()) if now - at < self._seconds]
            allowed = len(taken) < self.most
            if allowed:
                taken.append(now)
            self._taken[key] = taken
            self._taken.move_to_end(key)
            while len(self._taken) > _MOST_KEYS:
                self._taken.popitem(last=False)
        wait = 0.0 if allowed else self._seconds - (now - taken[0])
        return Window(allowed=allowed, left=self.most - len(taken), retry_after=wait)
