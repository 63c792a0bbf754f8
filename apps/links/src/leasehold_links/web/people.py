"""Who asks, whose library that is, and what they may do with it.

Everybody sees and changes their own library alone: another's folder or link is not there (404). To
change anything needs the right to operate. Domains are everybody's, so they are not for those who
are bound to a tenant.
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
    is_bound: bool = False  # to a tenant

    @property
    def may_decide(self) -> bool:
        """Whether what they say of a domain counts for everybody."""
        return self.may_change and not self.is_bound


def person_of(request: Request) -> Person:
    """Say who asks; where nobody is asked it is everybody's demo."""
    identity = identity_of(request)
    if identity is None or not identity.name:
        return Person(DEMO_USER, "", may_change=True)
    return Person(
        user_id_of(identity.name, identity.tenant),
        identity.name,
        may_change=identity.may(Right.OPERATE),
        is_bound=identity.tenant is not None,
    )


def _changer(request: Request) -> Person:
    person = person_of(request)
    if not person.may_change:
        raise Refused(make_problem(403, "wrong-scope", "this needs the scope operate"))
    return person


def _overseer(request: Request) -> Person:
    person = person_of(request)
    if person.is_bound:
        detail = "domains belong to no tenant, and you are bound to one"
        raise Refused(make_problem(403, "not-for-tenants", detail))
    return person


def _decider(request: Request) -> Person:
    _overseer(request)
    return _changer(request)


Reader: TypeAlias = Annotated[Person, Depends(person_of)]
Changer: TypeAlias = Annotated[Person, Depends(_changer)]
Overseer: TypeAlias = Annotated[Person, Depends(_overseer)]
Decider: TypeAlias = Annotated[Person, Depends(_decider)]
