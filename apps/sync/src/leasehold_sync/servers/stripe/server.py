"""A local Stripe: lists, single objects, an invoice's lines, and the events of what was changed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

from leasehold.kit.servers import Refused, take
from leasehold.kit.servers.trouble import Shape, may_retry
from leasehold.kit.servers.wire import Reply, Request
from leasehold_sync.servers.rows import Rows
from leasehold_sync.servers.server import LocalServer
from leasehold_sync.servers.stripe import asking
from leasehold_sync.servers.stripe.asking import Asked
from leasehold_sync.servers.stripe.objects import KINDS, line_count_of, line_of, lines_url
from leasehold_sync.servers.stripe.payments import KINDS as PAYMENT_KINDS

EVENT_SECONDS = 30 * 86_400  # that events are kept
_ROOT = "/v1/"
_FILTERS = {
    "customers": ("created", "email"),
    "subscriptions": ("created", "customer", "status"),
    "invoices": ("created", "customer", "status"),
    "products": ("created", "active"),
    "prices": ("created", "active", "product"),
    "charges": ("created", "customer"),
    "events": ("created", "type", "types"),
    "payment_intents": ("created", "customer"),
    "refunds": ("created", "charge", "payment_intent"),
    "disputes": ("created", "charge", "payment_intent"),
    "payouts": ("created", "status"),
    "balance_transactions": ("created", "source", "type"),
    "coupons": ("created",),
}
# The beginnings of events' types, where it is not the object's name; "": there are none.
_FAMILY = {
    "subscriptions": "customer.subscription",
    "disputes": "charge.dispute",
    "balance_transactions": "",
}
_ENDS = {
    "charges": {"created": "succeeded"},
    "payment_intents": {"updated": "succeeded"},
}
_ACCOUNT = {
    "id": "acct_1LocalLocalLocal",
    "object": "account",
    "business_type": "company",
    "charges_enabled": True,
    "country": "DE",
    "default_currency": "eur",
    "details_submitted": True,
    "email": "owner@customers.example",
    "payouts_enabled": True,
    "type": "standard",
}


def _say_more(page: dict[str, Any]) -> None:
    page["has_more"] = True


class StripeServer(LocalServer):
    """Stripe, as far as reading goes. Writing is done by the controls, and makes events."""

    name: ClassVar[str] = "stripe"
    kinds = (*KINDS, *PAYMENT_KINDS)
    shape = Shape(items=("data",), more=_say_more)
    default_key = "sk_test_local"

    def answer(self, request: Request) -> Reply:
        asking.check_key(request, self.key)
        version = asking.check_version(request)
        body = self._body(request)
        headers = {"Request-Id": f"req_{self.count() + 1:014d}", "Stripe-Version": version}
        return Reply(body=body, headers=headers)

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        headers = {"Stripe-Should-Retry": "true" if may_retry(status) else "false"}
        if retry_after is not None:
            headers["Retry-After"] = str(math.ceil(retry_after))
        match status:
            case 429:
                headers["Stripe-Rate-Limited-Reason"] = "endpoint-rate"
                message = "Request rate limit exceeded. You can learn more about rate limits here."
                return asking.error(429, message, code="rate_limit", headers=headers)
            case 401:
                return asking.error(401, "Invalid API Key provided: ****", headers=headers)
            case 403:
                message = "The provided key does not have the required permissions."
                return asking.error(403, message, code="more_permissions_required", headers=headers)
            case _:
                message = "An unknown error occurred."
                return asking.error(status, message, kind="api_error", headers=headers)

    def too_many(self, wait: float) -> Reply:  # noqa: ARG002 - see below
        """Stripe does not say how long to wait."""
        return self.problem(429)

    def do_insert(self, collection: str, count: int, fields: dict[str, Any]) -> list[str]:
        ids = super().do_insert(collection, count, fields)
        for identifier in ids:
            self._tell(collection, identifier, "created")
        return ids

    def do_update(self, collection: str, identifier: str, fields: dict[str, Any]) -> None:
        before = self.do_get(collection, identifier)
        super().do_update(collection, identifier, fields)
        self._tell(collection, identifier, "updated", {name: before.get(name) for name in fields})

    def do_delete(self, collection: str, identifiers: list[str]) -> None:
        for identifier in identifiers:
            self._tell(collection, identifier, "deleted")
        super().do_delete(collection, identifiers)

    def _tell(
        self,
        collection: str,
        identifier: str,
        what: str,
        previous: dict[str, Any] | None = None,
    ) -> None:
        data: dict[str, Any] = {"object": self.do_get(collection, identifier)}
        if previous is not None:
            data["previous_attributes"] = previous
        family = _FAMILY.get(collection, _singular(collection))
        if not family:
            return
        kind = f"{family}.{_ENDS.get(collection, {}).get(what, what)}"
        fields = {"type": kind, "data": data, "api_version": None}
        self.rows["events"].insert(int(self.clock.now()), fields)

    def _body(self, request: Request) -> bytes:
        parts = request.path.removeprefix(_ROOT).split("/")
        if request.method != "GET" or not request.path.startswith(_ROOT):
            raise Refused(_unrecognised(request))
        match parts:
            case ["account"]:
                return msgspec.json.encode(_ACCOUNT)
            case [collection] if collection in self.rows:
                return self._list(collection, asking.read_list(request, _FILTERS[collection]))
            case ["invoices", identifier, "lines"]:
                return self._lines(identifier, asking.read_list(request, ()))
            case [collection, identifier] if collection in self.rows:
                return self._one(collection, identifier)
            case _:
                raise Refused(_unrecognised(request))

    def _one(self, collection: str, identifier: str) -> bytes:
        rows, singular = self.rows[collection], _singular(collection)
        number = rows.kind.ids.number(identifier)
        if collection == "customers" and rows.had(number):
            return msgspec.json.encode({"id": identifier, "object": "customer", "deleted": True})
        if number is None or not rows.has(number):
            raise Refused(_missing(404, singular, identifier, "id"))
        return rows.encode(number)

    def _list(self, collection: str, asked: Asked) -> bytes:
        rows = self.rows[collection]
        first, last = self._span(collection, asked)
        is_back = asked.ending_before is not None
        walk = rows.oldest_first if is_back else rows.newest_first
        wanted = self._wanted(collection, rows, asked, walk(first, last))
        numbers, has_more = take(wanted, asked.limit)
        data = rows.page(numbers[::-1] if is_back else numbers)
        return _page(data, f"{_ROOT}{collection}", has_more=has_more)

    def _span(self, collection: str, asked: Asked) -> tuple[int, int]:
        """Return the first and the last number that a list may show."""
        rows = self.rows[collection]
        first, last = rows.between(self._since(collection, asked), asked.until)
        if asked.ending_before is not None:
            return max(first, self._cursor(collection, asked, "ending_before") + 1), last
        if asked.starting_after is not None:
            return first, min(last, self._cursor(collection, asked, "starting_after") - 1)
        return first, last

    def _cursor(self, collection: str, asked: Asked, name: str) -> int:
        identifier = getattr(asked, name)
        number = self.rows[collection].find(identifier)
        if number is None:
            raise Refused(_missing(400, _singular(collection), identifier, name))
        return number

    def _since(self, collection: str, asked: Asked) -> int | None:
        if collection != "events":
            return asked.since
        return max(asked.since or 0, int(self.clock.now()) - EVENT_SECONDS)

    def _wanted(
        self, collection: str, rows: Rows, asked: Asked, numbers: Iterator[int]
    ) -> Iterator[int]:
        """Leave out what was not asked for; ended subscriptions are shown to who asks for them."""
        filters = dict(asked.filters)
        status = filters.pop("status", "")
        if collection == "subscriptions" and status != "all":
            is_wanted = _ended(status)
            numbers = (n for n in numbers if is_wanted(rows.get(n)["status"]))
        elif status and status != "all":
            filters["status"] = status
        for name, value in filters.items():
            numbers = _having(rows, numbers, name, value)
        if asked.types:
            numbers = (n for n in numbers if rows.get(n)["type"] in asked.types)
        return numbers

    def _lines(self, identifier: str, asked: Asked) -> bytes:
        rows = self.rows["invoices"]
        number = rows.find(identifier)
        if number is None:
            raise Refused(_missing(404, "invoice", identifier, "invoice"))
        created = rows.created(number)
        lines = [line_of(number, n, created) for n in range(1, line_count_of(number) + 1)]
        ids = [line["id"] for line in lines]
        if asked.starting_after is not None:
            if asked.starting_after not in ids:
                raise Refused(_missing(400, "line_item", asked.starting_after, "starting_after"))
            lines = lines[ids.index(asked.starting_after) + 1 :]
        shown = msgspec.json.encode(lines[: asked.limit])
        return _page(shown, lines_url(identifier), has_more=len(lines) > asked.limit)


def _singular(collection: str) -> str:
    return collection.removesuffix("s")


def _ended(status: str) -> Any:
    match status:
        case "":
            return lambda found: found != "canceled"
        case "ended":
            return lambda found: found in {"canceled", "incomplete_expired"}
        case _:
            return lambda found: found == status


def _having(rows: Rows, numbers: Iterator[int], name: str, value: str) -> Iterator[int]:
    wanted: Any = {"true": True, "false": False}.get(value, value)
    return (number for number in numbers if rows.get(number).get(name) == wanted)


def _page(data: bytes, url: str, *, has_more: bool) -> bytes:
    more = b"true" if has_more else b"false"
    return b'{"object":"list","data":%b,"has_more":%b,"url":"%b"}' % (data, more, url.encode())


def _missing(status: int, what: str, identifier: str, param: str) -> Reply:
    message = f"No such {what}: '{identifier}'"
    return asking.error(status, message, code="resource_missing", param=param)


def _unrecognised(request: Request) -> Reply:
    return asking.error(
        404,
        f"Unrecognized request URL ({request.method}: {request.path}). Please see "
        "https://stripe.com/docs or we can help at https://support.stripe.com/.",
    )
