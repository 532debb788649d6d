"""Which of a user's rules a run is shown although its task does not call them to mind."""

import pytest

from hindsight_core import Hindsight, Kind, Scope, Settings, Source
from hindsight_core.capture import extract_preferences, is_standing
from hindsight_core.errors import ConfigurationError

ME = Scope(user="ana")


@pytest.fixture
def hindsight(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as opened:
        yield opened


def say(hindsight, text, scope=ME, **more):
    given = {"kind": Kind.PREFERENCE, "source": Source.USER} | more
    return hindsight.remember(scope, text, **given)


def shown(hindsight, task, scope=ME):
    run = hindsight.run(scope, task=task)
    block = run.context()
    run.finish(ok=True)
    return [] if block is None else [hindsight.get(scope, one).content for one in block.memory_ids]


def many(hindsight):
    """More rules than those that are shown for being few."""
    for name in ("tea", "salt", "flour", "rice", "beans", "sugar", "oats"):
        say(hindsight, f"Always buy {name} from the corner shop.")


@pytest.mark.parametrize(
    "rule",
    [
        "No emojis.",
        "Be brief.",
        "Please keep your answers short.",
        "Always answer in English.",
        "Call me Sam, not Samuel.",
        "Use British spelling.",
        "不要用表情",
        "回复时不要加表情。",
        "回答简短一点。",
        "请用中文回答。",
        "請用繁體中文回答。",
        "叫我小周就行。",
    ],
)
def test_a_rule_on_the_answers_alone_stands(rule):
    assert is_standing(rule)
    assert [one.content for one in extract_preferences(rule)] == [rule]


@pytest.mark.parametrize(
    "rule",
    [
        "No emojis in customer replies.",
        "No bullets in my minutes, I want running prose.",
        "Code comments always in German.",
        "When you review SQL, be brief.",
        "Use pnpm, not npm.",
        "I live in Ghent.",
        "周报里不要用表情。",
        "版本说明一律用英文写。",
        "以后都用 pnpm，别用 npm。",
        "No emojis. " * 20,
        "",
        "\x00",
    ],
)
def test_a_rule_that_names_a_thing_of_its_own_does_not_stand(rule):
    assert not is_standing(rule)


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("From now on, no emojis, please.", "Find the cheapest train to Ghent."),
        ("以后回答简短一点。", "查一下去上海的火车票。"),
    ],
)
def test_what_a_user_said_once_is_shown_in_each_later_run(hindsight, said, task):
    run = hindsight.run(ME, task="hello")
    run.user(said)
    run.finish(ok=True)
    hindsight.flush()
    assert [text for text in shown(hindsight, task) if text in said]
    assert shown(hindsight, task, Scope(user="ben")) == []


def test_standing_rules_take_no_seat_from_what_was_called_to_mind(hindsight):
    for name in ("north", "south", "west"):
        hindsight.remember(ME, f"The export of the {name} report failed.", source=Source.USER)
    say(hindsight, "No emojis.")
    said = shown(hindsight, "The export of the report")
    assert said[-1] == "No emojis."
    assert len(said) == 4


def test_the_newest_rule_of_a_slot_stands_and_no_more_than_are_allowed(tmp_path):
    rules = ("Be brief.", "Please keep your answers short.", "No emojis.", "Call me Sam.")
    for most, wanted in ((3, rules[1:]), (1, rules[3:]), (0, ())):
        path, settings = str(tmp_path / f"{most}.db"), Settings(standing_rules=most)
        with Hindsight.open(path, embedder=None, settings=settings) as hindsight:
            for rule in rules:
                say(hindsight, rule)
            many(hindsight)
            assert sorted(shown(hindsight, "Find the lamp")) == sorted(wanted)
    with pytest.raises(ConfigurationError, match="standing_rules"):
        Settings(standing_rules=-1)


def test_no_rule_of_a_tool_or_a_model_stands(hindsight):
    for source in (Source.TOOL, Source.AGENT):
        say(hindsight, "No emojis.", source=source, scope=Scope(user=source))
        assert shown(hindsight, "Find the lamp", Scope(user=source)) == []


def test_a_search_finds_rules_by_likeness_alone_and_explain_names_those_that_stand(hindsight):
    say(hindsight, "No emojis.")
    assert hindsight.recall(ME, "Find the lamp").memories == ()
    run = hindsight.run(ME, task="Find the lamp")
    run.context()
    (report,) = hindsight.explain(ME, run.run_id).recalls
    assert [one.evidence for one in report.candidates if one.shown] == [{"standing": 1.0}]


def test_the_few_rules_of_a_user_take_the_seats_that_stay_free(hindsight):
    rule = "Documents go by registered mail."
    say(hindsight, rule)
    assert shown(hindsight, "寄一下收据") == [rule]
    assert shown(hindsight, "寄一下收据", Scope(user="ben")) == []
    for name in ("north", "south", "west"):
        hindsight.remember(ME, f"The export of the {name} report failed.", source=Source.USER)
    assert rule not in shown(hindsight, "The export of the report")


def test_of_a_user_with_many_rules_only_those_are_shown_that_fit(hindsight):
    say(hindsight, "Documents go by registered mail.")
    many(hindsight)
    assert shown(hindsight, "寄一下收据") == []


def test_rules_that_are_in_doubt_or_over_take_no_free_seat(hindsight):
    soon = hindsight.store
    for text in ("Use pnpm, not npm.", "Documents go by registered mail."):
        say(hindsight, text)
    kept, other = hindsight.memories(ME)
    change = {"revision": kept.revision + 1, "conflicts_with": (other.id,)}
    soon.put([kept.model_copy(update=change)])
    over = {"revision": other.revision + 1, "expires_at": other.created_at}
    soon.put([other.model_copy(update=over)])
    assert shown(hindsight, "寄一下收据") == []


def test_a_rule_said_beside_a_tool_comes_first_where_that_tool_is_at_hand(tmp_path):
    settings = Settings(top_k=1)
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None, settings=settings) as hindsight:
        run = hindsight.run(ME, task="Ship the parcel")
        run.after_tool("ship", {"carrier": "FastPost"}, result="shipped", call_id="1")
        run.user("From now on always ship with NordMail, never with FastPost.")
        run.after_tool("ship", {"carrier": "NordMail"}, result="shipped", call_id="2")
        run.finish(ok=True)
        hindsight.flush()
        say(hindsight, "Use pnpm, not npm.")
        for tools, word in ((("ship",), "NordMail"), ((), "pnpm")):
            run = hindsight.run(ME, task="寄一下收据")
            block = run.context(tools=tools)
            run.finish(ok=True)
            assert word in block.text
