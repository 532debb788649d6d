"""What is known of the calls of one user: the causes of failures by tool, and the user's rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hindsight_core.gate.cases import Cause, traits_of
from hindsight_core.gate.decisions import Flag, Reason
from hindsight_core.gate.wishes import Wish, breaks, view_of
from hindsight_core.schema import ToolCall

__all__ = ["Book"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Book:
    """Rules that a call may meet; looking one up touches neither a disk nor a model."""

    wishes: Sequence[Wish] = ()
    causes: Mapping[str, Sequence[Cause]] = field(default_factory=dict[str, Sequence[Cause]])

    def ruled_out(self, call: ToolCall) -> Flag | None:
        """Whether the call plainly breaks a rule of the user."""
        if not self.wishes:
            return None
        seen = view_of(call)
        broken = next((wish for wish in self.wishes if breaks(wish, seen)), None)
        if broken is None:
            return None
        return Flag(
            reason=Reason.RULED_OUT,
            failures=0,
            error_class="",
            transient=False,
            here=False,
            memory_id=broken.memory_id,
        )

    def alike(
        self, call: ToolCall, called: Callable[[], Collection[str]] = tuple[str, ...]
    ) -> Flag | None:
        """Whether calls like this one failed, for a cause that it shares with them.

        `called` tells which tools worked in this run before it.
        """
        causes = self.causes.get(call.tool)
        if not causes:
            return None
        traits = traits_of(call)
        met = next(
            (
                cause
                for cause in causes
                if cause.meets(traits) and not (cause.first and cause.first in called())
            ),
            None,
        )
        if met is None:
            return None
        return Flag(
            reason=Reason.ALIKE,
            failures=met.failures,
            error_class=met.error_class,
            transient=False,
            here=False,
            memory_id=met.memory_id,
            first=met.first,
        )
