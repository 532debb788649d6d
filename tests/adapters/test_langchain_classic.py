"""The classic chains with `HindsightMemory`: the real ones, of `langchain_classic`."""

import warnings

import pytest
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langchain_kit import ScriptedModel, calls, events

from hindsight_core import Scope
from hindsight_core.events import RunEnded, ToolCalled

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_classic.agents import AgentExecutor, create_tool_calling_agent
    from langchain_classic.chains import ConversationChain
    from langchain_hindsight.classic import HindsightMemory

LOCAL = Scope(user="local")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def chain(memory, script, **options):
    model = ScriptedModel(script=script)
    return ConversationChain(llm=model, memory=HindsightMemory(hindsight=memory, **options)), model


def shown(model) -> str:
    return "\n".join(str(message.content) for message in model.shown[-1])


def test_a_conversation_goes_on_and_what_was_learnt_is_there_in_the_next_one(memory):
    first, model = chain(memory, ["Noted.", "Sure."], session_id="one")
    first.predict(input="I never eat fish.")
    first.predict(input="What did I say?")
    assert "I never eat fish." in shown(model)
    second, model = chain(memory, ["No fish then."], session_id="two")
    second.predict(input="Suggest a dinner without the fish I never eat")
    assert "never eat fish" in shown(model)
    assert "Human: What did I say?" not in shown(model)


def test_what_was_shown_is_never_learnt(memory):
    one, _ = chain(memory, ["Noted.", "Yes.", "Yes."])
    for _ in range(3):
        one.predict(input="我从来不吃鱼。")
    assert len(memory.memories(LOCAL)) == 1


def test_an_executors_tool_calls_are_recorded_with_their_outcomes(memory):
    @tool
    def look_up(city: str) -> str:
        """Look up a city."""
        return '{"success": false, "error": "unknown city"}' if city == "Lodnon" else "12 degrees"

    steps = [calls(("look_up", {"city": name})) for name in ("Lodnon", "London")]
    model = ScriptedModel(script=[*steps, "12 degrees."])
    prompt = ChatPromptTemplate.from_messages(
        [("system", "{history}"), ("human", "{input}"), ("placeholder", "{agent_scratchpad}")]
    )
    agent = create_tool_calling_agent(model, [look_up], prompt)
    executor = AgentExecutor(
        agent=agent,
        tools=[look_up],
        memory=HindsightMemory(hindsight=memory, input_key="input", output_key="output"),
        return_intermediate_steps=True,
    )
    assert executor.invoke({"input": "Weather in London?"})["output"] == "12 degrees."
    assert [e.call.args["city"] for e in events(memory, ToolCalled)] == ["Lodnon", "London"]
    assert [e.ok for e in events(memory, RunEnded)] == [True]
    lesson = next(m for m in memory.memories(LOCAL) if m.lesson is not None)
    assert "Lodnon" in lesson.content


@pytest.mark.swallows
def test_a_store_that_fails_leaves_the_chain_as_it_was(memory, monkeypatch):
    one, _ = chain(memory, ["Hello."])

    def fail(*args, **kwargs):
        raise OSError("disk on fire")

    for name in ("append", "put", "select", "find"):
        monkeypatch.setattr(memory.store, name, fail, raising=False)
    assert one.predict(input="Hi") == "Hello."
    assert memory.health().errors


def test_clearing_forgets_the_conversation_and_keeps_what_was_learnt(memory):
    one, model = chain(memory, ["Noted.", "Hm."])
    one.predict(input="I never eat fish.")
    one.memory.clear()
    one.predict(input="Where were we?")
    assert "Noted." not in shown(model)
    assert len(memory.memories(LOCAL)) == 1
