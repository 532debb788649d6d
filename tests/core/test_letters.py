"""A word is found however it is written: with or without accents, its parts joined or not."""

import pytest

from hindsight_core import Hindsight, Scope
from hindsight_core.letters import WRITTEN_OTHERWISE, part_names, plain_letters
from hindsight_core.text import fold, terms

ME = Scope(user="ana")
BESIDE = (
    "The staging database is restored every Monday.",
    "The kitchen closes at nine.",
    "周报发给北岸项目群。",
    "Payments go through the north gateway.",
)


@pytest.mark.parametrize(
    "ways",
    [
        ("getUserName needs a token", "get_user_name times out", "get user name is slow"),
        ("parseHTTPResponse", "parse_http_response", "parse HTTP response", "ParseHTTPResponse"),
        ("userID", "user_id", "user id", "userId"),
        ("OAuth2TokenStore", "oauth2 token store"),
        ("用 getUserName 查询", "用getUserName查询", "user name 查询"),
        ("Ask José.", "Who is Jose?", "JOSE\u0301"),
        ("Café Zürich", "cafe zurich"),
        ("Łódź", "lodz"),
        ("København", "Kobenhavn"),
        ("Đà Nẵng", "da nang"),
        ("İstanbul", "istanbul", "Istanbul"),
        ("Straße", "strasse"),
        ("ＡＢＣ会议室", "ABC會議室"),
        ("電話１２３", "电话123"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
    ],
    ids=lambda ways: ways[-1],
)
def test_each_way_of_writing_finds_every_other(tmp_path, ways):
    for number, said in enumerate(ways):
        with Hindsight.open(str(tmp_path / f"{number}.db"), embedder=None) as hindsight:
            for text in (said, *BESIDE):
                hindsight.remember(ME, text)
            for asked in ways:
                found = hindsight.recall(ME, asked)
                assert found.block, (said, asked)
                assert said.replace("\u0301", "") in found.block.text.replace("\u0301", "")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("We use JavaScript in the browser.", "Which Java do we have?"),
        ("The GitHub token is in the vault.", "Who opens the hub?"),
        ("McDonald signs the contracts.", "Donald?"),
        ("PostgreSQL runs on cobalt-7.", "Which SQL dialect?"),
        ("The iPhone is Bea's.", "phone?"),
        ("Ask Жук about it.", "Zhuk?"),
        ("バラ is at the desk.", "ハラ?"),
        ("The hash is aGVsbG8gd29ybGQhIQxYzAb.", "Vs bG gd"),
    ],
)
def test_words_that_only_look_alike_stay_apart(tmp_path, said, asked):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        for text in (said, *BESIDE):
            hindsight.remember(ME, text)
        assert hindsight.recall(ME, asked).block is None


def test_a_name_is_still_found_as_a_whole(tmp_path):
    with Hindsight.open(str(tmp_path / "m.db"), embedder=None) as hindsight:
        for text in ("getUserName needs a token.", "The user has a name.", *BESIDE):
            hindsight.remember(ME, text)
        for asked in ("getusername", "GETUSERNAME", "getUserName"):
            found = hindsight.recall(ME, asked)
            assert found.block
            assert "1. getUserName needs a token." in found.block.text


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("getUserName", "getUserName get User Name"),
        ("IPv6Address", "IPv6Address IPv6 Address"),
        ("XMLHttpRequest", "XMLHttpRequest XML Http Request"),
        ("a.getUrl(userId)", "a.getUrl get Url(userId user Id)"),
        ("JavaScript GitHub macOS iPhone eBay mRNA", "JavaScript GitHub macOS iPhone eBay mRNA"),
        ("x" * 70 + "Yes", "x" * 70 + "Yes"),
    ],
)
def test_names_are_parted_and_words_are_not(text, parted):
    assert part_names(text) == parted


@pytest.mark.parametrize("text", ["José", "cafe\u0301", "getUserName", "ＧetUserName", "v2Token"])
def test_what_is_cut_otherwise_than_before_is_known_to_be_in_need_of_it(text):
    assert WRITTEN_OTHERWISE.search(text)


def test_chinese_japanese_korean_and_cyrillic_keep_their_marks():
    for text in ("预发布数据库", "ガイド", "한국어", "й ё"):
        assert plain_letters(fold(text)) == fold(text)
    assert terms("Größe") == terms("grosse")
