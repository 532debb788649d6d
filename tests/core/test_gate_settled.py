"""A call that sets otherwise what a user's wish settled, beside whose calls it was heard."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_core import Hindsight, Scope
from hindsight_core.capture import Wording, make_call, read_preference
from hindsight_core.capture.said_of import said_of
from hindsight_core.gate import Book, Wish
from hindsight_core.schema import Preference

ANN = Scope(user="ann")


def wish_of(rule, before=(), after=()):
    finding = read_preference(rule)
    assert finding is not None
    said = said_of(
        finding,
        [make_call(tool, args) for tool, args in before],
        [make_call(tool, args) for tool, args in after],
    )
    known = Preference(
        slot=finding.slot, settles=said.settles, given=said.given, refuses=said.refuses
    )
    return Wish.read(rule, finding, known)


def flagged(wish, tool, args):
    return Book(wishes=[wish] if wish else []).ruled_out(make_call(tool, args)) is not None


@pytest.mark.parametrize(
    ("rule", "before", "after", "against", "fine"),
    [
        (
            "For me it's always the pale tint.",
            [],
            [("frame.render", {"event": "gala", "tint": "pale"})],
            ("frame.render", {"event": "picnic", "tint": "garish"}),
            ("frame.render", {"event": "picnic", "tint": "pale"}),
        ),
        (
            "Every tasting is 45 minutes, not longer.",
            [],
            [("tasting.plan", {"guest": "Ola", "minutes": 45})],
            ("tasting.plan", {"guest": "Ida", "minutes": 90}),
            ("tasting.plan", {"guest": "Ida", "minutes": 45}),
        ),
        (
            "Everything Danish goes to Lone.",
            [],
            [("leads.assign", {"lead": "Odense mill", "owner": "Lone"})],
            ("leads.assign", {"lead": "Danish dairy", "owner": "me"}),
            ("leads.assign", {"lead": "Swiss dairy", "owner": "me"}),
        ),
        (
            "British spelling, as in all my texts.",
            [],
            [("doc.write", {"title": "A", "spelling": "en-GB"})],
            ("doc.write", {"title": "B", "spelling": "en-US"}),
            ("doc.write", {"title": "B", "spelling": "en-GB"}),
        ),
        (
            "Nothing from the vault is ever to be burnt; bring it to the shed instead.",
            [("papers.burn", {"path": "/vault/1990"})],
            [("shed.bring", {"path": "/vault/1990"})],
            ("papers.burn", {"path": "/vault/1991"}),
            ("papers.burn", {"path": "/bin/1991"}),
        ),
        (
            "I feed Rex myself, always.",
            [("feed", {"animal": "Rex"})],
            [],
            ("feed", {"animal": "Rex"}),
            ("feed", {"animal": "Minka"}),
        ),
        (
            "我们聚会都要有包间，说话方便。",
            [],
            [("订位", {"餐厅": "同福", "包间": True})],
            ("订位", {"餐厅": "聚丰", "包间": False}),
            ("订位", {"餐厅": "聚丰", "包间": True}),
        ),
        (
            "往后骑车一律八分配速。",
            [],
            [("训练", {"项目": "骑车", "配速": "8:00"})],
            ("训练", {"项目": "骑车", "配速": "6:00"}),
            ("训练", {"项目": "游泳", "配速": "6:00"}),
        ),
        (
            "我的照片一概不磨皮。",
            [],
            [("修图", {"文件": "a.jpg", "磨皮": 0})],
            ("修图", {"文件": "b.jpg", "磨皮": 60}),
            ("修图", {"文件": "b.jpg", "磨皮": 0}),
        ),
        (
            "金裝一件都不許賣，其他隨便。",
            [("賣出", {"品質": "金裝", "件數": 7})],
            [("回購", {"品質": "金裝", "件數": 7})],
            ("賣出", {"品質": "金裝", "件數": 1}),
            ("賣出", {"品質": "灰裝", "件數": 1}),
        ),
    ],
)
def test_a_call_that_sets_otherwise_what_was_settled_is_flagged(rule, before, after, against, fine):
    wish = wish_of(rule, before, after)
    assert flagged(wish, *against)
    assert not flagged(wish, *fine)


@pytest.mark.parametrize(
    ("rule", "after", "other"),
    [
        # "Bergen" was the matter of the moment, and so were the reports
        ("I like a quiet room in Bergen.", ("hotel.book", {"city": "Bergen"}), {"city": "Oslo"}),
        (
            "Reports always go to Tom.",
            ("mail.send", {"to": "Tom", "body": "report"}),
            {"to": "Ann"},
        ),
        ("Captions at least 12 points, always.", ("print", {"points": 12}), {"points": 18}),
        ("社区的传单字号起码十六号。", ("排版", {"字号": 16}), {"字号": 18}),
        ("來點戲曲，我耳朵背，什麼都要大聲。", ("電台", {"節目": "戲曲"}), {"節目": "評書"}),
    ],
)
def test_what_was_only_mentioned_is_settled_for_no_other_call(rule, after, other):
    tool, args = after
    assert not flagged(wish_of(rule, after=[(tool, args)]), tool, other)


def test_a_value_that_another_rule_asks_for_breaks_none():
    letters = wish_of("Letters always go to Nadia.", after=[("post", {"to": "Nadia"})])
    bills = wish_of("Bills always go to Omar.", after=[("post", {"to": "Omar"})])
    book = Book(wishes=[bills, letters])
    assert book.ruled_out(make_call("post", {"to": "Nadia", "what": "bills and letters"})) is None


def _tell(hindsight, name, text, tool, args):
    run = hindsight.run(ANN, run_id=name, task=text)
    run.user(text, turn="1")
    call = {"name": tool, "args": args, "call_id": name}
    run.before_tool(**call)
    run.after_tool(**call, result="ok")
    run.finish(ok=True)
    assert hindsight.flush(30)


def test_what_a_replaced_wish_had_settled_is_held_against_a_call(tmp_path):
    with Hindsight.open(str(tmp_path / "s.db"), embedder=None) as hindsight:
        old, new = {"sign": "Dr. T. Abel-Roux"}, {"name": "T. Roux"}
        _tell(hindsight, "a", "I sign everything as Dr. T. Abel-Roux.", "letter.send", old)
        _tell(
            hindsight,
            "b",
            "Sign with Dr. T. Roux from today, the double name is history.",
            "profile.update",
            new,
        )
        (kept,) = [m for m in hindsight.memories(ANN) if m.preference]
        assert "Roux from today" in kept.content
        run = hindsight.run(ANN, run_id="c", task="Thank them.")
        assert run.before_tool("letter.send", old, call_id="1").flagged
        assert not run.before_tool("letter.send", {"sign": "Dr. T. Roux"}, call_id="2").flagged
        run.finish(ok=True)


def test_of_two_wishes_about_one_argument_the_newer_is_kept(tmp_path):
    with Hindsight.open(str(tmp_path / "s.db"), embedder=None) as hindsight:
        for minutes in (60, 40, 30):
            said = f"Every rehearsal is {minutes} minutes as of now."
            args = {"band": "A", "minutes": minutes}
            _tell(hindsight, str(minutes), said, "plan", args)
        (kept,) = [m for m in hindsight.memories(ANN) if m.preference]
        assert "30" in kept.content


def test_a_ban_that_is_lifted_by_its_name_stands_no_more(tmp_path):
    with Hindsight.open(str(tmp_path / "s.db"), embedder=None) as hindsight:
        for name, text in (
            ("a", "No music from the ceiling speakers, please."),
            ("b", "The ban on the ceiling speakers is lifted, play there what you like."),
        ):
            _tell(hindsight, name, text, "state", {})
        assert [
            m.content for m in hindsight.memories(ANN) if m.content.startswith("No music")
        ] == []


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_value_can_be_looked_up_in_any_statement(statement, value):
    wording = Wording.read(statement)
    assert wording.place(value) < max(1, len(wording.text))
    assert wording.shared(value) in (*wording.text.split(), wording.shared(value))


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=40) | st.integers() | st.booleans()))
def test_what_is_known_of_calls_is_json_under_its_tool(args):
    finding = read_preference("Every tasting is 45 minutes, never longer.")
    assert finding is not None
    said = said_of(finding, [make_call("a", args)], [make_call("a", {**args, "minutes": 45})])
    for entry in (*said.settles, *said.given, *said.refuses):
        assert entry.startswith("a/")
        json.loads(entry.rpartition("=")[2]) if "=" in entry else None


@pytest.mark.parametrize(
    ("rule", "before", "after", "against", "elsewhere"),
    [
        (
            "Never put bleach into the koi basin.",
            [("dose", {"basin": "koi", "agent": "bleach"})],
            [("dose", {"basin": "koi", "agent": "peat"})],
            ("dose", {"basin": "koi", "agent": "bleach", "grams": 5}),
            ("dose", {"basin": "children's pool", "agent": "bleach"}),
        ),
        (
            "Sketches don't get gloss, matt please, gloss is for covers.",
            [("press.run", {"doc": "sketch of the hall", "paper": "gloss"})],
            [("press.run", {"doc": "sketch of the hall", "paper": "matt"})],
            ("press.run", {"doc": "second sketch", "paper": "gloss"}),
            ("press.run", {"doc": "cover of May", "paper": "gloss"}),
        ),
        (
            "Sketches don't get gloss, matt please.",
            [("press.run", {"doc": "sketch of the hall", "paper": "gloss"})],
            [("press.run", {"doc": "sketch of the hall", "paper": "matt"})],
            ("press.run", {"doc": "second sketch", "paper": "gloss"}),
            ("stock.count", {"paper": "gloss"}),
        ),
        (
            "北池养着锦鲤，不许再投漂白粉。",
            [("投药", {"池": "北池", "药": "漂白粉"})],
            [("投药", {"池": "北池", "药": "菌剂"})],
            ("投药", {"池": "北池", "药": "漂白粉", "数量": "3kg"}),
            ("投药", {"池": "南池", "药": "漂白粉"}),
        ),
        (
            "底稿别用铜版纸，道林纸就行，铜版纸留给封面。",
            [("印刷", {"文档": "大厅底稿", "纸张": "铜版纸"})],
            [("印刷", {"文档": "大厅底稿", "纸张": "道林纸"})],
            ("印刷", {"文档": "第二份底稿", "纸张": "铜版纸"}),
            ("印刷", {"文档": "五月封面", "纸张": "铜版纸"}),
        ),
    ],
)
def test_a_wish_that_was_said_of_one_thing_says_nothing_of_another(
    rule, before, after, against, elsewhere
):
    wish = wish_of(rule, before, after)
    assert flagged(wish, *against)
    assert not flagged(wish, *elsewhere)


@pytest.mark.parametrize(
    ("rule", "before", "after", "against", "fine"),
    [
        (  # a clause of its own asks, another refuses
            "Thick paper for all my prints, I won't have the flimsy one.",
            [],
            [("print", {"doc": "a", "paper": "thick"})],
            ("print", {"doc": "b", "paper": "thin"}),
            ("print", {"doc": "b", "paper": "thick"}),
        ),
        (  # what is taken back is one thing, what holds from now on another
            "The ten slide rule is gone, nobody could follow: 20 slides per talk from now on.",
            [],
            [("deck.make", {"talk": "A", "slides": 20})],
            ("deck.make", {"talk": "B", "slides": 10}),
            ("deck.make", {"talk": "B", "slides": 20}),
        ),
        (  # the argument was set right by another tool of its kind
            "Parcels always at 9:30, nobody is here earlier.",
            [("parcel.book", {"what": "lamp", "at": "2031-05-06 08:00"})],
            [("parcel.move", {"id": "c-1", "at": "2031-05-07 09:30"})],
            ("parcel.book", {"what": "vase", "at": "2031-06-02 08:00"}),
            ("parcel.book", {"what": "vase", "at": "2031-06-02 09:30"}),
        ),
        (
            "Our bids never get a cc.",
            [],
            [("mail", {"to": "x@a.example", "cc": []})],
            ("mail", {"to": "y@a.example", "cc": ["z@b.example"]}),
            ("mail", {"to": "y@a.example", "cc": []}),
        ),
        (
            "以后导出都要加密，不加密的不许发。",
            [],
            [("export", {"table": "a", "encrypt": True})],
            ("export", {"table": "b", "encrypt": False}),
            ("export", {"table": "b", "encrypt": True}),
        ),
        (
            "合同翻译我要繁体，每次都要繁体，简体客户看不惯。",
            [],
            [("translate", {"doc": "a", "target": "zh-Hant"})],
            ("translate", {"doc": "b", "target": "zh-Hans"}),
            ("translate", {"doc": "b", "target": "en"}),
        ),
        (
            "以后体检都给她找女医生。",
            [],
            [("book_check", {"ward": "a", "doctor_sex": "女"})],
            ("book_check", {"ward": "b", "doctor_sex": "男"}),
            ("book_check", {"ward": "b", "doctor_sex": "女"}),
        ),
        (
            "东西以后都寄到梅园 3 栋 501，老地址别再用了。",
            [],
            [("shop", {"item": "茶", "address": "梅园3栋501"})],
            ("shop", {"item": "米", "address": "竹园8栋102"}),
            ("shop", {"item": "米", "address": "梅园3栋501"}),
        ),
    ],
)
def test_what_a_wish_words_by_other_names_is_settled_too(rule, before, after, against, fine):
    wish = wish_of(rule, before, after)
    assert flagged(wish, *against)
    assert not flagged(wish, *fine)


@pytest.mark.parametrize(
    ("rule", "before", "after", "other"),
    [
        # who takes something back asks for nothing
        (
            "The two copy rule is lifted, print what you like.",
            [],
            [("print", {"doc": "a", "copies": 2})],
            ("print", {"doc": "b", "copies": 5}),
        ),
        # a clause that only says where it holds
        (
            "In all summaries, no bullet points.",
            [],
            [("write", {"doc": "summaries", "style": "prose"})],
            ("write", {"doc": "letter", "style": "prose"}),
        ),
        # a tool of another kind
        (
            "Parcels always at 9:30.",
            [("wake", {"at": "2031-05-07 07:00"})],
            [("parcel.book", {"at": "2031-05-07 09:30"})],
            ("wake", {"at": "2031-05-08 07:00"}),
        ),
        # another language is no other script
        (
            "说明书一律用简体。",
            [],
            [("translate", {"doc": "a", "target": "zh-Hans"})],
            ("translate", {"doc": "b", "target": "de"}),
        ),
        # 女儿 is no woman doctor
        (
            "我女儿的号都挂上午的。",
            [],
            [("book_check", {"doctor_sex": "女", "part": "上午"})],
            ("book_check", {"doctor_sex": "男", "part": "上午"}),
        ),
        (
            "不要压缩，压缩的我打不开，以后都这样。",
            [],
            [("pack", {"doc": "a", "compress": False})],
            ("pack", {"doc": "b", "compress": False}),
        ),
    ],
)
def test_what_a_wish_words_of_something_else_settles_nothing(rule, before, after, other):
    assert not flagged(wish_of(rule, before, after), *other)
