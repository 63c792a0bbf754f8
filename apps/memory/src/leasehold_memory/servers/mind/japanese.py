"""Rules of Japanese: who is spoken of, and what is said of them."""

from __future__ import annotations

import re
from datetime import date

from leasehold_memory.servers.mind.days import month_day_in
from leasehold_memory.servers.mind.heard import USER, Heard
from leasehold_memory.servers.mind.japanese_plans import hear_plans
from leasehold_memory.servers.mind.sentences import sentences_of

_KANJI, _KATAKANA = "一-龯々", "ァ-ヶー"
_WORD = rf"(?:[{_KANJI}]{{1,6}}|[{_KATAKANA}]{{2,12}}|[A-Za-z]{{2,20}})"
# No word is long, and no phrase of them: a rule must not take time without end for either.
_LETTERS = rf"[{_KANJI}{_KATAKANA}A-Za-z0-9]{{1,12}}"
_THING = rf"{_LETTERS}(?:[のをや]{_LETTERS}){{0,2}}(?:ること)?"
_DOING = rf"(?:{_LETTERS}を)?[{_KANJI}]{{1,2}}[ぁ-ん]{{1,2}}(?:こと|の)"
_HONORIFIC = "さん|くん|君|ちゃん|先生|さま|様"
_HONOURED = re.compile(rf"({_WORD})({_HONORIFIC})")
# A name in hiragana is told from what stands before it only after a particle or a stop.
_SOFT_NAME = re.compile(r"(?:^|[、。「」\s]|[はがとにのもへで])([ぁ-ん]{2,3})(さん|くん|ちゃん)")
_NO_NAMES = re.compile("皆|客|母|父|兄|姉|奥|息子|娘|赤|婆|爺|孫|嫁|たく|みな|おか|おとう")
_RELATIONS = (
    "妹|弟|姉|兄|母|父|友達|友だち|友人|親友|同僚|上司|部下|彼女|彼氏|妻|夫|娘|息子|先輩|後輩|"
    "いとこ|祖母|祖父|隣人"
)
_RELATED = re.compile(
    rf"({_RELATIONS})の(?:名前は)?({_WORD}|[ぁ-ん]{{2,4}}?)(?={_HONORIFIC}|[はがとにをもの、。]|です)"
)
# Who is in the family has no other name as long as none is said.
_KIN = re.compile(
    rf"(?<![{_KANJI}の])お?(母|父|兄|姉|弟|妹|妻|夫|娘|息子|祖母|祖父)(?:さん)?(?=[はがとにもを]|の誕生日)"
)
_OCCUPATIONS = (
    "看護師|教師|先生|医者|医師|エンジニア|会社員|学生|大学生|作家|料理人|弁護士|デザイナー|"
    "プログラマー|美容師|公務員|大工|写真家"
)
_TOPIC = re.compile(rf"({_WORD})(?:{_HONORIFIC})?(?:は|が)(?=.)")
_NO_THINGS = re.compile(
    "私|僕|俺|自分|今日|明日|昨日|今|最近|来週|誕生日|名前|仕事|趣味|週末|今度|カフェ|店|病院|学校|"
    "会社|公園|散歩|買い物|本当|一緒|全部|こと|もの|ため|ほう|いえ|家|話|見"
)
_SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (predicate, re.compile(pattern))
    for predicate, pattern in (
        ("lives_in", rf"({_WORD})(?:に住|[へに]引っ越し(?:た|まし|て))"),
        ("comes_from", rf"({_WORD})(?:の)?出身|出身は({_WORD})"),
        ("works_as", rf"({_WORD})として働|仕事は({_WORD})|({_OCCUPATIONS})(?:です|だ|をして)"),
        ("works_at", rf"({_WORD})(?:で働|に勤め)"),
        ("studies", rf"({_WORD})を(?:勉強|専攻)"),
        ("likes", rf"({_THING}|{_DOING})(?:が|も)(?:とても|本当に)?(?:大)?好き"),
        ("dislikes", rf"({_THING})(?:が|は|も)(?:とても)?(?:嫌い|苦手)"),
        ("does", rf"趣味は({_THING})"),
        ("allergic_to", rf"({_WORD}|[ぁ-ん]{{2,4}})アレルギー"),
        ("wants", rf"({_THING})(?:が欲し|がほし)"),
        ("has_been_to", rf"({_WORD})(?:に|へ)(?:行きました|行った|行ってき)"),
        ("age_is", r"(\d{1,3})歳"),
    )
)
_MY_NAME = re.compile(
    rf"(?:^|[私僕俺しく]の)名前は({_WORD})|(?:はじめまして|こんにちは)[、。！\s]*({_WORD})です|(?:私|僕|俺)は({_WORD})(?:と(?:いい|申し|言い)ます)|^({_WORD})と(?:いい|申し)ます"
)
_PET = re.compile(rf"(犬|猫|うさぎ|鳥)の({_WORD}|[ぁ-ん]{{2,4}})を?(?:と|飼)|(犬|猫|うさぎ|鳥)を飼")
_BIRTHDAY = re.compile(r"誕生日は(\d{1,2}月\d{1,2}日)")
_PLACES = frozenset({"lives_in", "comes_from", "has_been_to"})


def hear(text: str, said_on: date, heard: Heard) -> None:
    """Add what a Japanese text says."""
    _people(text, heard)
    about = USER
    for sentence in sentences_of(text):
        if not re.search(r"[？?]$|か。?$", sentence):
            about = _facts(sentence, about, heard)
        hear_plans(sentence, said_on, heard)


def _people(text: str, heard: Heard) -> None:
    for name, honorific in [*_HONOURED.findall(text), *_SOFT_NAME.findall(text)]:
        if not _NO_NAMES.fullmatch(name):
            heard.person(_bare(name), f"{_bare(name)}{honorific}")
    kin = [(name, name) for name in _KIN.findall(text)]
    for relation, name in [*_RELATED.findall(text), *kin]:
        if _NO_THINGS.fullmatch(name):
            continue
        heard.person(name)
        if name != relation:
            heard.fact(name, "relation_is", relation)


def _bare(name: str) -> str:
    """Take off what stands before a name without a particle: 妹 of 妹花子."""
    return re.sub(rf"^(?:{_RELATIONS})(?=.)", "", name)


def _facts(sentence: str, about: str, heard: Heard) -> str:
    """Add what a sentence states; returns who it was about, for the next one without a subject."""
    about = _subject(sentence, about, heard)
    for predicate, pattern in _SAID:
        for found in pattern.finditer(sentence):
            said = next(each for each in found.groups() if each)
            if _NO_THINGS.fullmatch(said) or said in heard.people:
                continue
            heard.fact(about, predicate, said)
            if predicate in _PLACES:
                heard.place(said)
    _special(sentence, about, heard)
    return about


def _subject(sentence: str, about: str, heard: Heard) -> str:
    """Find who a sentence is about: its topic, if that is a person; else whoever it was before."""
    for found in _TOPIC.finditer(sentence):
        if found[1] in {"私", "僕", "俺", "自分"}:
            return USER
        if _bare(found[1]) in heard.people:
            return _bare(found[1])
    soft = _topic_among(heard, sentence)
    if soft is not None:
        return soft
    return USER if re.search(r"私|僕|俺|わたし|ぼく", sentence) else about


def _topic_among(heard: Heard, sentence: str) -> str | None:
    """Return who of those that are known is the topic, however their name is written."""
    found = (
        name for name in heard.people if re.search(rf"{name}(?:{_HONORIFIC})?[はが]", sentence)
    )
    return next(found, None)


def _special(sentence: str, about: str, heard: Heard) -> None:
    has_pet = any(predicate == "has_pet" for _, predicate, _ in heard.facts)
    for groups in _MY_NAME.findall(sentence) if not has_pet else ():
        heard.fact(USER, "name_is", next(each for each in groups if each))
    for animal, name, alone in _PET.findall(sentence):
        heard.fact(USER, "has_pet", f"{animal}の{name}" if name else alone)
    for said in _BIRTHDAY.findall(sentence):
        day = month_day_in(said)
        owner = next((name for name in heard.people if name in sentence), about)
        if day is not None:
            heard.fact(owner, "birthday_is", day)
