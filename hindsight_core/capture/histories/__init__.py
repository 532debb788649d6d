"""Read runs that other systems recorded: lists of messages, and the format of the replay."""

from hindsight_core.capture.histories.reading import (
    BadLineError,
    RecordedRun,
    RecordedStep,
    read_history,
)

__all__ = ["BadLineError", "RecordedRun", "RecordedStep", "read_history"]
