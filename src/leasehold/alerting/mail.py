"""Tells alerts by e-mail, over SMTP."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import TYPE_CHECKING

from leasehold.alerting.sinks import TIMEOUT_SECONDS, SinkFailed

if TYPE_CHECKING:
    from leasehold.alerting.events import Event

STARTTLS, TLS, PLAIN = "starttls", "tls", "none"


@dataclass(frozen=True, slots=True)
class MailSink:
    """With STARTTLS unless something else is said: a server that does not offer it gets nothing."""

    host: str
    port: int
    sender: str
    to: tuple[str, ...]
    security: str = STARTTLS
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout_seconds: float = TIMEOUT_SECONDS
    context: ssl.SSLContext | None = None  # the system's, unless a test has its own

    def send(self, event: Event) -> None:
        try:
            with self._connect() as server:
                if self.user is not None:
                    server.login(self.user, self.password or "")
                server.send_message(write(event, self.sender, self.to))
        except smtplib.SMTPResponseException as error:
            # Not its text: some servers repeat what they were told.
            raise SinkFailed(f"the mail server answered {error.smtp_code}") from error
        except (OSError, smtplib.SMTPException) as error:
            raise SinkFailed(f"no mail could be sent: {type(error).__name__}") from error

    def _connect(self) -> smtplib.SMTP:
        context = self.context or ssl.create_default_context()
        if self.security == TLS:
            return smtplib.SMTP_SSL(
                self.host, self.port, timeout=self.timeout_seconds, context=context
            )
        server = smtplib.SMTP(self.host, self.port, timeout=self.timeout_seconds)
        if self.security == STARTTLS:
            try:
                server.starttls(context=context)
            except BaseException:
                server.close()
                raise
        return server


def write(event: Event, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """Write the letter."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = ", ".join(to)
    message["Subject"] = f"[{event.state}] {event.text}"
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain="leasehold.invalid")
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(
        f"{event.text}\n\n"
        f"alert:   {event.name} {event.subject}\n"
        f"state:   {event.state} since {event.since}\n"
        f"value:   {event.value:g}, limit {event.limit:g}\n"
    )
    return message
