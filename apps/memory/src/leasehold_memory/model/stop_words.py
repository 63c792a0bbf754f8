"""Words that say nothing of what a question is about."""

from __future__ import annotations

_ENGLISH = """
a about after again all also am an and any anything are as at be because been before being but by
can could d did do does doing done during each else ever for from get go got had has have having
he her here hers him his how i if in into is it its just ll m may me might more most much must my
no nor not of off on once one only or other our ours out over own please re s same shall she should
since so some something such t tell than that the their theirs them then there these they thing
things this those through to too under until up us ve very was we were what when where which while
who whom whose why will with would yes yet you your yours dont didnt doesnt isnt im ive whats
"""
# Pairs of characters: of particles, of endings, and of words that ask or point.
_JAPANESE = """
あの ある あり いう いた いつ いて いる うか うに えば おり かな かも から がら くて くれ けど けれ
こそ こと この これ さい され した して しま する すか せん そう その それ たい たか たく たし たち
だけ だっ だれ だろ って っと った つか てい てき てた てる です では でし でも とか とき とこ とは
ども どの どう どこ どん など ない なか なく なさ なっ なに なの なる なん なら にお には にも ので
のは のが のに はい ます ませ まし まで みた もの やっ よう よね らい られ らし りま れた れて れは
れる ろう わた んか んだ んで んな
"""
_STOP_WORDS = frozenset([*_ENGLISH.split(), *_JAPANESE.split()])


def is_stop_word(word: str) -> bool:
    """Tell whether a normalised word, or a pair of characters, is in nearly every sentence."""
    return word in _STOP_WORDS
