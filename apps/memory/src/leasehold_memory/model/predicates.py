"""What a fact may say: a short list, so that the same is always said in the same words.

Of an exclusive one a subject has one object at a time: a newer fact closes the older one.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Predicate(StrEnum):
    """What is said of a subject; the texts stand in files and never change."""

    NAME_IS = "name_is"
    LIVES_IN = "lives_in"
    COMES_FROM = "comes_from"
    WORKS_AS = "works_as"
    WORKS_AT = "works_at"
    STUDIES = "studies"
    BIRTHDAY_IS = "birthday_is"
    AGE_IS = "age_is"
    RELATION_IS = "relation_is"
    PARTNER_IS = "partner_is"
    FRIEND_OF = "friend_of"
    HAS_CHILD = "has_child"
    HAS_PET = "has_pet"
    LIKES = "likes"
    DISLIKES = "dislikes"
    DOES = "does"
    OWNS = "owns"
    SPEAKS = "speaks"
    ALLERGIC_TO = "allergic_to"
    SUFFERS_FROM = "suffers_from"
    WANTS = "wants"
    HAS_BEEN_TO = "has_been_to"
    BELIEVES = "believes"


class Meaning(msgspec.Struct, frozen=True):
    """What a predicate's object is, as the model is told, and how people read it."""

    object: str
    english: str
    japanese: str
    is_exclusive: bool = False


MEANINGS: dict[Predicate, Meaning] = {
    Predicate.NAME_IS: Meaning("how they are called", "is called", "名前", is_exclusive=True),
    Predicate.LIVES_IN: Meaning(
        "the place they live in now", "lives in", "住まい", is_exclusive=True
    ),
    Predicate.COMES_FROM: Meaning("where they grew up", "comes from", "出身", is_exclusive=True),
    Predicate.WORKS_AS: Meaning("their occupation", "works as", "職業", is_exclusive=True),
    Predicate.WORKS_AT: Meaning("their employer", "works at", "勤め先", is_exclusive=True),
    Predicate.STUDIES: Meaning("a subject or a school", "studies", "学んでいること"),
    Predicate.BIRTHDAY_IS: Meaning(
        "YYYY-MM-DD, or MM-DD", "has their birthday on", "誕生日", is_exclusive=True
    ),
    Predicate.AGE_IS: Meaning("years, as a number", "is aged", "年齢", is_exclusive=True),
    Predicate.RELATION_IS: Meaning(
        "what they are to the user: sister, boss", "is the user's", "間柄", is_exclusive=True
    ),
    Predicate.PARTNER_IS: Meaning("a person's name", "is with", "パートナー", is_exclusive=True),
    Predicate.FRIEND_OF: Meaning("a person's name", "is a friend of", "友人"),
    Predicate.HAS_CHILD: Meaning("a person's name", "has the child", "子ども"),
    Predicate.HAS_PET: Meaning("the animal, with its name", "has the pet", "ペット"),
    Predicate.LIKES: Meaning("what they like", "likes", "好きなもの"),
    Predicate.DISLIKES: Meaning("what they don't like", "dislikes", "苦手なもの"),
    Predicate.DOES: Meaning("a hobby or a habit", "does", "していること"),
    Predicate.OWNS: Meaning("a thing", "owns", "持ちもの"),
    Predicate.SPEAKS: Meaning("a language", "speaks", "話すことば"),
    Predicate.ALLERGIC_TO: Meaning("what they can't bear", "is allergic to", "アレルギー"),
    Predicate.SUFFERS_FROM: Meaning("an illness or an ache", "suffers from", "体の不調"),
    Predicate.WANTS: Meaning("a wish or a goal", "wants", "望み"),
    Predicate.HAS_BEEN_TO: Meaning("a place they visited", "has been to", "行ったところ"),
    Predicate.BELIEVES: Meaning("a conviction", "believes", "信じていること"),
}
EXCLUSIVE = frozenset(each for each, meaning in MEANINGS.items() if meaning.is_exclusive)
