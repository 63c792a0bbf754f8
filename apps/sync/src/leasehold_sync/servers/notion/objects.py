"""What Notion's objects look like. Times are minutes: the seconds are not told."""

from __future__ import annotations

import time
from typing import Any

from leasehold_sync.servers import names
from leasehold_sync.servers.rows import FIRST, Ids, Kind, Row

PAGE_IDS = Ids(before="1a2b3c4d-0001-8000-8000-")
SOURCE_IDS = Ids(before="1a2b3c4d-0002-8000-8000-")
DATABASE_IDS = Ids(before="1a2b3c4d-0003-8000-8000-")
USER_IDS = Ids(before="1a2b3c4d-0004-8000-8000-")
BOT_ID = "1a2b3c4d-0005-8000-8000-000000000001"
MINUTE = 60
_STATES = ("Not started", "In progress", "Done")
_COLOURS = ("default", "blue", "green")


def minute_of(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:00.000Z", time.gmtime(moment))


def rich_text(text: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "text",
            "text": {"content": text, "link": None},
            "annotations": {
                "bold": False,
                "italic": False,
                "strikethrough": False,
                "underline": False,
                "code": False,
                "color": "default",
            },
            "plain_text": text,
            "href": None,
        }
    ]


def database_of(source: int) -> int:
    """Return the number of the database that a data source is in: each has two of them."""
    return (source + 1) // 2


def user_of(number: int) -> dict[str, str]:
    return {"object": "user", "id": USER_IDS.text(1 + number % 3)}


def _properties(number: int) -> dict[str, Any]:
    state = number % 3
    return {
        "Name": {
            "id": "title",
            "type": "title",
            "title": rich_text(f"{names.firm(number)}, note {number}"),
        },
        "Status": {
            "id": "a%3Bst",
            "type": "status",
            "status": {"id": str(state), "name": _STATES[state], "color": _COLOURS[state]},
        },
        "Amount": {"id": "b%3Bam", "type": "number", "number": number * 3},
    }


class Pages:
    """Which data source a page is in, as long as nobody moved it: they take turns."""

    def __init__(self, sources: int) -> None:
        self._sources = sources

    def source_of(self, number: int) -> int:
        return 1 + number % self._sources

    def own(self, row: Row) -> dict[str, Any]:
        source = self.source_of(row.number)
        return {
            "id": row.id,
            "created_time": minute_of(row.created),
            "last_edited_time": minute_of(row.updated),
            "created_by": user_of(row.number),
            "last_edited_by": user_of(row.number + 1),
            "parent": {
                "type": "data_source_id",
                "data_source_id": SOURCE_IDS.text(source),
                "database_id": DATABASE_IDS.text(database_of(source)),
            },
            "properties": _properties(row.number),
            "url": f"https://www.notion.so/{row.id.replace('-', '')}",
        }


_PAGE = {
    "object": "page",
    "cover": None,
    "icon": None,
    "archived": False,
    "in_trash": False,
    "is_locked": False,
    "public_url": None,
}


def _source(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "created_time": minute_of(row.created),
        "last_edited_time": minute_of(row.updated),
        "created_by": user_of(row.number),
        "last_edited_by": user_of(row.number),
        "title": rich_text(f"{names.FIRMS[row.number % 9]} table"),
        "parent": {
            "type": "database_id",
            "database_id": DATABASE_IDS.text(database_of(row.number)),
        },
        "database_parent": {"type": "workspace", "workspace": True},
        "url": f"https://www.notion.so/{row.id.replace('-', '')}",
    }


_SOURCE: dict[str, Any] = {
    "object": "data_source",
    "cover": None,
    "icon": None,
    "description": [],
    "is_inline": False,
    "archived": False,
    "in_trash": False,
    "public_url": None,
    "properties": {
        "Name": {"id": "title", "name": "Name", "type": "title", "title": {}},
        "Status": {"id": "a%3Bst", "name": "Status", "type": "status", "status": {"options": []}},
        "Amount": {
            "id": "b%3Bam",
            "name": "Amount",
            "type": "number",
            "number": {"format": "number"},
        },
    },
}


def database_object(number: int, sources: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a database, which is little more than its data sources."""
    identifier = DATABASE_IDS.text(number)
    return {
        "object": "database",
        "id": identifier,
        "title": rich_text(f"Database {number}"),
        "description": [],
        "parent": {"type": "workspace", "workspace": True},
        "is_inline": False,
        "in_trash": False,
        "is_locked": False,
        "created_time": minute_of(FIRST),
        "last_edited_time": minute_of(FIRST),
        "created_by": user_of(number),
        "last_edited_by": user_of(number),
        "data_sources": [
            {"id": source["id"], "name": source["title"][0]["plain_text"]} for source in sources
        ],
        "icon": None,
        "cover": None,
        "url": f"https://www.notion.so/{identifier.replace('-', '')}",
        "public_url": None,
    }


def _user(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": names.person(row.number),
        "person": {"email": names.address(row.number)},
    }


_USER = {"object": "user", "type": "person", "avatar_url": None}

BOT = {
    "object": "user",
    "id": BOT_ID,
    "type": "bot",
    "name": "Leasehold",
    "avatar_url": None,
    "bot": {
        "owner": {"type": "workspace", "workspace": True},
        "workspace_name": "A local workspace",
    },
}


def block_count_of(number: int) -> int:
    """Return how many blocks a page has: every hundredth has more than fit on one page."""
    return 150 if number % 100 == 0 else number % 4


def block_of(page: Row, position: int) -> dict[str, Any]:
    """Return a block of a page; the first one is at position 1."""
    return {
        "object": "block",
        "id": block_id(page, position),
        "parent": {"type": "page_id", "page_id": page.id},
        "created_time": minute_of(page.created),
        "last_edited_time": minute_of(page.updated),
        "created_by": user_of(page.number),
        "last_edited_by": user_of(page.number),
        "has_children": False,
        "archived": False,
        "in_trash": False,
        "type": "paragraph",
        "paragraph": {"rich_text": rich_text(f"Paragraph {position}."), "color": "default"},
    }


def block_id(page: Row, position: int) -> str:
    return f"1a2b3c4d-0006-8000-8{position:03x}-{page.id[-12:]}"


def kinds(pages: Pages) -> tuple[Kind, ...]:
    return (
        Kind(name="pages", ids=PAGE_IDS, own=pages.own, common=_PAGE),
        Kind(name="data_sources", ids=SOURCE_IDS, own=_source, common=_SOURCE),
        Kind(name="users", ids=USER_IDS, own=_user, common=_USER),
    )
