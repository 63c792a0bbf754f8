"""Who may say something of domains: they are everybody's, so not those bound to a tenant."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from leasehold.kit.web import Person, changer_of, person_of
from leasehold.web import Refused, make_problem


def _overseer(request: Request) -> Person:
    person = person_of(request)
    if person.is_bound:
        detail = "domains belong to no tenant, and you are bound to one"
        raise Refused(make_problem(403, "not-for-tenants", detail))
    return person


def _decider(request: Request) -> Person:
    _overseer(request)
    return changer_of(request)


Overseer: TypeAlias = Annotated[Person, Depends(_overseer)]
Decider: TypeAlias = Annotated[Person, Depends(_decider)]
