"""Rules of English for what is still to come, and for what has been done.

Both are told in the same words, "call Tom": so what is done closes what was open.
"""

from __future__ import annotations

import re
from datetime import date

from leasehold_memory.servers.mind.days import day_in
from leasehold_memory.servers.mind.heard import Heard

_END = r"(?:[.;!?\n]|$)"
_PLAN = re.compile(
    r"\b(?:I(?:'ll| will| have to| need to| must| am going to|'m going to| promised to)|"
    rf"[Rr]emind me to|[Dd]on't let me forget to) (.+?){_END}"
)
_IDLE = re.compile(r"be |(?:go|see|leave|think|try)(?: now)?$")  # nobody asks about it later
_MOVE = re.compile(
    rf"\b(?:I'm|I am|We're|We are) ((?:moving|flying|travelling|traveling) to .+?){_END}"
)
_APPOINTMENT = re.compile(
    r"\bI have (an? [^.;!?\n]{0,80}?\b(?:exam|interview|appointment|meeting|test|date|deadline)\b"
    r"[^.;!?\n]*)"
)
_DONE = re.compile(
    r"\bI(?:'ve| have)?(?P<at_last> already| finally)? (?P<verb>[a-z]+)"
    rf"(?P<rest> .+?)?(?: at last)?{_END}"
)
# In any tense these say that something is over.
_ENDING = {"finished": "finish", "completed": "finish", "did": "do", "done": "do", "passed": "pass"}
_PAST = {
    "called": "call",
    "bought": "buy",
    "met": "meet",
    "visited": "visit",
    "wrote": "write",
    "written": "write",
    "sent": "send",
    "paid": "pay",
    "booked": "book",
    "cleaned": "clean",
    "submitted": "submit",
    "made": "make",
    "read": "read",
    "told": "tell",
    "asked": "ask",
    "watered": "water",
}
_DAY = re.compile(
    r",?\s+(?:(?:by|on|until|before|next|this)\s+)?(?:the day after )?"
    r"(?:tomorrow|today|tonight|next week|next month|next year|this week|weekend|monday|"
    r"tuesday|wednesday|thursday|friday|saturday|sunday)(?:\s+(?:morning|afternoon|evening|night))?",
    re.IGNORECASE,
)


def hear_plans(sentence: str, said_on: date, heard: Heard) -> None:
    """Add what a sentence says is to come, with its day, and what it says is over."""
    plans = [text for text in _PLAN.findall(sentence) if not _IDLE.match(text)]
    for text in [*plans, *_MOVE.findall(sentence), *_APPOINTMENT.findall(sentence)]:
        heard.loop(_plain(text), day_in(sentence, said_on))
    for found in _DONE.finditer(sentence):
        verb = _ENDING.get(found["verb"]) or (found["at_last"] and _PAST.get(found["verb"]))
        if verb and found["rest"]:
            heard.loop(_plain(f"{verb}{found['rest']}"), None, is_done=True)


def _plain(text: str) -> str:
    """Leave out the day: it is told apart."""
    return _DAY.sub("", f" {text}").strip() or text.strip()
