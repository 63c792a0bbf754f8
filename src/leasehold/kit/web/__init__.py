"""The web of an application: an API for programs, and pages for people, each made of few parts.

    app = make_app(title=…, summary=…, routers=[…], problems=PROBLEMS, pages=PAGES)

`Problems` says how its errors are told, `Pages` what its pages are made with; a `Following` tells
those who watch what has changed.
"""

from leasehold.kit.web.app import make_app
from leasehold.kit.web.following import EventStream, Following, Seen
from leasehold.kit.web.languages import Languages, Speaker
from leasehold.kit.web.living import lifespan_of, lifespan_over
from leasehold.kit.web.pages import Pages, Place
from leasehold.kit.web.people import Changer, Person, Reader, changer_of, person_of
from leasehold.kit.web.problems import Problems, not_found
from leasehold.kit.web.values import Command, Document, IdText, a_line, a_text
from leasehold.kit.web.visiting import Visit

__all__ = [
    "Changer",
    "Command",
    "Document",
    "EventStream",
    "Following",
    "IdText",
    "Languages",
    "Pages",
    "Person",
    "Place",
    "Problems",
    "Reader",
    "Seen",
    "Speaker",
    "Visit",
    "a_line",
    "a_text",
    "changer_of",
    "lifespan_of",
    "lifespan_over",
    "make_app",
    "not_found",
    "person_of",
]
