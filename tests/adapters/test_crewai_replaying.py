"""A recorded conversation becomes one run of CrewAI's own agent."""

from crewai_kit import ITS_OWN_WARNINGS, replay
from replay_kit import ReplayDriver

pytestmark = ITS_OWN_WARNINGS


class TestDriver(ReplayDriver):
    drive = replay
