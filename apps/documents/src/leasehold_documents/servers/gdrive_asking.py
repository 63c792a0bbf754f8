"""What Google Drive takes as a request, and what it says of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Self

import msgspec

from leasehold.kit.servers import Refused, Reply

Resource = dict[str, Any]
_USUAL = 100
_IN_PARENTS = re.compile(r"'([^']+)' in parents")
_TRASHED = re.compile(r"trashed ?= ?(true|false)")
_NAMED = re.compile(r"name ?= ?'((?:[^'\\]|\\.)*)'")
_MEMBERS = re.compile(r"\w+(?:\([^)]*\))?|\*")
_AFTER = "~!!~"


def error(
    status: int,
    reason: str,
    message: str,
    domain: str = "global",
    headers: dict[str, str] | None = None,
) -> Reply:
    """Make Google's error envelope."""
    each = {"domain": domain, "reason": reason, "message": message}
    said = {"error": {"code": status, "message": message, "errors": [each]}}
    return Reply(status=status, body=msgspec.json.encode(said), headers=headers or {})


def refuse(status: int, reason: str, message: str) -> NoReturn:
    raise Refused(error(status, reason, message))


class Asked(msgspec.Struct, kw_only=True):
    """The parameters of a list. A page token is good for the query that it came with, only."""

    query: str
    size: int
    after: str
    project: Callable[[Resource], Resource]

    @classmethod
    def read(cls, asked: dict[str, str], most: int) -> Self:
        size = asked.get("pageSize", str(_USUAL))
        if not size.isdigit() or not 1 <= int(size) <= 1_000:  # noqa: PLR2004 - as documented
            refuse(400, "invalidParameter", "Invalid value: pageSize is from 1 to 1000.")
        made = cls(
            query=asked.get("q", ""),
            size=min(int(size), most),
            after="",
            project=read_fields(_inside(asked.get("fields")), ("kind", "id", "name", "mimeType")),
        )
        if token := asked.get("pageToken"):
            made.after = made.read_token(token)
        return made

    def token(self, after: str) -> str:
        return _AFTER + msgspec.json.encode([self.query, after]).hex()

    def read_token(self, token: str) -> str:
        try:
            query, after = msgspec.json.decode(
                bytes.fromhex(token.removeprefix(_AFTER)), type=tuple[str, str]
            )
        except (ValueError, msgspec.MsgspecError):
            query, after = None, ""
        if query != self.query:
            refuse(400, "invalid", "Invalid Value")
        return after


def read_query(query: str, root: str) -> dict[str, Any]:
    """Read the clauses that are understood here; others are an error, as over there."""
    wanted: dict[str, Any] = {}
    rest = query
    if found := _IN_PARENTS.search(rest):
        wanted["parent"] = root if found[1] == "root" else found[1]
        rest = rest.replace(found[0], "")
    if found := _NAMED.search(rest):
        wanted["name"] = re.sub(r"\\(.)", r"\1", found[1])
        rest = rest.replace(found[0], "")
    if found := _TRASHED.search(rest):
        wanted["trashed"] = found[1] == "true"
        rest = rest.replace(found[0], "")
    if set(rest.split()) - {"and"}:
        refuse(400, "invalid", "Invalid Value")
    return wanted


def read_fields(fields: str | None, usual: Sequence[str]) -> Callable[[Resource], Resource]:
    """Return what leaves of a resource only those members that were asked for."""
    if fields is None:
        names = set(usual)
    else:
        names = {member.partition("(")[0] for member in _MEMBERS.findall(fields)}
    if "*" in names:
        return lambda resource: resource
    return lambda resource: {name: value for name, value in resource.items() if name in names}


def _inside(fields: str | None) -> str | None:
    """Return what is asked of each file: the inner part of `nextPageToken, files(id, name)`."""
    if fields is None or fields.strip() == "*":
        return fields
    found = re.search(r"files\((.*)\)", fields)
    return "*" if found is None else found[1]
