"""Rules of Japanese for what is still to come, and for what has been done.

Both are told in the same words, レポートを提出する: so what is done closes what was open.
"""

from __future__ import annotations

import re
from datetime import date

from leasehold_memory.servers.mind.days import day_in
from leasehold_memory.servers.mind.heard import Heard

_DAY = (
    r"明日|あした|明後日|あさって|今日|今夜|(?:来週|今週)?の?[月火水木金土日]曜日?|来週|来月|来年|今週末|週末|今度|"
    r"\d{1,2}月\d{1,2}日"
)
_FIRST_WORDS = re.compile(rf"^(?:(?:{_DAY})(?:[、にはの]|まで)*|もう|やっと|ついに|無事に?|、)+")
# A verb, and its forms before ます, た and ない.
_VERBS = (
    ("行く", "行き", "行っ", "行か"),
    ("会う", "会い", "会っ", "会わ"),
    ("見る", "見", "見", "見"),
    ("出す", "出し", "出し", "出さ"),
    ("買う", "買い", "買っ", "買わ"),
    ("書く", "書き", "書い", "書か"),
    ("作る", "作り", "作っ", "作ら"),
    ("送る", "送り", "送っ", "送ら"),
    ("払う", "払い", "払っ", "払わ"),
    ("辞める", "辞め", "辞め", "辞め"),
    ("受ける", "受け", "受け", "受け"),
    ("始める", "始め", "始め", "始め"),
    ("引っ越す", "引っ越し", "引っ越し", "引っ越さ"),
    ("する", "(?<!越)し", "(?<!ま)(?<!越)し", "し"),
)
_DUTY = r"(?:なきゃ|ないと|なければ|なくちゃ)"
_INTENT = r"(?:つもり|予定|約束|こと|んだ|ので?|から|よ|ね|。|、|$)"
_TO_COME = tuple(
    (verb, re.compile(rf"(.+?)(?:{verb}{_INTENT}|{polite}ます|{negative}{_DUTY})"))
    for verb, polite, _, negative in _VERBS
)
_DONE = tuple(
    (verb, re.compile(rf"(.+?)(?:{past}た|{polite}ました)(?:[よね。！!、]|$)"))
    for verb, polite, past, _ in _VERBS
)
_IS_COMING = re.compile(_DAY)
_IS_DUTY = re.compile(rf"{_DUTY}|忘れないで|約束|つもり|予定")
_EVENT = re.compile(r"([一-龯々ァ-ヶー]{1,12})が(?:ある|あり)")
_PAST = re.compile(r"(?:た|ました|でした)(?:よ|ね|。|！|$)")
_AT_LAST = re.compile(r"もう|やっと|ついに|無事|提出し|完了し")
_OVER = re.compile(
    r"([一-龯々ァ-ヶーA-Za-z]{1,12})[がはを]?(?:もう|やっと|ついに)?(?:終わっ|終わりまし|済ん)"
)


def hear_plans(sentence: str, said_on: date, heard: Heard) -> None:
    """Add what a sentence says is to come, with its day, or what it says is over."""
    if _PAST.search(sentence) or _OVER.search(sentence):
        _hear_done(sentence, heard)
    elif _IS_COMING.search(sentence) or _IS_DUTY.search(sentence):
        text = _event(sentence) or _told(sentence, _TO_COME)
        if text is not None:
            heard.loop(text, day_in(sentence, said_on))


def _hear_done(sentence: str, heard: Heard) -> None:
    over = _OVER.search(sentence)
    text = over[1] if over else _told(sentence, _DONE) if _AT_LAST.search(sentence) else None
    if text is not None:
        heard.loop(text, None, is_done=True)


def _event(sentence: str) -> str | None:
    found = _EVENT.search(sentence)
    return found[1] if found else None


def _told(sentence: str, forms: tuple[tuple[str, re.Pattern[str]], ...]) -> str | None:
    """Return what is done or to do, its verb as a dictionary has it; the first verb decides."""
    matched = [(form.match(sentence), verb) for verb, form in forms]
    found = [(match.end(), verb, match[1]) for match, verb in matched if match]
    if not found:
        return None
    _, verb, before = min(found)
    plain = _FIRST_WORDS.sub("", before).strip("、 ")
    return f"{plain}{verb}" if plain else None
