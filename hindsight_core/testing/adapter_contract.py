"""The contract that every adapter keeps, as a suite to run against one's own; needs pytest.

The author of an adapter writes a driver (`hindsight_core.testing.adapter_driver`) and runs

    report = run_contract(MyDriver())
    report.check()

or, to see each promise as a test of pytest,

    class TestMyAdapter(AdapterContract):
        driver = MyDriver()

    def test_the_contract_is_run_whole():
        assert assert_whole(TestMyAdapter) == len(SCENARIOS)

Real agents run against a scripted server over a real socket; no embedder is used.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

from hindsight_core.testing._adapter_contract_stage import SCENARIOS, Scenario, Stage
from hindsight_core.testing.adapter_driver import AdapterDriver, AgentPlan, DrivenAgent

for _part in ("capture", "host", "gate"):
    import_module(f"hindsight_core.testing._adapter_contract_{_part}")

__all__ = [
    "SCENARIOS",
    "AdapterContract",
    "AdapterDriver",
    "AgentPlan",
    "ContractReport",
    "DrivenAgent",
    "assert_whole",
    "play",
    "run_contract",
]

_PARTS: Final = frozenset(s.needs for s in SCENARIOS.values() if s.needs)


@dataclass(kw_only=True)
class ContractReport:
    """What came of a run: scenarios with their mode; those that failed with the error.

    `left_out` has the driver's reason for each scenario that it cannot play.
    """

    passed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failed: dict[tuple[str, str], BaseException] = field(
        default_factory=dict[tuple[str, str], BaseException]
    )
    left_out: dict[str, str] = field(default_factory=dict[str, str])

    def check(self) -> None:
        """Raise `AssertionError` unless every promise was kept, and there was something to keep."""
        if not self.passed and not self.failed:
            raise AssertionError("nothing was run")
        for (name, mode), error in self.failed.items():
            more = f" (and {len(self.failed) - 1} more)" if len(self.failed) > 1 else ""
            raise AssertionError(f"{name} [{mode}]: {error}{more}") from error


def plays(driver: AdapterDriver) -> Iterator[tuple[Scenario, str]]:
    """Each scenario that a driver can play, with each mode; raises for a driver without modes."""
    if not driver.modes:
        raise AssertionError(f"{driver.name}: a driver without modes runs nothing")
    unknown = sorted(set(driver.lacks) - _PARTS)
    if unknown or not all(driver.lacks.values()):
        raise AssertionError(f"{driver.name}.lacks: {unknown or 'a reason is missing'}")
    for one in SCENARIOS.values():
        if one.needs not in driver.lacks:
            for mode in driver.modes[:1] if one.once else driver.modes:
                yield one, mode


def play(driver: AdapterDriver, one: Scenario, mode: str) -> None:
    """Play one scenario in one mode; raises `AssertionError` where a promise is broken."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        stage = Stage(driver, mode, Path(folder))
        try:
            one.play(stage)
        finally:
            stage.close()
    if stage.swallowed and not one.swallows:
        operation, error = stage.swallowed[0]
        raise AssertionError(f"an error of ours was swallowed in {operation}: {error!r}") from error


def run_contract(driver: AdapterDriver, *, only: Sequence[str] = ()) -> ContractReport:
    """Play every scenario in every mode of a driver, or those of the given names."""
    report = ContractReport()
    report.left_out = {
        one.name: driver.lacks[one.needs] for one in SCENARIOS.values() if one.needs in driver.lacks
    }
    for one, mode in plays(driver):
        if only and one.name not in only:
            continue
        try:
            play(driver, one, mode)
        except Exception as error:  # noqa: BLE001 - whatever broke it is what is reported
            report.failed[one.name, mode] = error
        else:
            report.passed.append((one.name, mode))
    return report


class AdapterContract:
    """The contract as tests of pytest: a subclass names its `driver`."""

    driver: ClassVar[AdapterDriver]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Make a test of each scenario in each mode."""
        if "promise" in metafunc.fixturenames:
            # This project's own mark for errors that are met on purpose; others need not know it.
            known = any(str(m).startswith("swallows") for m in metafunc.config.getini("markers"))
            swallows = [pytest.mark.swallows] if known else []
            params = [
                pytest.param(one, mode, id=f"{one.name}-{mode}", marks=swallows * one.swallows)
                for one, mode in plays(metafunc.cls.driver)
            ]
            metafunc.parametrize(("promise", "mode"), params)

    def test_keeps(self, promise: Scenario, mode: str) -> None:
        """One promise of the contract is kept."""
        play(self.driver, promise, mode)


def assert_whole(suite: type[AdapterContract]) -> int:
    """Fail unless a suite runs the contract as it is; return how many promises there are.

    A suite that changes or marks the test, or whose driver has no modes, has shown nothing.
    """
    for name in ("test_keeps", "pytest_generate_tests"):
        if getattr(suite, name, None) is not getattr(AdapterContract, name):
            raise AssertionError(f"{suite.__name__} changes {name}")
    for holder in (suite, suite.test_keeps):
        marks = {mark.name for mark in getattr(holder, "pytestmark", ())}
        if marks & {"skip", "skipif", "xfail"}:
            raise AssertionError(f"{suite.__name__} does not run the contract")
    played = {one.name for one, _ in plays(suite.driver)}
    if not played:
        raise AssertionError("the contract has no promise")
    return len(played) + len([s for s in SCENARIOS.values() if s.needs in suite.driver.lacks])
