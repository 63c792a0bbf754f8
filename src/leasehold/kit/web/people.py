"""Who asks, and what they may do.

An application shows everybody their own things alone: another's are not there (404). To change
anything needs the right to operate.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from fastapi import Depends, Request

from leasehold.kit.people import DEMO_USER, user_id_of
from leasehold.web import Refused, Right, identity_of, make_problem


class Person(NamedTuple):
    """Who asks."""

    user_id: str
    name: str  # "" where nobody is asked
    may_change: bool
    is_bound: bool = False  # to a tenant

    @property
    def may_decide(self) -> bool:
        """Whether what they say counts for everybody."""
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


def changer_of(request: Request) -> Person:
    """Say who asks; refused unless they may change things."""
    person = person_of(request)
    if not person.may_change:
        raise Refused(make_problem(403, "wrong-scope", "this needs the scope operate"))
    return person


# Coroutines: FastAPI would call a function in a thread, and wait for its turn twice.
async def _reader(request: Request) -> Person:
    return person_of(request)


async def _changer(request: Request) -> Person:
    return changer_of(request)


Reader: TypeAlias = Annotated[Person, Depends(_reader)]
Changer: TypeAlias = Annotated[Person, Depends(_changer)]
