"""What is known of the calls of one user: the causes of failures by tool, and the user's rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hindsight_core.gate.decisions import Flag, Reason
from hindsight_core.gate.traits import Cause, traits_of
from hindsight_core.gate.wishes import CallView, Wish, breaks, is_elsewhere, view_of
from hindsight_core.schema import ToolCall

__all__ = ["Book"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Book:
    """Rules that a call may meet, the newest first; looking one up touches no disk and no model."""

    wishes: Sequence[Wish] = ()
    causes: Mapping[str, Sequence[Cause]] = field(default_factory=dict[str, Sequence[Cause]])

    def ruled_out(self, call: ToolCall) -> Flag | None:
        """Whether the call plainly breaks a rule of the user."""
        if not self.wishes:
            return None
        broken = self._broken(call, view_of(call))
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

    def _broken(self, call: ToolCall, seen: CallView) -> Wish | None:
        """The first rule that a call breaks; a value that another rule asks for breaks none."""
        kept = frozenset[str]()
        for wish in self.wishes:
            if wish.settled is not None and not is_elsewhere(wish, seen):
                verdict = wish.settled.judge(call)
                if verdict.refused or any(
                    not self._is_asked(key, call) for key in verdict.otherwise
                ):
                    return wish
                kept |= verdict.kept
            if breaks(wish, seen, kept):
                return wish
        return None

    def _is_asked(self, key: str, call: ToolCall) -> bool:
        value = call.args[key.rpartition("/")[2]]
        return any(one.settled is not None and one.settled.takes(key, value) for one in self.wishes)

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
