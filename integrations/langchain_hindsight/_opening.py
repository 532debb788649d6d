"""What every door of this package but the middleware holds: a memory, and whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hindsight_core import Hindsight, Scope
from langchain_hindsight._site import locate

__all__ = ["Opened"]


class Opened:
    """A memory, given or opened here, and the user and tenant where nobody else names them."""

    def __init__(
        self, hindsight: Hindsight | str | None, user: str | None, tenant: str | None
    ) -> None:
        self.owned = not isinstance(hindsight, Hindsight)
        self.hindsight = (
            hindsight if isinstance(hindsight, Hindsight) else Hindsight.open(hindsight)
        )
        self.user = user
        self.tenant = tenant

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self.owned:
            self.hindsight.close()

    def scope(self, named: Mapping[str, Any] | None = None) -> Scope:
        """The scope: `named` (a call's metadata), then the running graph's, then the defaults.

        Raises `ScopeError` where a server store is used and nobody is named.
        """
        site = locate(named, user=self.user, tenant=self.tenant, nested=None)
        return self.hindsight.scope_of(site.user, tenant=site.tenant)
