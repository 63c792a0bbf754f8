"""Rules of English: who is spoken of, and what is said of them."""

from __future__ import annotations

import re
from datetime import date

from leasehold_memory.servers.mind.days import month_day_in
from leasehold_memory.servers.mind.english_plans import hear_plans
from leasehold_memory.servers.mind.heard import USER, Heard
from leasehold_memory.servers.mind.sentences import sentences_of

_NAME = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_RELATIONS = (
    "sister|brother|mother|father|mom|dad|daughter|son|wife|husband|girlfriend|boyfriend|partner|"
    "friend|best friend|boss|colleague|cousin|aunt|uncle|grandmother|grandfather|neighbour|neighbor"
)
_OCCUPATIONS = (
    "teacher|nurse|doctor|engineer|student|writer|cook|lawyer|programmer|designer|musician|artist|"
    "scientist|carpenter|photographer|driver"
)
_END = r"(?=\s+(?:and|but|because|with|so|who|since|now|for|last|this|next|every)\b|[.,;!?\n]|$)"
_THING = rf"(?:a |an |the |my )?(?!(?:you|it|that|this|him|her|them|me)\b)(.+?){_END}"
_RELATED = re.compile(rf"\b[Mm]y (?:(?:little|big|older|younger|best) )?({_RELATIONS}),? ({_NAME})")
_CALLED = re.compile(rf"\b[Mm]y ({_RELATIONS})(?:'s name is| is called| is named) ({_NAME})")
_WITH = re.compile(
    rf"\b(?:[Ww]ith|[Mm]e?et|[Ss]ee|[Ss]aw|[Cc]all|[Vv]isit(?:ed)?|[Tt]old) ({_NAME})\b"
)
_SUBJECT = re.compile(
    rf"\b(?:(I|We)|([Ss]he|[Hh]e)|(?:[Mm]y (?:{_RELATIONS}) )?({_NAME}))"
    r"(?:'m| am|'ve| have| has| is)?(?: also| really| now| just| still)* "
)
_NO_NAMES = re.compile(
    "I|We|She|He|Her|His|Our|They|It|The|This|That|My|Your|Yes|No|Today|Tomorrow|Yesterday|Hello|Hi|Thanks|"
    "Please|Also|What|When|Where|Who|Why|How|And|But|So|Then|Maybe|Remember|Monday|Tuesday|"
    "Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|"
    "September|October|November|December"
)
# What follows a subject, and the predicate that it makes.
_SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (predicate, re.compile(pattern))
    for predicate, pattern in (
        ("lives_in", rf"(?:lives? in|moved to) {_THING}"),
        ("comes_from", rf"(?:comes? )?from {_THING}"),
        ("works_as", rf"(?:works?|working) as {_THING}"),
        ("works_as", rf"(?:am |is |'m )?an? ((?:[a-z]+ ){{0,2}}(?:{_OCCUPATIONS}))\b"),
        ("works_at", rf"(?:works?|working) (?:at|for) {_THING}"),
        ("studies", rf"(?:study|studies|studying) {_THING}"),
        ("likes", rf"(?:likes?|loves?|enjoys?) {_THING}"),
        ("dislikes", rf"(?:hates?|dislikes?|don't like|doesn't like|can't stand) {_THING}"),
        ("does", rf"(plays? .+?){_END}"),
        ("speaks", rf"speaks? {_THING}"),
        ("allergic_to", rf"allergic to {_THING}"),
        ("wants", rf"(?:wants?|would like) (?:to )?{_THING}"),
        ("has_been_to", rf"been to {_THING}"),
        ("age_is", r"(\d{1,3}) years old"),
    )
)
_AND = re.compile(r",?\s+(?:and|but)\s+(?:also\s+)?")
_MY_NAME = re.compile(
    rf"\b[Mm]y name is ({_NAME})|\b[Cc]all me ({_NAME})|\bI(?:'m| am) ({_NAME})(?=[.!,]|$)"
)
_PETS = "dog|cat|rabbit|bird"
_PET = re.compile(
    rf"\b(?:have|got) a ({_PETS})(?: (?:named|called) ({_NAME}))?"
    rf"|\b[Mm]y ({_PETS})(?:'s name)? is (?:named |called )?({_NAME})"
)
_BIRTHDAY = re.compile(
    rf"\b(?:([Mm]y)|(?:[Mm]y )?({_NAME}|{_RELATIONS})'s|([Hh]er|[Hh]is)) birthday is "
    r"(?:on )?(.+?)(?:[.,;!?\n]|$)"
)
_PLACES = frozenset({"lives_in", "comes_from", "has_been_to"})


def hear(text: str, said_on: date, heard: Heard) -> None:
    """Add what an English text says."""
    _people(text, heard)
    about = USER
    for sentence in sentences_of(text):
        if not sentence.endswith("?"):
            about = _facts(sentence, about, heard)
        hear_plans(sentence, said_on, heard)


def _people(text: str, heard: Heard) -> None:
    for relation, name in [*_RELATED.findall(text), *_CALLED.findall(text)]:
        heard.person(name)
        heard.fact(name, "relation_is", relation)
    for name in _WITH.findall(text):
        if not _NO_NAMES.fullmatch(name):
            heard.person(name)


def _facts(sentence: str, about: str, heard: Heard) -> str:
    """Add what a sentence states; returns who it was about, for a "she" of the next one."""
    for found in _SUBJECT.finditer(sentence):
        if found[3] and _NO_NAMES.fullmatch(found[3]):
            continue
        subject = USER if found[1] else found[3] or about
        _stated(subject, sentence[found.end() :], heard)
    _special(sentence, about, heard)
    named = [name for name in heard.people if name in sentence]
    return named[-1] if named else about


def _stated(subject: str, rest: str, heard: Heard) -> None:
    """Add what a subject is said to be or do, in each of the parts that "and" joins."""
    for part in _AND.split(rest):
        found = next(
            ((name, match) for name, each in _SAID if (match := each.match(part)) is not None), None
        )
        if found is None:
            continue
        predicate, said = found[0], found[1][1].strip()
        if subject != USER:
            heard.person(subject)
        heard.fact(subject, predicate, said)
        if predicate in _PLACES:
            heard.place(said)


def _special(sentence: str, about: str, heard: Heard) -> None:
    for names in _MY_NAME.findall(sentence):
        heard.fact(USER, "name_is", "".join(names))
    for animal, name, own, called in _PET.findall(sentence):
        heard.fact(USER, "has_pet", f"{animal or own} {name or called}".strip())
    for mine, name, _pronoun, said in _BIRTHDAY.findall(sentence):
        day = month_day_in(said)
        if day is not None:
            if name:
                heard.person(name)
            heard.fact(USER if mine else name or about, "birthday_is", day)
