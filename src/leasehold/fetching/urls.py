"""Reads URLs strictly: where two programs could read one differently, it is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

import idna

from leasehold.fetching.errors import AddressRefused, RedirectRefused, UrlRefused

if TYPE_CHECKING:
    from leasehold.fetching.addresses import Address
    from leasehold.fetching.rules import FetchRules

LONGEST = 8_192
_LONGEST_HOST = 253
_DEFAULT_PORTS = {"http": 80, "https": 443}
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.IGNORECASE | re.ASCII,
)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_IN_BRACKETS = re.compile(r"\[(?P<host>[0-9a-fA-F:.]+)\](?::(?P<port>[0-9]{0,5}))?")
_NAMED = re.compile(r"(?P<host>[^:\[\]]+)(?::(?P<port>[0-9]{0,5}))?")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_QUAD = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
_KEPT = "/%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class Url:
    """A URL that may be asked for, if its addresses may be reached."""

    scheme: str
    host: str  # in ASCII; an address without brackets
    port: int
    target: str  # path and query, as they go onto the wire
    address: Address | None  # when the host is one

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def read_url(text: str, rules: FetchRules) -> Url:
    """Read a URL; `UrlRefused` for what must not, or can't safely, be fetched."""
    text = text.strip(" ")
    found = _URL.fullmatch(_plain(text))
    if found is None:
        raise UrlRefused(text, "only http:// and https:// with a host can be fetched")
    if "\\" in found["authority"] + found["path"]:
        raise UrlRefused(text, "a backslash means another host to some programs")
    scheme = found["scheme"].lower()
    host, address, port = _read_authority(text, found["authority"])
    port = _DEFAULT_PORTS[scheme] if port is None else port
    if port not in rules.known_ports:
        raise UrlRefused(text, f"port {port} is not open to fetches")
    return Url(scheme, host, port, _target(found["path"], found["query"]), address)


def follow(url: Url, location: str, rules: FetchRules) -> Url:
    """Read where a redirect leads to."""
    if len(location) > LONGEST or _UNSAFE.search(location):
        raise RedirectRefused(str(url), "its Location is too long, or holds control characters")
    try:
        joined = urljoin(str(url), location.strip(" "))
    except ValueError as error:
        raise RedirectRefused(str(url), f"its Location can't be read: {error}") from error
    return read_url(joined, rules)


def _plain(text: str) -> str:
    if len(text) > LONGEST:
        raise UrlRefused(text, f"it is longer than {LONGEST:,} characters")
    if _UNSAFE.search(text):
        raise UrlRefused(text, "it holds control characters")
    return text


def _read_authority(text: str, authority: str) -> tuple[str, Address | None, int | None]:
    if "@" in authority:
        raise UrlRefused(text, "it names a user; give credentials as a header")
    found = _IN_BRACKETS.fullmatch(authority) or _NAMED.fullmatch(authority)
    if found is None:
        raise UrlRefused(text, "its host or port can't be read")
    port = int(found["port"]) if found["port"] else None
    if authority.startswith("["):
        six = _read_six(text, found["host"])
        return str(six), six, port
    host = _read_name(text, found["host"])
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        four = _read_four(text, host, is_plain=found["host"].isascii())
        return str(four), four, port
    return host, None, port


def _read_six(text: str, host: str) -> IPv6Address:
    try:
        return IPv6Address(host)
    except ValueError:
        raise UrlRefused(text, "its host is no IPv6 address") from None


def _read_four(text: str, host: str, *, is_plain: bool) -> IPv4Address:
    """Only four decimal numbers: others are read as octal here, and as decimal there."""
    if not is_plain or not _QUAD.fullmatch(host):
        raise AddressRefused(text, host, "an odd spelling of an IPv4 address")
    return IPv4Address(host)


def _read_name(text: str, host: str) -> str:
    name = host.lower() if host.isascii() else _to_ascii(text, host)
    name = name.removesuffix(".")
    if len(name) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, name.split("."))):
        raise UrlRefused(text, "its host is no name that the DNS knows")
    return name


def _to_ascii(text: str, host: str) -> str:
    """Map it as browsers do: they are less strict than registrars, and names with emoji exist."""
    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
        return ".".join(map(_punycode, mapped.split(".")))
    except (idna.IDNAError, UnicodeError) as error:
        raise UrlRefused(text, f"its host is no international name: {error}") from None


def _punycode(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"


def _target(path: str, query: str | None) -> str:
    """Escape what can't stand in a request line; what is escaped already stays as it is."""
    target = quote(path or "/", safe=_KEPT)
    return target if query is None else f"{target}?{quote(query, safe=_KEPT + '?[]|')}"
