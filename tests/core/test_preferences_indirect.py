"""Wishes that are said in passing and in indirect words, and plain talk of the same shape."""

import pytest

from hindsight_core.capture import extract_preferences

WISHES = (
    "Garlic is never to be put in the soup.",
    "Empty the rack. Nothing from the cellar is ever to be thrown away; bring it to the barn.",
    "Anything Norwegian goes to Astrid, she grew up there.",
    "Balloons have no business in the operating wing.",
    "A dark corridor is the one thing I won't put up with.",
    "Every consultation is 25 minutes, no longer.",
    "Whoever cooks, it has to be vegan.",
    "In everything that leaves the archive, sources come with their shelf mark.",
    "Keep the hum at 15 at most.",
    "谁来剪都行，但得是小米。",
    "相册里的底片一张都不许扔。",
    "北欧来的客户都归阿松管。",
    "我那杯多放糖，不甜喝不下，回回如此。",
    "書房的燈一盞都不許關。",
)
TALK = (
    "We're out of kitchen towels.",
    "New shoes, no more blisters!",
    "Plan Tuesday's flute lesson with Mira.",
    "Blues in the attic.",
    "The ogre charges at me!",
    "It's dusty.",
    "My father-in-law, dear man, would paint it all in lilac.",
    "If I'd won the raffle I'd drink nothing but champagne.",
    "A cooper from Bilbao wrote as well.",
    "厨房纸用完了。",
    "看看还剩几张票。",
    "我那搭子老想换成金色，别理他。",
    "下辈子我要天天睡到中午。",
    "順便看看還有幾間房。",
)


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_in_indirect_words_is_kept(text):
    assert extract_preferences(text)


@pytest.mark.parametrize("text", TALK)
def test_talk_of_the_same_shape_is_not_kept(text):
    assert not extract_preferences(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Anything Norwegian goes to Astrid. Please keep it that way in future.", "Astrid"),
        ("The tall ones lie flat. Do it like that every time.", "lie flat"),
        ("北欧来的给阿松。以后都照这样分。", "阿松"),
    ],
)
def test_a_request_to_keep_to_it_carries_the_sentence_before(text, named):
    assert any(named in one.content for one in extract_preferences(text))


def test_the_initials_of_a_name_end_no_sentence():
    (found,) = extract_preferences("I sign everything as Dr. T. Abel-Roux.")
    assert found.content.endswith("Dr. T. Abel-Roux.")
