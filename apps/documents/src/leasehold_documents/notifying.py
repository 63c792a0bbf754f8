"""What people are told: a row, which pages show as a badge, and an e-mail if there is a server."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold.kit.texts import tidy
from leasehold_documents.access import Service
from leasehold_documents.data import notices
from leasehold_documents.model.jobs import QUEUE
from leasehold_documents.settings import settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from leasehold_documents.access import Access
    from leasehold_documents.settings import Settings

DONE, FAILED, CANCELLED = "extraction_done", "extraction_failed", "extraction_cancelled"
IMPORTED, IMPORT_FAILED = "import_done", "import_failed"
_SMTP_SECONDS = 30.0
_LONGEST_NAME = 120
_NOTHING = {"de": "Es wurde nichts berechnet.", "en": "Nothing was charged."}
# A subject and a sentence; what the document says is in neither.
_TEXTS = {
    "de": {
        DONE: ("Ausgelesen: {name}", "Das Dokument „{name}“ ist ausgelesen und wird gefunden."),
        FAILED: ("Nicht ausgelesen: {name}", "„{name}“ ließ sich nicht auslesen ({code})."),
        CANCELLED: ("Abgebrochen: {name}", "Das Auslesen von „{name}“ wurde abgebrochen ({code})."),
        IMPORTED: ("Importiert: {name}", "Aus „{name}“ wurden {imported} Dokumente importiert."),
        IMPORT_FAILED: (
            "Import abgebrochen: {name}",
            "Der Import aus „{name}“ ist gescheitert ({code}); {imported} Dokumente sind da.",
        ),
    },
    "en": {
        DONE: ("Extracted: {name}", "The document “{name}” is extracted and can be found."),
        FAILED: ("Not extracted: {name}", "“{name}” could not be extracted ({code})."),
        CANCELLED: ("Cancelled: {name}", "The extraction of “{name}” was cancelled ({code})."),
        IMPORTED: ("Imported: {name}", "{imported} documents were imported from “{name}”."),
        IMPORT_FAILED: (
            "Import failed: {name}",
            "The import from “{name}” has failed ({code}); {imported} documents are there.",
        ),
    },
}


@lh.task(
    name="documents.mail",
    queue=QUEUE,
    max_attempts=6,
    retry=lh.delays("1m", "5m", "30m", "2h"),
    timeout="2m",
    share=lh.TENANT,
)
def mail(notice_id: UUID) -> None:
    """Send somebody what they were told; a server that takes no mail now is asked again."""
    client = lh.current_job().client
    with Service(client, database_of(client.url)).read() as connection:
        notice = notices.get(connection, notice_id)
    if notice is not None:
        send(settings(), message_of(notice, settings()))


@lh.task(
    name="documents.tell_admin",
    queue=QUEUE,
    max_attempts=6,
    retry=lh.delays("1m", "5m", "30m", "2h"),
    timeout="2m",
    key=lh.by("engine"),
    cooldown="1h",  # a key that stays refused is no news
)
def tell_admin(engine: str, reason: str) -> None:
    """Tell the platform's admin of an engine whose service refuses us."""
    said = settings()
    message = EmailMessage()
    message["From"] = said.smtp_from or said.smtp_user
    message["To"] = said.admin_email
    message["Subject"] = f"{engine} is paused"
    message.set_content(f"{engine} is paused, and its documents wait: {reason}.\n")
    send(said, message)


def tell(
    service: Service,
    session: Session,
    tenant_id: UUID,
    user_id: UUID,
    kind: str,
    *,
    document_id: UUID | None,
    job_id: UUID,
    data: Mapping[str, Any],
) -> None:
    """Tell somebody, once for a job; the e-mail is sent by a job of this transaction."""
    notice_id = notices.add(
        session.connection(),
        tenant_id,
        user_id,
        kind,
        document_id=document_id,
        job_id=job_id,
        data=data,
        now=datetime.now(UTC),
    )
    if notice_id is not None and settings().smtp_host:
        service.on(session).enqueue(mail.with_options(tenant=str(tenant_id)), notice_id)


def latest(access: Access, *, limit: int = 50) -> list[dict[str, Any]]:
    """List what this person was told here, newest first."""
    with access.read() as connection:
        return notices.latest(connection, access.tenant_id, access.user_id, limit=limit)


def unread(access: Access) -> int:
    """Count what this person has not read: the badge."""
    with access.read() as connection:
        return notices.count_unread(connection, access.tenant_id, access.user_id)


def mark_read(access: Access, notice_ids: Sequence[UUID] | None = None) -> int:
    """Say that this person has read these, or all; returns how many were new to them."""
    service = Service(access.client, access.database)  # readers may read theirs, too
    with service.write() as session:
        return notices.mark_read(
            session.connection(),
            access.tenant_id,
            access.user_id,
            now=datetime.now(UTC),
            notice_ids=notice_ids,
        )


def message_of(notice: Mapping[str, Any], said: Settings) -> EmailMessage:
    """Write the e-mail. Names of files are strangers' words: one line, and no more of it."""
    language = notice["language"] if notice["language"] in _TEXTS else "de"
    subject, body = _TEXTS[language][notice["kind"]]
    name = tidy(str(notice["data"].get("name", "")), _LONGEST_NAME)
    words = {"name": name, "code": str(notice["data"].get("code") or "")}
    words["imported"] = str(notice["data"].get("imported", 0))
    message = EmailMessage()
    message["From"] = said.smtp_from or said.smtp_user
    message["To"] = notice["email"]
    message["Subject"] = subject.format(**words)
    link = f"\n\n{said.public_url.rstrip('/')}\n" if said.public_url else "\n"
    charged = f" {_NOTHING[language]}" if notice["kind"] in {FAILED, CANCELLED} else ""
    message.set_content(body.format(**words) + charged + link)
    return message


def send(said: Settings, message: EmailMessage) -> None:
    """Hand it to the server."""
    context = ssl.create_default_context()
    if said.smtp_security == "tls":
        opened: smtplib.SMTP = smtplib.SMTP_SSL(
            said.smtp_host, said.smtp_port, timeout=_SMTP_SECONDS, context=context
        )
    else:
        opened = smtplib.SMTP(said.smtp_host, said.smtp_port, timeout=_SMTP_SECONDS)
    with opened as server:
        if said.smtp_security == "starttls":
            server.starttls(context=context)
        if said.smtp_user:
            server.login(said.smtp_user, said.smtp_password)
        server.send_message(message)
