"""A recorded conversation becomes one run of AutoGen's own agent."""

from autogen_hindsight.replaying import drive
from replay_kit import ReplayDriver


class TestDriver(ReplayDriver):
    drive = drive
