"""What a rule may ask of a call, and what is read from one; no model is asked."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight_core.gate.arguments import arguments_of
from hindsight_core.gate.series import series_of
from hindsight_core.gate.shapes import shape_of
from hindsight_core.schema import ToolCall

__all__ = ["Cause", "Traits", "traits_of"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a rule may ask of a call: the names it gives, and what is said of its values."""

    names: frozenset[str]
    said: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """A call that has all of `said` and none of the names `lacks` is expected to fail."""

    memory_id: str
    error_class: str
    failures: int
    said: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    first: str = ""
    """A tool that has to be called before in the run; then the cause meets nothing."""

    def meets(self, call: Traits) -> bool:
        """Whether a call of the tool is such a one."""
        return self.said <= call.said and not self.lacks & call.names


def traits_of(call: ToolCall) -> Traits:
    """Read a call once, for any number of causes."""
    values = arguments_of(call)
    said: set[str] = set()
    for value in values:
        said.add(f"{value.name} as {value.format}")
        said.update(f"{value.name} has {part}" for part in value.parts)
        said.update(f"{value.name} names {name}" for name in value.names)
        said.update(f"{value.name} begins {word}" for word in value.text.split()[:1])
        if shape := shape_of(value.text):
            said.add(f"{value.name} written {shape}")
        if series := series_of(value.text):
            said.add(f"{value.name} numbered {series}")
    # An error names what is nested by its last name.
    names = {name for one in values for name in (one.name, one.name.rpartition(".")[2])}
    return Traits(frozenset(names), frozenset(said))
