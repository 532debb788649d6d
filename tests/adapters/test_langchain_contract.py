"""The LangChain adapter keeps the contract of all adapters."""

from langchain_driver import LangChainDriver

from hindsight_core.testing.adapter_contract import SCENARIOS, AdapterContract, assert_whole


class TestLangChain(AdapterContract):
    driver = LangChainDriver()


def test_the_contract_is_run_whole():
    assert assert_whole(TestLangChain) == len(SCENARIOS)
