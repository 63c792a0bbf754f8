"""What was said in the days before the demo: two languages, and memories of every kind."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from leasehold_memory.model.units import Sensitivity


class Told(NamedTuple):
    """One turn, so long ago."""

    ago: timedelta
    user_text: str
    reply_text: str
    conversation: str
    sensitivity: Sensitivity = Sensitivity.NORMAL


def _english(days: int, hours: int, said: str, replied: str) -> Told:
    return Told(timedelta(days=days, hours=hours), said, replied, "english")


def _japanese(
    days: int, hours: int, said: str, replied: str, level: Sensitivity = Sensitivity.NORMAL
) -> Told:
    return Told(timedelta(days=days, hours=hours), said, replied, "japanese", level)


STORY = (
    _english(
        *(6, 9),
        "My sister Emma lives in Kyoto. She works as a teacher.",
        "A teacher in Kyoto, how nice. I will remember that.",
    ),
    _english(
        *(6, 8),
        "I live in Nara and I like green tea.",
        "Green tea in Nara sounds lovely.",
    ),
    _japanese(
        *(5, 3),
        "友達の田中さんは大阪に住んでいます。コーヒーが大好きです。",
        "田中さんは大阪にお住まいなのですね。覚えました。",
    ),
    _english(
        *(4, 6),
        "Emma's birthday is on May 3. I will buy her a present this weekend.",
        "I will keep that in mind.",
    ),
    _japanese(
        *(3, 10),
        "最近、仕事が忙しくて疲れています。私は猫が好きなので、猫の動画で休んでいます。",
        "お疲れさまです。猫の動画はいい休み方ですね。",
    ),
    _japanese(
        *(2, 7),
        "転職を考えています。誰にも言わないでください。",
        "わかりました。ここだけの話にしますね。",
        Sensitivity.SECRET,
    ),
    _japanese(
        *(2, 2),
        "明日、田中さんと映画を見に行く約束をしています。",
        "楽しみですね。覚えておきますね。",
    ),
    _english(
        *(1, 4),
        "I moved to Osaka last week. I am happy with the new flat.",
        "I'm glad to hear that. Osaka, I will remember that.",
    ),
    _japanese(
        *(0, 5),
        "田中さんと映画を見ました。とても楽しかったです。",
        "それはよかったですね。",
    ),
)
