"""A recorded conversation becomes one run of LangChain's own agent."""

from langchain_hindsight.replaying import drive
from replay_kit import ReplayDriver


class TestDriver(ReplayDriver):
    drive = drive
