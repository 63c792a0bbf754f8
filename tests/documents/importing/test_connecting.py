"""Consent: the state is ours, the person's own, and good once; nobody else's tokens are taken."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import importing
from leasehold_documents.access import Access
from leasehold_documents.errors import Forbidden, NotFound, Rejected
from tests.documents.flow.kit import Office, another_tenant, changed, colleague
from tests.documents.importing.kit import BACK, Cloud, cloud_of, fill


def test_a_person_connects_and_the_account_is_named(cloud: Cloud) -> None:
    (row,) = importing.find(cloud.office.access)
    assert (row["provider"], row["status"], row["account"]) == (
        cloud.name,
        "active",
        "erika@mustermann.example",
    )
    assert row["created_by"] == cloud.office.access.user_id


def test_the_page_of_consent_is_asked_with_pkce_and_a_signed_state(office: Office) -> None:
    with cloud_of("gdrive", office) as cloud:
        asked = importing.connect(office.access, "gdrive", redirect_uri=BACK)
        said = {name: value for name, (value,) in parse_qs(urlsplit(asked.url).query).items()}
        assert said["code_challenge_method"] == "S256"
        assert (said["access_type"], said["prompt"], said["redirect_uri"]) == (
            "offline",
            "consent",
            BACK,
        )
        back = cloud.consent(asked.url)
        forged = back["state"][:-4] + "AAAA"
        with pytest.raises(Rejected, match="LINK_INVALID"):
            importing.finish(office.access, state=forged, code=back["code"])
        with changed(secret="another secret"), pytest.raises(Rejected, match="LINK_INVALID"):
            importing.finish(office.access, state=back["state"], code=back["code"])
        assert importing.find(office.access) == []


def test_a_state_is_good_once_and_only_the_last_one(office: Office) -> None:
    with cloud_of("dropbox", office) as cloud:
        first = importing.connect(office.access, "dropbox", redirect_uri=BACK)
        old = cloud.consent(first.url)
        again = importing.connect(
            office.access, "dropbox", redirect_uri=BACK, connector_id=first.connector_id
        )
        with pytest.raises(Rejected, match="STATE_USED"):
            importing.finish(office.access, state=old["state"], code=old["code"])
        back = cloud.consent(again.url)
        importing.finish(office.access, state=back["state"], code=back["code"])
        with pytest.raises(Rejected, match="STATE_USED"):
            importing.finish(office.access, state=back["state"], code=back["code"])


def test_nobody_finishes_what_somebody_else_has_begun(office: Office) -> None:
    with cloud_of("dropbox", office) as cloud:
        asked = importing.connect(office.access, "dropbox", redirect_uri=BACK)
        back = cloud.consent(asked.url)
        for other in (colleague(office), another_tenant(office)):
            with pytest.raises(Rejected, match="STATE_INVALID"):
                importing.finish(other, state=back["state"], code=back["code"])


def test_a_code_of_another_consent_is_refused(office: Office) -> None:
    with cloud_of("onedrive", office) as cloud:
        mine = importing.connect(office.access, "onedrive", redirect_uri=BACK)
        theirs = importing.connect(office.access, "onedrive", redirect_uri=BACK)
        code = cloud.consent(theirs.url)["code"]  # slipped to me by somebody
        state = cloud.consent(mine.url)["state"]
        with pytest.raises(Rejected):
            importing.finish(office.access, state=state, code=code)
        assert importing.find(office.access) == []


def test_a_person_who_says_no_has_connected_nothing(office: Office) -> None:
    with cloud_of("dropbox", office) as cloud:
        cloud.server.deny()
        back = cloud.consent(importing.connect(office.access, "dropbox", redirect_uri=BACK).url)
        assert back["error"] == "access_denied"
        with pytest.raises(Rejected, match="CONSENT_DENIED"):
            importing.deny(office.access, state=back["state"])
        assert office.rows("connectors") == []


def test_what_the_operator_has_not_set_up_is_said(office: Office) -> None:
    with pytest.raises(Rejected, match="PROVIDER_NOT_SET_UP"):
        importing.connect(office.access, "dropbox", redirect_uri=BACK)
    with pytest.raises(Rejected, match="PROVIDER_UNKNOWN"):
        importing.connect(office.access, "floppy", redirect_uri=BACK)
    with cloud_of("dropbox", office) as cloud, changed(dropbox_secret="wrong"):
        back = cloud.consent(importing.connect(office.access, "dropbox", redirect_uri=BACK).url)
        with pytest.raises(Rejected, match="OAUTH_CLIENT_REFUSED"):
            importing.finish(office.access, state=back["state"], code=back["code"])


def test_without_keys_nothing_is_connected(url: str, office: Office, database: Database) -> None:
    with cloud_of("dropbox", office), lh.Client(url) as keyless:
        access = Access(keyless, database, office.access.user_id, office.tenant_id)
        with pytest.raises(Rejected, match="NO_KEYRING"):
            importing.connect(access, "dropbox", redirect_uri=BACK)


def test_a_connector_of_another_tenant_is_not_there(dropbox: Cloud) -> None:
    assert dropbox.connector_id is not None
    stranger = another_tenant(dropbox.office)
    assert importing.find(stranger) == []
    for touch in (importing.get, importing.browse, importing.start, importing.remove):
        with pytest.raises(NotFound):
            touch(stranger, dropbox.connector_id)


def test_readers_neither_connect_nor_import(dropbox: Cloud) -> None:
    assert dropbox.connector_id is not None
    reader = colleague(dropbox.office, "reader")
    with pytest.raises(Forbidden):
        importing.connect(reader, dropbox.name, redirect_uri=BACK)
    with pytest.raises(Forbidden):
        importing.start(reader, dropbox.connector_id)


def test_disconnecting_cancels_imports_forgets_tokens_and_keeps_papers(dropbox: Cloud) -> None:
    assert dropbox.connector_id is not None
    fill(dropbox.server, 2)
    dropbox.run()
    waiting = dropbox.start()
    with pytest.raises(Forbidden):
        importing.remove(colleague(dropbox.office), dropbox.connector_id)
    importing.remove(dropbox.office.access, dropbox.connector_id)
    assert dropbox.job(waiting).state == "cancelled"
    assert importing.find(dropbox.office.access) == []
    assert dropbox.office.access.client.credentials.list() == []
    assert [row["connector_id"] for row in dropbox.documents()] == [None, None]
