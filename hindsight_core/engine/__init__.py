"""The engine: `Hindsight` is the one door, `RunRecorder` one agent run as adapters hold it."""

from hindsight_core.engine.bookkeeping import MemoryAccount
from hindsight_core.engine.door import Hindsight
from hindsight_core.engine.explaining import Explanation
from hindsight_core.engine.export_file import is_export
from hindsight_core.engine.health import Health, Readiness
from hindsight_core.engine.items import Item, Items
from hindsight_core.engine.live import LiveRun, LiveRuns, Place, WatchedCall, stable_id
from hindsight_core.engine.recalled import Recalled
from hindsight_core.engine.recorder import RunRecorder
from hindsight_core.engine.reflecting import ReflectionReport
from hindsight_core.engine.reflection import Reflection, ReflectionState
from hindsight_core.engine.reindexing import reindex
from hindsight_core.engine.sealing import carry_key
from hindsight_core.engine.transfer import ExportReport, ImportReport
from hindsight_core.engine.upkeep import MaintenanceReport

__all__ = [
    "Explanation",
    "ExportReport",
    "Health",
    "Hindsight",
    "ImportReport",
    "Item",
    "Items",
    "LiveRun",
    "LiveRuns",
    "MaintenanceReport",
    "MemoryAccount",
    "Place",
    "Readiness",
    "Recalled",
    "Reflection",
    "ReflectionReport",
    "ReflectionState",
    "RunRecorder",
    "WatchedCall",
    "carry_key",
    "is_export",
    "reindex",
    "stable_id",
]
