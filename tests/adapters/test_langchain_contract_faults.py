"""The contract notices: an adapter with a fault breaks it, and a run that shows nothing fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import langchain_driver
import pytest
from langchain_driver import LangChainAgent, LangChainDriver
from langchain_hindsight import HindsightMiddleware

from hindsight_core.testing.adapter_contract import (
    SCENARIOS,
    AdapterContract,
    AgentPlan,
    ContractReport,
    assert_whole,
    run_contract,
)


class Deaf(HindsightMiddleware):
    """Sees no tool call."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


class Mute(HindsightMiddleware):
    """Shows nothing to the model."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request)


class Leaky(HindsightMiddleware):
    """Writes what it shows into the agent's history."""

    def before_model(self, state: Any, runtime: Any) -> Any:
        seen = self._see(state, runtime)
        block = self._run(seen).recorder.context() if seen else None
        return {"messages": [{"role": "system", "content": block.text}]} if block else None


class Stuttering(HindsightMiddleware):
    """Takes every call for two."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        result = super().wrap_tool_call(request, handler)
        call = request.tool_call
        seen = self._see(request)
        if seen:
            self._run(seen).recorder.after_tool(call["name"], call["args"], result=result.text)
        return result


class Confused(HindsightMiddleware):
    """Takes everyone for the same user."""

    def _see(self, source: Any, runtime: Any = None) -> Any:
        seen = super()._see(source, runtime)
        return replace(seen, site=replace(seen.site, user="ann")) if seen else None


class Brittle(HindsightMiddleware):
    """Lets an error of its own out."""

    def before_agent(self, state: Any, runtime: Any) -> None:
        super().before_agent(state, runtime)
        self.hindsight.store.count()


class Greedy(HindsightMiddleware):
    """Takes control flow for a failure."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return super().wrap_tool_call(request, handler)
        except BaseException as error:
            seen, call = self._see(request), request.tool_call
            if seen:
                self._run(seen).recorder.after_tool(call["name"], call["args"], error=error)
            raise


class Hasty(HindsightMiddleware):
    """Takes what another agent orders for the words of a person."""

    def _see(self, source: Any, runtime: Any = None) -> Any:
        seen = super()._see(source, runtime)
        return replace(seen, site=replace(seen.site, nested=False)) if seen else None


class Ungated(HindsightMiddleware):
    """Lets every call run."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        seen, call = self._see(request), request.tool_call
        if seen:
            self._run(seen).recorder.before_tool(call["name"], call["args"], call_id=call["id"])
        return handler(request)


class SyncOnly(HindsightMiddleware):
    """Forgets the async half."""

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)


FAULTS: Mapping[type[HindsightMiddleware], str] = {
    Deaf: "a_failure_and_its_fix_become_a_lesson_that_is_shown_in_the_next_session",
    Mute: "what_a_person_wishes_is_shown_in_the_next_session",
    Leaky: "what_is_shown_is_shown_at_every_call_of_the_model_and_never_kept",
    Stuttering: "a_run_is_captured_whole_and_in_order",
    Confused: "what_one_user_taught_no_other_user_is_shown",
    Brittle: "a_store_that_raises_changes_nothing_for_the_host",
    Greedy: "control_flow_passes_and_is_no_failure_of_the_tool",
    Hasty: "an_agent_inside_a_tool_is_captured_once_and_its_orders_are_no_wishes",
    Ungated: "block_answers_with_the_lesson_and_does_not_run_the_call",
    SyncOnly: "all_modes_capture_and_show_the_same",
}


class OneMode(LangChainDriver):
    modes = ("invoke",)


class TwoModes(LangChainDriver):
    modes = ("invoke", "ainvoke")


def driver_for(fault: type[HindsightMiddleware]) -> LangChainDriver:
    return TwoModes() if fault is SyncOnly else OneMode()


@pytest.mark.swallows
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_an_adapter_with_a_fault_breaks_the_contract(
    fault: type[HindsightMiddleware], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(langchain_driver, "HindsightMiddleware", fault)
    report = run_contract(driver_for(fault), only=[FAULTS[fault]])
    assert {name for name, _ in report.failed} == {FAULTS[fault]}
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        report.check()


class Forgetful(LangChainDriver):
    """Never puts the adapter in."""

    modes = ("invoke",)

    def start(self, plan: AgentPlan) -> LangChainAgent:
        return super().start(replace(plan, hindsight=None))


def test_a_driver_that_leaves_the_adapter_out_breaks_nearly_all_of_it() -> None:
    names = list(SCENARIOS)[:4]
    report = run_contract(Forgetful(), only=names)
    assert {name for name, _ in report.failed} == set(names)


def test_a_run_that_shows_nothing_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="nothing was run"):
        run_contract(OneMode(), only=["no such scenario"]).check()
    with pytest.raises(AssertionError, match="nothing was run"):
        ContractReport().check()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"modes": ()}, "without modes"),
        ({"lacks": {"patience": "none left"}}, "patience"),
        ({"lacks": {"resume": ""}}, "a reason is missing"),
    ],
)
def test_a_driver_that_would_run_nothing_is_refused(given: dict[str, Any], said: str) -> None:
    driver = type("Odd", (LangChainDriver,), given)()
    with pytest.raises(AssertionError, match=said):
        run_contract(driver)


def skipped(suite: type[AdapterContract]) -> None:
    suite.pytestmark = [pytest.mark.skip]  # type: ignore[attr-defined]


def replaced(suite: type[AdapterContract]) -> None:
    suite.test_keeps = lambda self: None  # type: ignore[assignment,method-assign]


def emptied(suite: type[AdapterContract]) -> None:
    suite.driver = type("Empty", (LangChainDriver,), {"modes": ()})()


@pytest.mark.parametrize("change", [skipped, replaced, emptied])
def test_a_suite_that_does_not_run_the_contract_as_it_is_is_found_out(
    change: Callable[[type[AdapterContract]], None],
) -> None:
    suite = type("Suite", (AdapterContract,), {"driver": LangChainDriver(), "__test__": False})
    assert assert_whole(suite) == len(SCENARIOS)
    change(suite)
    with pytest.raises(AssertionError):
        assert_whole(suite)


def test_what_a_driver_lacks_is_left_out_with_its_reason() -> None:
    driver = type("Single", (OneMode,), {"lacks": {"parallel": "one call at a time"}})()
    names = ["parallel_calls_are_each_captured_with_their_own_outcome"]
    report = run_contract(driver, only=names)
    assert report.left_out == {names[0]: "one call at a time"}
    assert not report.passed
