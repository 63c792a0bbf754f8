"""Who asks, whose library that is, and what they may do with it.

Everybody sees and changes their own library alone: another's folder or link is not there (404). To
change anything needs the right to operate. Domains are everybody's: to decide about one needs to be
of no tenant, too.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from fastapi import Depends, Request

from leasehold.web import Right, identity_of, make_problem
from leasehold_links.model.people import DEMO_USER, user_id_of
from leasehold_links.web.problems import Refused


class Person(NamedTuple):
    """Who asks."""

    user_id: str
    name: str  # "" where nobody is asked
    may_change: bool
    may_decide: bool  # about domains


def person_of(request: Request) -> Person:
    """Say who asks; where nobody is asked it is everybody's demo."""
    identity = identity_of(request)
    if identity is None or not identity.name:
        return Person(DEMO_USER, "", may_change=True, may_decide=True)
    may_change = identity.may(Right.OPERATE)
    return Person(
        user_id_of(identity.name, identity.tenant),
        identity.name,
        may_change=may_change,
        may_decide=may_change and identity.tenant is None,
    )


def _changer(request: Request) -> Person:
    person = person_of(request)
    if not person.may_change:
        raise Refused(make_problem(403, "wrong-scope", "this needs the scope operate"))
    return person


def _decider(request: Request) -> Person:
    person = _changer(request)
    if not person.may_decide:
        detail = "domains belong to no tenant, and you are bound to one"
        raise Refused(make_problem(403, "not-for-tenants", detail))
    return person


Reader: TypeAlias = Annotated[Person, Depends(person_of)]
Changer: TypeAlias = Annotated[Person, Depends(_changer)]
Decider: TypeAlias = Annotated[Person, Depends(_decider)]
