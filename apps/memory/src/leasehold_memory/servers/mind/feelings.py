"""Words of feelings, of secrets and of topics, in both languages."""

from __future__ import annotations

import re

_EMOTIONS = {
    "joy": r"happy|glad|excited|great news|delighted|wonderful|passed|嬉し|うれし|楽し|たのし|最高|"
    r"合格|幸せ",
    "sadness": r"\bsad\b|cried|lonely|miss (?:him|her|them)|depressed|悲し|寂し|さみし|さびし|泣|"
    r"落ち込|つらい|辛い",
    "fear": r"worried|nervous|afraid|scared|anxious|不安|心配|怖|緊張",
    "anger": r"angry|furious|annoyed|fed up|怒|腹が立|むかつ|イライラ",
    "tiredness": r"tired|exhausted|sleepy|疲れ|眠い|くたくた",
    "surprise": r"surprised|unbelievable|びっくり|驚い",
    "love": r"in love|adore|愛し|大好き",
    "calm": r"relaxed|peaceful|落ち着|のんびり|ほっと",
}
_SECRET = re.compile(
    r"don't tell|do not tell|\bsecret|password|between us|秘密|内緒|誰にも言わ|パスワード",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"doctor|hospital|salary|\bdebt|divorce|diagnos|illness|病院|病気|診断|給料|借金|離婚",
    re.IGNORECASE,
)
_TOPICS = {
    "music": r"\bmusic\b|\bpiano\b|\bguitar\b|concert|\bsongs?\b",
    "work": r"\bwork\b|\bjob\b|\boffice\b|\bboss\b|colleague",
    "travel": r"\btravel|\btrip\b|vacation|holiday",
    "food": r"\bfood\b|cook|restaurant|\bdinner\b|\blunch\b|\bcake\b",
    "school": r"school|exam|university|homework",
    "health": r"health|doctor|hospital|headache",
    "sports": r"\bsports?\b|tennis|football|running|marathon|\bgym\b",
    "books": r"\bbooks?\b|\bnovels?\b|\breading\b",
    "films": r"\bmovies?\b|\bfilms?\b|cinema",
    "cats": r"\bcats?\b|kitten",
    "dogs": r"\bdogs?\b|puppy",
    "音楽": r"音楽|ピアノ|ギター|コンサート|ライブ|歌",
    "仕事": r"仕事|会社|上司|同僚|残業",
    "旅行": r"旅行|旅|観光",
    "料理": r"料理|ごはん|ご飯|レストラン|ケーキ|ラーメン",
    "学校": r"学校|試験|大学|宿題",
    "健康": r"健康|病院|頭痛|風邪",
    "運動": r"運動|テニス|サッカー|野球|マラソン|ジョギング",
    "読書": r"読書|小説|本を",
    "映画": r"映画",
    "猫": r"猫|ネコ",
    "犬": r"犬|イヌ",
}


def emotion_in(text: str) -> str:
    """Return the feeling whose word comes first, or neutral."""
    found = [
        (match.start(), name)
        for name, words in _EMOTIONS.items()
        if (match := re.search(words, text, re.IGNORECASE))
    ]
    return min(found)[1] if found else "neutral"


def sensitivity_in(text: str) -> str:
    if _SECRET.search(text):
        return "secret"
    return "private" if _PRIVATE.search(text) else "normal"


def topics_in(text: str) -> list[str]:
    return [name for name, words in _TOPICS.items() if re.search(words, text, re.IGNORECASE)]
