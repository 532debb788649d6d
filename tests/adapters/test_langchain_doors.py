"""The other doors of the LangChain adapter: retriever, tools, history, callbacks, plain graphs."""

from datetime import date

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.tools import tool
from langchain_hindsight import (
    HindsightCallbackHandler,
    HindsightChatMessageHistory,
    HindsightMiddleware,
    HindsightRetriever,
    memory_tools,
)
from langchain_kit import ScriptedModel, calls, drive, events, make, thread, user
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from hindsight_core import Kind, Scope, Source
from hindsight_core.events import RunEnded, ToolCalled, UserSaid

LOCAL = Scope(user="local")


@tool
def book(seat: str) -> str:
    """Book a seat."""
    if seat == "window":
        raise RuntimeError("no window seats are left")
    return f"booked {seat}"


def remember(memory, *texts, user="local"):
    for text in texts:
        memory.remember(Scope(user=user), text, source=Source.USER)


class TestRetrieverConformance(RetrieversIntegrationTests):
    """The framework's own conformance tests."""

    @pytest.fixture(autouse=True)
    def filled(self, memory):
        remember(
            memory, *[f"The office in city {n} opens at {n} in the morning." for n in range(6)]
        )
        TestRetrieverConformance.opened = memory

    @property
    def retriever_constructor(self):
        return HindsightRetriever

    @property
    def retriever_constructor_params(self):
        return {"hindsight": self.opened, "threshold": 0.0}

    @property
    def retriever_query_example(self):
        return "When does the office in the city open in the morning?"


def test_the_retriever_shows_a_user_his_own_memories_with_where_they_come_from(memory):
    remember(memory, "The user prefers oat milk in coffee.", user="ana")
    remember(memory, "The user prefers soy milk in coffee.", user="bob")
    retriever = HindsightRetriever(hindsight=memory, user="bob")
    (mine,) = retriever.invoke("Which milk in the coffee?")
    assert "soy" in mine.page_content
    (hers,) = retriever.invoke("Which milk in the coffee?", {"metadata": {"user_id": "ana"}})
    assert "oat" in hers.page_content
    assert hers.metadata["source"] == "user"
    assert memory.get(Scope(user="ana"), hers.id).content == hers.page_content


def test_an_agent_searches_keeps_and_forgets_for_its_own_user_only(memory):
    remember(memory, "The user's cat is called Mimi.", user="ana")
    by_name = {one.name: one for one in memory_tools(memory)}
    ana, bob = ({"configurable": {"user_id": name}} for name in ("ana", "bob"))
    found = by_name["memory_search"].invoke({"query": "What is the cat called?"}, ana)
    assert "Mimi" in found
    assert "Mimi" not in by_name["memory_search"].invoke({"query": "the cat called"}, bob)
    wanted = memory.memories(Scope(user="ana"))[0].id
    assert wanted in found
    assert "fact, user, today:" in by_name["memory_details"].invoke({"memory_id": wanted}, ana)
    with pytest.raises(Exception, match="no memory of that id"):
        by_name["memory_forget"].func(memory_id=wanted, config=bob)
    assert memory.memories(Scope(user="ana"))
    by_name["memory_forget"].invoke({"memory_id": wanted}, ana)
    assert not memory.memories(Scope(user="ana"))
    by_name["memory_remember"].invoke({"content": "用户的猫叫咪咪。"}, ana)
    (kept,) = memory.memories(Scope(user="ana"))
    assert kept.source is Source.AGENT


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_a_model_uses_the_tools_and_reads_a_refusal_as_a_message(memory, mode):
    script = [calls(("memory_forget", {"memory_id": "no-such-id"})), "I could not find it."]
    result = drive(mode, make(script, memory_tools(memory)), user("Forget it"))
    (answer,) = [m for m in result["messages"] if isinstance(m, ToolMessage)]
    assert answer.status == "error"
    assert "no memory of that id" in answer.content


def test_no_schema_of_a_tool_names_a_user(memory):
    for one in memory_tools(memory):
        assert set(one.tool_call_schema.model_json_schema()["properties"]) <= {
            "query",
            "content",
            "memory_id",
        }


def test_a_history_keeps_every_message_and_learns_from_the_users(memory, open_memory):
    history = HindsightChatMessageHistory("talk", memory)
    said = [
        HumanMessage("Always answer in French, please."),
        AIMessage("D'accord.", tool_calls=[{"name": "book", "args": {"seat": "aisle"}, "id": "1"}]),
        ToolMessage("booked aisle", tool_call_id="1", name="book"),
        AIMessage("Fait.", additional_kwargs={"kept": True}),
    ]
    history.add_messages(said)
    history.add_user_message("谢谢")
    again = HindsightChatMessageHistory("talk", open_memory())
    assert again.messages == [*said, HumanMessage("谢谢")]
    assert HindsightChatMessageHistory("other talk", memory).messages == []
    assert HindsightChatMessageHistory("talk", memory, user="bob").messages == []
    (kept,) = memory.memories(LOCAL)
    assert kept.kind is Kind.PREFERENCE
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["book"]
    again.clear()
    assert history.messages == []
    assert memory.memories(LOCAL) == [kept]


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (AIMessage("好\ud83d"), AIMessage("好")),
        (AIMessage("fine \udc00", id="a\ud800"), AIMessage("fine ", id="a")),
        (
            AIMessage("ok", response_metadata={"at": date(2026, 3, 5), ("a", 1): 2}),
            AIMessage("ok", response_metadata={"at": "2026-03-05"}),
        ),
        (
            ToolMessage("ok", tool_call_id="1", artifact=Unspeakable()),
            ToolMessage("ok", tool_call_id="1", artifact="<Unspeakable>"),
        ),
    ],
)
def test_a_history_loses_no_turn_over_what_no_store_can_hold(memory, answer, kept):
    history = HindsightChatMessageHistory("talk", memory)
    history.add_messages([HumanMessage("以后请用中文回答我。"), answer])
    assert history.messages == [HumanMessage("以后请用中文回答我。"), kept]
    history.add_messages([AIMessage("再见")])
    assert [m.content for m in memory.memories(LOCAL)] == ["以后请用中文回答我。"]
    assert memory.health().errors == {}


class Whisper(AIMessage):
    type: str = "whisper"


def test_a_message_that_cannot_be_read_back_is_refused_and_spoils_no_conversation(memory):
    history = HindsightChatMessageHistory("talk", memory)
    history.add_user_message("你好")
    with pytest.raises(ValueError, match="whisper"):
        history.add_messages([Whisper("psst")])
    assert history.messages == [HumanMessage("你好")]


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory")
def test_a_chain_may_name_its_conversation_by_a_number(memory):
    chain = RunnableWithMessageHistory(
        RunnableLambda(lambda said: AIMessage(f"{len(said)} messages")),
        lambda session_id: HindsightChatMessageHistory(session_id, memory),
    )
    config = {"configurable": {"session_id": 7}}
    assert [chain.invoke([HumanMessage("你好")], config).content for _ in range(2)] == [
        "1 messages",
        "3 messages",
    ]
    assert len(HindsightChatMessageHistory("7", memory).messages) == 4


def test_a_history_that_is_told_not_to_learn_does_not(memory):
    history = HindsightChatMessageHistory("talk", memory, capture=False)
    history.add_messages([HumanMessage("Always answer in French."), AIMessage("Oui.")])
    assert len(history.messages) == 2
    assert memory.memories(LOCAL) == []


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream", "astream"])
def test_a_callback_captures_an_agent_that_knows_nothing_of_it(memory, mode):
    handler = HindsightCallbackHandler(memory)
    script = [calls(("book", {"seat": "aisle"})), "Done."]
    agent = make(script, [book])
    drive(mode, agent, user("Book me a seat. I never fly at night."), {"callbacks": [handler]})
    (called,) = events(memory, ToolCalled)
    assert called.call.args == {"seat": "aisle"}
    assert "booked aisle" in called.result
    assert [e.ok for e in events(memory, RunEnded)] == [True]
    (kept,) = memory.memories(LOCAL)
    assert "night" in kept.content


def test_a_callback_sees_a_tool_that_raises_and_the_agent_still_fails_as_before(memory):
    handler = HindsightCallbackHandler(memory)
    agent = make([calls(("book", {"seat": "window"})), "never"], [book])
    with pytest.raises(RuntimeError, match="no window seats"):
        agent.invoke(user("Book"), {"callbacks": [handler]})
    (called,) = events(memory, ToolCalled)
    assert called.raised
    assert [e.ok for e in events(memory, RunEnded)] == [False]


def test_the_middleware_and_a_callback_beside_it_capture_everything_once(memory):
    handler = HindsightCallbackHandler(memory)
    script = [calls(("book", {"seat": "aisle"})), "Done."]
    agent = make(script, [book], middleware=[HindsightMiddleware(memory)])
    config = {**thread("t"), "callbacks": [handler]}
    drive("invoke", agent, user("Book me a seat. I never fly at night."), config)
    assert len(events(memory, ToolCalled)) == 1
    assert len(events(memory, UserSaid)) == 1
    assert len(events(memory, RunEnded)) == 1
    assert len(memory.memories(LOCAL)) == 1


def test_what_an_inner_agent_is_told_teaches_no_preference(memory):
    inner = make(["I see."], name="inner")

    @tool
    def ask(question: str) -> str:
        """Ask the expert."""
        return str(inner.invoke(user(question))["messages"][-1].content)

    outer = make([calls(("ask", {"question": "I always want the cheapest one."})), "ok"], [ask])
    outer.invoke(user("Hello"), {"callbacks": [HindsightCallbackHandler(memory)]})
    assert memory.memories(LOCAL) == []
    assert [e.call.tool for e in events(memory, ToolCalled)] == ["ask"]


@pytest.mark.swallows
def test_a_callback_whose_store_fails_changes_nothing(memory, monkeypatch):
    agent = make([calls(("book", {"seat": "aisle"})), "Done."], [book])
    handler = HindsightCallbackHandler(memory)

    def fail(*args, **kwargs):
        raise OSError("disk on fire")

    monkeypatch.setattr(memory.store, "append", fail, raising=False)
    result = agent.invoke(user("Book"), {"callbacks": [handler]})
    assert result["messages"][-1].content == "Done."
    assert memory.health().errors


def test_a_plain_chain_without_words_of_a_user_makes_no_run(memory):
    chain = RunnableLambda(lambda x: x + 1) | RunnableLambda(lambda x: x * 2)
    assert chain.invoke(1, {"callbacks": [HindsightCallbackHandler(memory)]}) == 4
    assert events(memory) == []


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_a_plain_graph_is_gated_and_recorded_through_its_tool_node(memory, mode):
    middleware = HindsightMiddleware(memory)
    node = ToolNode(
        [book],
        handle_tool_errors=True,
        wrap_tool_call=middleware.wrap_tool_call,
        awrap_tool_call=middleware.awrap_tool_call,
    )
    model = ScriptedModel(script=[calls(("book", {"seat": "aisle"})), "Done."])

    def respond(state: MessagesState):
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("model", respond).add_node("tools", node)
    graph.add_edge(START, "model")
    graph.add_conditional_edges(
        "model", lambda s: "tools" if s["messages"][-1].tool_calls else "__end__"
    )
    graph.add_edge("tools", "model")
    result = drive(mode, graph.compile(), user("Book a seat"))
    assert result["messages"][-1].content == "Done."
    (called,) = events(memory, ToolCalled)
    assert "booked aisle" in called.result
