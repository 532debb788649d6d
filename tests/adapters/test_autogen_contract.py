"""The AutoGen adapter keeps the contract of all adapters."""

from autogen_driver import AutoGenDriver

from hindsight_core.testing.adapter_contract import SCENARIOS, AdapterContract, assert_whole


class TestAutoGen(AdapterContract):
    driver = AutoGenDriver()


def test_the_contract_is_run_whole():
    assert assert_whole(TestAutoGen) == len(SCENARIOS)
