"""What every application says: English."""

from __future__ import annotations

ENGLISH: dict[str, str] = {
    "skip": "Skip to the page",
    "none": "none",
    "dashboard": "Queue and dashboard",
    "reads_only": "may only read",
    "marks": ",.",
    "months": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "moment": "{day} {month} {year}, {time} UTC",
    "live.lost": "The page is not updated just now; it goes on by itself.",
    "nav.label": "Pages",
    "language.label": "Language",
    "page.next": "More",
    "problem.title.404": "It is not here",
    "problem.title.403": "Not allowed",
    "problem.title.503": "Not just now",
    "problem.title.other": "That did not work",
    "problem.400": "What was sent can't be read.",
    "problem.403": "You may not do that.",
    "problem.404": "There is nothing of yours at this address.",
    "problem.409": "That does not fit with what is there.",
    "problem.413": "What was sent is too large.",
    "problem.422": "What was sent can't be used.",
    "problem.500": "Something went wrong. The log of the service says what.",
    "problem.503": "The database can't be reached just now. Try again in a moment.",
    "problem.wrong-scope": "You may only read here.",
    "problem.home": "To the first page",
}
