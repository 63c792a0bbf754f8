"""What Intercom's objects look like."""

from __future__ import annotations

from typing import Any

from leasehold_sync.servers import names
from leasehold_sync.servers.rows import FIRST, Ids, Kind, Numerals, Row

CONTACT_IDS = Ids(before="6762f0dd1bb6")
COMPANY_IDS = Ids(before="6762f0971bb7")
CONVERSATION_IDS = Numerals(before=215_470_000_000)
TICKET_IDS = Numerals(before=215_480_000_000)
ADMIN_IDS = Numerals(before=991_267_000)
TAG_IDS = Numerals(before=7_000_000)
TEAM_IDS = Numerals(before=5_017_000)
WORKSPACE = "local0000"


def role_of(number: int) -> str:
    """Return whether a contact is a user: every tenth is a lead."""
    return "lead" if number % 10 == 0 else "user"


def _some(contact: str, what: str) -> dict[str, Any]:
    url = f"/contacts/{contact}/{what}"
    return {"type": "list", "data": [], "url": url, "total_count": 0, "has_more": False}


def _contact(row: Row) -> dict[str, Any]:
    role = role_of(row.number)
    return {
        "id": row.id,
        "external_id": f"person-{row.number}" if role == "user" else None,
        "role": role,
        "email": names.address(row.number),
        "name": names.person(row.number),
        "created_at": row.created,
        "updated_at": row.updated,
        "signed_up_at": row.created if role == "user" else None,
        "tags": _some(row.id, "tags"),
        "notes": _some(row.id, "notes"),
        "companies": _some(row.id, "companies"),
        "custom_attributes": {"firm": names.firm(row.number)},
    }


_CONTACT: dict[str, Any] = {
    "type": "contact",
    "workspace_id": WORKSPACE,
    "phone": None,
    "avatar": None,
    "owner_id": None,
    "social_profiles": {"type": "list", "data": []},
    "has_hard_bounced": False,
    "marked_email_as_spam": False,
    "unsubscribed_from_emails": False,
    "last_seen_at": None,
    "last_replied_at": None,
    "last_contacted_at": None,
    "language_override": None,
    "browser": None,
    "os": None,
    "location": {"type": "location", "country": None, "region": None, "city": None},
    "sms_consent": False,
    "unsubscribed_from_sms": False,
}


def _company(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "company_id": f"firm-{row.number}",
        "name": f"{names.firm(row.number)} {row.number}",
        "remote_created_at": row.created,
        "created_at": row.created,
        "updated_at": row.updated,
        "monthly_spend": row.number % 100,
        "user_count": 1 + row.number % 40,
    }


_COMPANY: dict[str, Any] = {
    "type": "company",
    "app_id": WORKSPACE,
    "session_count": 0,
    "tags": {"type": "tag.list", "tags": []},
    "segments": {"type": "segment.list", "segments": []},
    "plan": {},
    "custom_attributes": {},
}


def _people(number: int) -> dict[str, Any]:
    contact = {
        "type": "contact",
        "id": CONTACT_IDS.text(number),
        "external_id": f"person-{number}",
    }
    return {"type": "contact.list", "contacts": [contact]}


def _conversation(row: Row) -> dict[str, Any]:
    is_open = row.number % 3 == 0
    return {
        "id": row.id,
        "created_at": row.created,
        "updated_at": row.updated,
        "title": f"About {names.firm(row.number)}",
        "source": {
            "type": "conversation",
            "id": str(403_000_000 + row.number),
            "delivered_as": "customer_initiated",
            "subject": "",
            "body": f"<p>A question about {names.firm(row.number)}.</p>",
            "author": {
                "type": "user",
                "id": CONTACT_IDS.text(row.number),
                "name": names.person(row.number),
                "email": names.address(row.number),
            },
            "attachments": [],
            "url": None,
            "redacted": False,
        },
        "contacts": _people(row.number),
        "open": is_open,
        "state": "open" if is_open else "closed",
    }


_CONVERSATION: dict[str, Any] = {
    "type": "conversation",
    "waiting_since": None,
    "snoozed_until": None,
    "first_contact_reply": None,
    "admin_assignee_id": None,
    "team_assignee_id": None,
    "read": True,
    "tags": {"type": "tag.list", "tags": []},
    "priority": "not_priority",
    "sla_applied": None,
    "statistics": None,
    "conversation_rating": None,
    "custom_attributes": {},
    "ai_agent_participated": False,
}


def _ticket(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "ticket_id": str(row.number),
        "created_at": row.created,
        "updated_at": row.updated,
        "ticket_attributes": {"_default_title_": f"Ticket {row.number}"},
        "contacts": _people(row.number),
    }


_TICKET: dict[str, Any] = {
    "type": "ticket",
    "admin_assignee_id": "0",
    "team_assignee_id": "0",
    "category": "Customer",
    "open": True,
    "is_shared": False,
}


def _admin(row: Row) -> dict[str, Any]:
    return {"id": row.id, "name": names.person(row.number), "email": names.address(row.number)}


_ADMIN: dict[str, Any] = {
    "type": "admin",
    "away_mode_enabled": False,
    "away_mode_reassign": False,
    "has_inbox_seat": True,
    "team_ids": [],
}


def _tag(row: Row) -> dict[str, Any]:
    return {"type": "tag", "id": row.id, "name": f"{names.TRADES[row.number % 7]} {row.number}"}


def _team(row: Row) -> dict[str, Any]:
    name = names.TRADES[row.number % 7]
    return {"type": "team", "id": row.id, "name": name, "admin_ids": []}


ME = {
    "type": "admin",
    "id": ADMIN_IDS.text(1),
    "email": names.address(1),
    "name": names.person(1),
    "email_verified": True,
    "app": {
        "type": "app",
        "id_code": WORKSPACE,
        "name": "A local workspace",
        "created_at": FIRST,
        "secure": False,
        "identity_verification": False,
        "timezone": "Etc/UTC",
        "region": "EU",
    },
    "has_inbox_seat": True,
}

KINDS = (
    Kind(name="contacts", ids=CONTACT_IDS, own=_contact, common=_CONTACT),
    Kind(name="companies", ids=COMPANY_IDS, own=_company, common=_COMPANY),
    Kind(name="conversations", ids=CONVERSATION_IDS, own=_conversation, common=_CONVERSATION),
    Kind(name="tickets", ids=TICKET_IDS, own=_ticket, common=_TICKET),
    Kind(name="admins", ids=ADMIN_IDS, own=_admin, common=_ADMIN),
    Kind(name="tags", ids=TAG_IDS, own=_tag),
    Kind(name="teams", ids=TEAM_IDS, own=_team),
)
