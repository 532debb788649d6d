"""The CrewAI adapter keeps the contract of all adapters."""

from crewai_driver import CrewAIDriver
from crewai_kit import ITS_OWN_WARNINGS

from hindsight_core.testing.adapter_contract import SCENARIOS, AdapterContract, assert_whole

pytestmark = ITS_OWN_WARNINGS


class TestCrewAI(AdapterContract):
    driver = CrewAIDriver()


def test_the_contract_is_run_whole():
    assert assert_whole(TestCrewAI) == len(SCENARIOS)
