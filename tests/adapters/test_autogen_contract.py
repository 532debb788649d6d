"""The AutoGen adapter keeps the contract of all adapters."""

import pytest
from autogen_driver import AutoGenDriver

from hindsight_core.testing.adapter_contract import (
    SCENARIOS,
    AdapterContract,
    assert_whole,
    run_contract,
)


class TestAutoGen(AdapterContract):
    driver = AutoGenDriver()


def test_the_contract_is_run_whole():
    assert assert_whole(TestAutoGen) == len(SCENARIOS)


class MemoryAlone(AutoGenDriver):
    """The one line `memory=[...]`, without attach."""

    modes = ("memory_alone",)


@pytest.mark.swallows
def test_the_memory_alone_keeps_all_but_the_stopping_of_calls():
    names = [name for name in SCENARIOS if not name.startswith(("block", "confirm"))]
    report = run_contract(MemoryAlone(), only=names)
    report.check()
    assert len(report.passed) == len(names)
