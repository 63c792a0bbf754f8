"""What Stripe takes as a request, and what it says of others."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from leasehold.kit.servers import Refused
from leasehold.kit.servers.wire import Reply, Request

LIMIT = 10
MOST = 100
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}(\.[a-z]+)?")
_WHOLE = re.compile(r"-?\d{1,18}")
_COMPARISONS = frozenset({"gt", "gte", "lt", "lte"})


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    kind: str = "invalid_request_error",
    headers: dict[str, str] | None = None,
) -> Reply:
    """Make Stripe's error envelope, with those members that it has."""
    members = {"code": code, "message": message, "param": param, "type": kind}
    said: dict[str, Any] = {name: value for name, value in members.items() if value is not None}
    if code is not None:
        said["doc_url"] = f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"
    body = msgspec.json.encode({"error": said})
    return Reply(status=status, body=body, headers=headers or {})


def check_key(request: Request, key: str) -> None:
    """Refuse whoever does not have the key, given as a bearer token or as a user's name."""
    given = _key_of(request.headers.get("authorization", ""))
    if not given:
        raise Refused(
            error(
                401,
                "You did not provide an API key. You need to provide your API key in the "
                "Authorization header, using Bearer auth "
                "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
            )
        )
    if given != key:
        raise Refused(error(401, f"Invalid API Key provided: {'*' * 8}{given[-4:]}"))


def _key_of(authorization: str) -> str:
    scheme, _, rest = authorization.partition(" ")
    match scheme.lower():
        case "bearer":
            return rest.strip()
        case "basic":
            try:
                return base64.b64decode(rest, validate=True).decode("latin-1").partition(":")[0]
            except binascii.Error:
                return ""
        case _:
            return ""


def check_version(request: Request) -> str:
    """Return the version asked for. Stripe would take an account's own; here it must be said."""
    version = request.headers.get("stripe-version", "")
    if not _VERSION.fullmatch(version):
        named = version or "(none: this server wants the Stripe-Version header)"
        raise Refused(error(400, f"Invalid Stripe API version: {named}"))
    return version


class Asked(msgspec.Struct, kw_only=True):
    """The parameters of a list; `filters` are those that not every list has."""

    limit: int = LIMIT
    starting_after: str | None = None
    ending_before: str | None = None
    since: int | None = None
    until: int | None = None
    filters: dict[str, str] = msgspec.field(default_factory=dict)
    types: list[str] = msgspec.field(default_factory=list)


def read_list(request: Request, filters: Iterable[str]) -> Asked:
    """Read what a list may be asked, and nothing else."""
    asked, allowed = Asked(), set(filters)
    for name, value in request.query:
        base, _, rest = name.partition("[")
        member = rest.removesuffix("]")
        match base:
            case "limit":
                asked.limit = _limit(value)
            case "starting_after" | "ending_before" if not rest:
                setattr(asked, base, value)
            case "created" if "created" in allowed:
                _read_created(asked, member, value)
            case "types" if "types" in allowed and rest:
                asked.types.append(value)
            case _ if base in allowed and not rest:
                asked.filters[base] = value
            case _:
                raise Refused(unknown(name))
    _check_cursors(asked)
    return asked


def unknown(name: str) -> Reply:
    return error(400, f"Received unknown parameter: {name}", code="parameter_unknown", param=name)


def _check_cursors(asked: Asked) -> None:
    if asked.starting_after is not None and asked.ending_before is not None:
        message = "You cannot use both `starting_after` and `ending_before` at once."
        raise Refused(error(400, message, param="ending_before"))
    for name in ("starting_after", "ending_before"):
        if getattr(asked, name) == "":
            message = (
                f"You passed an empty string for '{name}'. We assume empty values are an attempt "
                f"to unset a parameter; however '{name}' cannot be unset."
            )
            raise Refused(error(400, message, code="parameter_invalid_empty", param=name))


def _whole(name: str, value: str) -> int:
    if not _WHOLE.fullmatch(value):
        message = f"Invalid integer: {value}"
        raise Refused(error(400, message, code="parameter_invalid_integer", param=name))
    return int(value)


def _limit(value: str) -> int:
    limit = _whole("limit", value)
    if 1 <= limit <= MOST:
        return limit
    bound = (
        f"less than or equal to {MOST} (it currently is '{limit}')"
        if limit > MOST
        else "greater than or equal to 1"
    )
    message = f"This value must be {bound}."
    raise Refused(error(400, message, code="parameter_invalid_integer", param="limit"))


def _read_created(asked: Asked, member: str, value: str) -> None:
    name = f"created[{member}]" if member else "created"
    if member and member not in _COMPARISONS:
        raise Refused(unknown(name))
    moment = _whole(name, value)
    if member in {"gt", "gte", ""}:
        asked.since = moment + (member == "gt")
    if member in {"lt", "lte", ""}:
        asked.until = moment - (member == "lt")
