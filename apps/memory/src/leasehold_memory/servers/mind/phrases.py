"""What the local model says, in Japanese and in English."""

from __future__ import annotations

import re

FELT = {
    "joy": ("それはよかったですね。", "I'm glad to hear that."),
    "love": ("すてきですね。", "That is lovely."),
    "sadness": ("それはつらかったですね。", "I'm sorry to hear that."),
    "fear": ("心配ですね。", "I understand that you are worried."),
    "anger": ("それは腹が立ちますね。", "I see why that makes you angry."),
    "tiredness": ("お疲れさまです。", "You must be tired."),
    "surprise": ("びっくりしますね。", "What a surprise."),
    "calm": ("ゆっくりできてよかったです。", "That sounds restful."),
}

OTHERWISE = ("{who}{said}、ですね。覚えました。", "{who}: {said}. I will remember that.")
ANYTHING = ("なるほど。もう少し聞かせてください。", "I see. Tell me more.")
TO_DO = ("覚えておきますね。", "I will keep that in mind.")
DONE = ("お疲れさまでした。", "Well done.")
POLITE = (
    (re.compile(r"ありがと|\bthank", re.IGNORECASE), ("どういたしまして。", "You are welcome.")),
    (
        re.compile(
            r"こんにちは|はじめまして|おはよう|こんばんは|^(?:hello|hi|hey)\b", re.IGNORECASE
        ),
        ("こんにちは。お話しできてうれしいです。", "Hello! I'm glad to talk to you."),
    ),
)
# In words that fit a person and the one who talks alike.
SAID_BACK = {
    "name_is": ("{said}さんですね。よろしくお願いします。", "Nice to meet you, {said}."),
    "lives_in": ("{who}{said}に住んでいるんですね。", "So {said} is home. I will remember that."),
    "comes_from": ("{who}{said}の出身なんですね。", "From {said}, good to know."),
    "works_as": ("{who}{said}のお仕事なんですね。", "Working as a {said}: I will remember that."),
    "works_at": ("{who}{said}で働いているんですね。", "At {said}, I will remember that."),
    "likes": ("{who}{said}が好きなんですね。", "{who} and {said}: I will remember that."),
    "dislikes": ("{who}{said}が苦手なんですね。", "No {said} then, I will remember that."),
    "birthday_is": ("誕生日、覚えておきますね。", "I will remember that birthday."),
    "relation_is": ("{who}{said}なんですね。", "{who}, your {said}. I will remember that."),
    "has_pet": ("{said}がいるんですね。", "A {said}, how nice."),
    "allergic_to": ("{said}には気をつけますね。", "No {said}, I will be careful."),
}
