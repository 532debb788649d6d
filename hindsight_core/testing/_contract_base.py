"""What all store contracts share: how they come to a store, and what a complete run is."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from hindsight_core.ports import Store
from hindsight_core.schema import Scope

__all__ = ["ContractBase", "assert_complete", "drawn", "fresh_scope"]

drawn: Final = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
    ],
)
"""Settings of the property tests: the examples share a store, each in a tenant of its own."""

_numbers: Final = itertools.count()


def fresh_scope(user: str = "ada", agent: str | None = None, session: str | None = None) -> Scope:
    """Return a scope in a tenant that no other example has."""
    return Scope(user=user, tenant=f"tenant-{next(_numbers)}", agent=agent, session=session)


class ContractBase:
    """Base of the contracts; see `StoreContract`."""

    @abstractmethod
    def make_store(self) -> Store:
        """Return a new and empty store; the contract closes it."""

    @abstractmethod
    def open_again(self, store: Store) -> Store:
        """Return a second handle to the same store, as another process would open it."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """A new store for one test."""
        store = self.make_store()
        yield store
        store.close()

    @classmethod
    def scenarios(cls) -> list[str]:
        """Return the names of all scenarios."""
        return sorted(name for name in dir(cls) if name.startswith("test_"))


def assert_complete(contract: type[ContractBase], suite: type[ContractBase]) -> int:
    """Fail unless `suite` runs every scenario of `contract` as it is; return how many those are.

    An empty contract, a scenario that is replaced, removed or marked `skip` or `xfail`: each would
    let a run pass that has shown nothing.
    """
    expected = contract.scenarios()
    if not expected:
        raise AssertionError(f"{contract.__name__} has no scenario")
    for name in expected:
        scenario = getattr(suite, name, None)
        if scenario is not getattr(contract, name):
            raise AssertionError(f"{suite.__name__} changes or removes the scenario {name}")
        for holder in (scenario, suite):
            marks = {mark.name for mark in getattr(holder, "pytestmark", ())}
            if marks & {"skip", "skipif", "xfail"}:
                raise AssertionError(f"{suite.__name__} does not run the scenario {name}")
    return len(expected)
