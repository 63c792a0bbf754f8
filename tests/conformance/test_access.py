"""Tokens and sessions in the store: what stands, what has ended, and that no secret is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.access import Holder, NewToken, Right
from tests.conformance.kit import pass_time

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

DIGEST, OTHER = b"\x01" * 32, b"\x02" * 32
DAY = 86_400.0


def add(store: Store, name: str = "ci", **words: object) -> None:
    given: dict[str, object] = {
        "id": f"id-{name}",
        "name": name,
        "digest": DIGEST,
        "right": Right.OPERATE,
        "tenant": None,
        "expires_seconds": None,
        "by": "ana",
    }
    made = store.add_token(NewToken(**(given | words)))  # type: ignore[arg-type]  # as a test says
    assert made is not None
    assert made.name == name


def test_a_token_is_found_by_its_id_with_the_digest_of_its_secret(store: Store) -> None:
    assert store.has_tokens() is False
    add(store, tenant="acme", expires_seconds=DAY)
    known = store.known_token("id-ci")
    assert known is not None
    assert known.digest == DIGEST
    assert (known.token.right, known.token.tenant) == (Right.OPERATE, "acme")
    assert known.token.created_by == "ana"
    assert known.token.stands(known.now)
    assert store.known_token("id-nobody") is None
    assert store.has_tokens() is True


def test_two_tokens_that_stand_have_two_names(store: Store) -> None:
    add(store)
    again = NewToken(
        id="other",
        name="ci",
        digest=OTHER,
        right=Right.READ,
        tenant=None,
        expires_seconds=None,
        by=None,
    )
    assert store.add_token(again) is None
    assert store.revoke_token("ci") is True
    assert store.add_token(again) is not None
    assert [(each.id, each.revoked_at is None) for each in store.tokens()] == [
        ("other", True),
        ("id-ci", False),
    ]


def test_a_token_stands_until_it_expires_or_is_revoked(store: Store) -> None:
    add(store, "short", expires_seconds=60.0)
    add(store, "long")
    pass_time(store, 61)
    short, long = store.known_token("id-short"), store.known_token("id-long")
    assert short is not None
    assert long is not None
    assert not short.token.stands(short.now)
    assert long.token.stands(long.now)
    assert store.revoke_token("long") is True
    assert store.revoke_token("long") is False
    gone = store.known_token("id-long")
    assert gone is not None
    assert not gone.token.stands(gone.now)
    assert store.has_tokens() is True  # else the last revocation would open the service


def test_that_a_token_was_used_is_written_rarely(store: Store) -> None:
    add(store)
    store.note_token_use("id-ci", every_seconds=3_600)
    first = store.tokens()[0].last_used_at
    pass_time(store, 60)
    store.note_token_use("id-ci", every_seconds=3_600)
    assert store.tokens()[0].last_used_at == first is not None
    pass_time(store, 3_600)
    store.note_token_use("id-ci", every_seconds=3_600)
    last = store.tokens()[0].last_used_at
    assert last is not None
    assert first is not None
    assert last > first


def test_a_session_has_what_its_token_may_do_and_ends_with_it(store: Store) -> None:
    add(store, tenant="acme")
    holder = Holder(name="ci", right=Right.OPERATE, tenant="acme", token="id-ci")
    store.open_session(DIGEST, holder, seconds=DAY)
    found = store.session(DIGEST)
    assert found is not None
    assert (found.name, found.right, found.tenant, found.token) == (
        "ci",
        Right.OPERATE,
        "acme",
        "id-ci",
    )
    assert store.session(OTHER) is None
    store.revoke_token("ci")
    assert store.session(DIGEST) is None


def test_a_session_ends_by_itself_or_when_it_is_closed(store: Store, tables: Tables) -> None:
    person = Holder(name="ana", right=Right.ADMIN)
    store.open_session(DIGEST, person, seconds=60)
    store.open_session(OTHER, person, seconds=DAY)
    assert store.close_session(OTHER) is True
    assert store.close_session(OTHER) is False
    assert store.session(OTHER) is None
    pass_time(store, 61)
    assert store.session(DIGEST) is None
    store.open_session(OTHER, person, seconds=DAY)
    assert len(tables.rows("session")) == 1  # the one that was over is forgotten


def test_a_session_is_over_when_its_token_expires(store: Store) -> None:
    add(store, expires_seconds=60.0)
    holder = Holder(name="ci", right=Right.OPERATE, token="id-ci")
    store.open_session(DIGEST, holder, seconds=DAY)
    assert store.session(DIGEST) is not None
    pass_time(store, 61)
    assert store.session(DIGEST) is None
