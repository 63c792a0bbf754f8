"""Where there is a mail server, people are told by e-mail, too; else nothing waits for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leasehold import testing
from tests.documents.flow.kit import Office, changed, pdf_of
from tests.documents.flow.post_office import PostOffice, open_post_office

SCAN = pdf_of("")


@pytest.fixture
def post(office: Office) -> Iterator[PostOffice]:
    with (
        open_post_office() as post,
        changed(
            smtp_host="127.0.0.1",
            smtp_port=post.port,
            smtp_security="none",
            smtp_from="papiere@example.com",
            public_url="https://papiere.example.com/",
        ),
    ):
        yield post


def test_a_failure_is_told_in_the_persons_language_with_name_and_reason(
    office: Office, post: PostOffice
) -> None:
    office.agree(office.add("Kündigung\r\nBcc: boese@example.com.pdf", SCAN))
    office.work()
    (letter,) = post.letters
    assert letter["Subject"] == "Nicht ausgelesen: Kündigung Bcc: boese@example.com.pdf"
    assert letter["Bcc"] is None
    assert letter["To"] == f"ada-{office.tenant_id}@example.com"
    text = letter.get_content()
    assert "NO_TEXT_LAYER" in text
    assert "Es wurde nichts berechnet." in text
    assert "https://papiere.example.com" in text


def test_a_server_that_takes_nothing_now_is_asked_again_and_tells_once(
    office: Office, post: PostOffice
) -> None:
    post.refusals = 1
    office.agree(office.add())
    office.work()
    assert post.letters == []
    testing.advance(office.client, "2m")
    office.work()
    assert [letter["Subject"] for letter in post.letters] == ["Ausgelesen: Mietvertrag.pdf"]
    testing.advance(office.client, "1d")
    office.work()
    assert len(post.letters) == 1


def test_without_a_server_there_is_no_mail_and_no_job_for_it(office: Office) -> None:
    office.agree(office.add())
    office.work(raises=True)
    assert office.client.find(kind="documents.mail") == []
