"""Alerts arrive where they are sent: over HTTP, over SMTP, through a command, in the log."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TYPE_CHECKING

import pytest

from leasehold.alerting.events import TEST_EVENT
from leasehold.alerting.mail import MailSink
from leasehold.alerting.sinks import CommandSink, LogSink, SinkFailed
from leasehold.alerting.webhook import SIGNATURE, WebhookSink, sign
from leasehold.errors import BadOption
from tests.watch.servers import http_server, mail_server, make_certificate

if TYPE_CHECKING:
    from pathlib import Path


def test_a_webhook_gets_the_event_as_json_signed_if_there_is_a_secret() -> None:
    with http_server() as server:
        WebhookSink(server.url, "key").send(TEST_EVENT)
    (event,) = server.events
    assert event["text"] == "leasehold: this is a test of this sink"
    assert server.paths == ["/hook?token=xyzzy-canary"]
    (headers,) = server.seen_headers
    assert headers["Content-Type"] == "application/json"
    at = int(headers[SIGNATURE].split(",")[0].removeprefix("t="))
    assert headers[SIGNATURE] == sign("key", server.bodies[0], at)
    assert abs(at - time.time()) < 60


@pytest.mark.parametrize(("status", "may_retry"), [(500, True), (429, True), (404, False)])
def test_an_answer_that_is_no_success_is_a_failure(status: int, *, may_retry: bool) -> None:
    with http_server(statuses=[status]) as server:
        with pytest.raises(SinkFailed, match=str(status)) as failed:
            WebhookSink(server.url).send(TEST_EVENT)
        assert failed.value.may_retry is may_retry


def test_a_redirect_is_not_followed() -> None:
    with (
        http_server() as elsewhere,
        http_server(statuses=[302], headers={"Location": elsewhere.url}) as server,
        pytest.raises(SinkFailed, match="302"),
    ):
        WebhookSink(server.url).send(TEST_EVENT)
    assert elsewhere.bodies == []


def test_a_webhook_that_can_not_be_reached_does_not_show_its_token() -> None:
    with http_server() as server:
        url = server.url
    with pytest.raises(SinkFailed) as failed:
        WebhookSink(url, "xyzzy-canary").send(TEST_EVENT)
    assert "xyzzy" not in str(failed.value)
    assert "xyzzy" not in repr(WebhookSink(url, "xyzzy-canary"))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/", "https://", "nothing"])
def test_a_webhook_speaks_http_only(url: str) -> None:
    with pytest.raises(BadOption, match="http"):
        WebhookSink(url)


def test_a_letter_goes_out_over_starttls_with_a_login(tmp_path: Path) -> None:
    context, trust = make_certificate(tmp_path)
    with mail_server(context=context) as server:
        MailSink(
            host="127.0.0.1",
            port=server.port,
            sender="leasehold@example.com",
            to=("ops@example.com", "ada@example.com"),
            user="me",
            password="secret",
            context=trust,
        ).send(TEST_EVENT)
    (letter,) = server.letters
    assert "To: ops@example.com, ada@example.com" in letter
    assert "Subject: [firing] leasehold: this is a test of this sink" in letter
    assert server.was_secure == [True]
    assert len(server.logins) == 1


def test_a_server_without_starttls_gets_neither_letter_nor_password() -> None:
    sink = {"host": "127.0.0.1", "sender": "a@example.com", "to": ("b@example.com",)}
    with mail_server() as server:
        with pytest.raises(SinkFailed):
            MailSink(**sink, port=server.port, user="me", password="x").send(TEST_EVENT)  # type: ignore[arg-type]
        assert server.logins == server.letters == []
        MailSink(**sink, port=server.port, security="none").send(TEST_EVENT)  # type: ignore[arg-type]
    assert server.was_secure == [False]


def test_a_mail_server_that_is_not_there_is_a_failure() -> None:
    with mail_server() as server:
        port = server.port
    sink = MailSink(host="127.0.0.1", port=port, sender="a@example.com", to=("b@example.com",))
    with pytest.raises(SinkFailed, match="no mail could be sent"):
        sink.send(TEST_EVENT)


def test_a_command_gets_the_event_on_its_standard_input(tmp_path: Path) -> None:
    code = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    target = tmp_path / "it's; $(touch x)"  # no shell reads this
    CommandSink((sys.executable, "-c", code, str(target))).send(TEST_EVENT)
    assert json.loads(target.read_text())["id"] == "test"


def test_a_command_that_fails_hangs_or_is_not_there_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(SinkFailed, match="code 3"):
        CommandSink((sys.executable, "-c", "raise SystemExit(3)")).send(TEST_EVENT)
    with pytest.raises(SinkFailed, match="can't start"):
        CommandSink((str(tmp_path / "nothing"),)).send(TEST_EVENT)
    with pytest.raises(SinkFailed, match=r"within 0\.3 s"):
        CommandSink((sys.executable, "-c", "import time; time.sleep(60)"), 0.3).send(TEST_EVENT)


def test_the_log_has_the_event_with_its_fields(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "leasehold.alerts"):
        LogSink().send(TEST_EVENT)
    (record,) = caplog.records
    assert record.getMessage() == "alert firing"
    assert vars(record)["alert"] == "test"
