"""HTTP to a model's server: one deadline, one limit, and errors that tell no text and no key.

No redirect is followed, so a key goes to the address in the settings and to nobody else.
"""

from __future__ import annotations

import ssl
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final

import httpx

from leasehold_memory.errors import ModelDown, ModelLimited, ModelRefusedKey, ModelRefusedRequest
from leasehold_memory.model.presets import ModelPreset

MOST_BYTES: Final = 4 * 1024 * 1024  # of one answer
_CONNECT_SECONDS = 5.0
_LONGEST_REST_SECONDS = 3600.0
_KEY_REFUSED = frozenset({401, 403})
_MAY_DO_LATER = frozenset({408, 409, 425})
_TOO_MANY = 429
_SERVER_ERROR = 500


def client_options(preset: ModelPreset) -> dict[str, Any]:
    """Return what a client of this preset's server is made with, sync or async."""
    return {
        "headers": {"User-Agent": "leasehold-memory", "Content-Type": "application/json"},
        "timeout": httpx.Timeout(
            preset.timeout_seconds, connect=min(_CONNECT_SECONDS, preset.timeout_seconds)
        ),
        "follow_redirects": False,
        "trust_env": False,  # a key must not go to a proxy that somebody's shell names
        "verify": trust(),
    }


def credentials(preset: ModelPreset) -> dict[str, str]:
    """Return the header with the key, if there is one."""
    key = preset.api_key.reveal()
    if not (key.isascii() and key.isprintable()):
        raise ModelRefusedKey(None)
    return {"Authorization": f"Bearer {key}"} if key else {}


def address(preset: ModelPreset, path: str) -> str:
    """Return where a path of the API is. Addresses are logged, so no password may be in one."""
    if not preset.base_url:
        raise ModelDown("no address is set")
    if "@" in preset.base_url:
        raise ModelDown("its address holds a name or a password: only the key may")
    return preset.base_url.rstrip("/") + path


@lru_cache(maxsize=1)
def trust() -> ssl.SSLContext:
    """Read the authorities that this machine trusts once: it takes longer than most requests."""
    return ssl.create_default_context()


def note_what_is_missing() -> None:
    """Let nobody look for `sniffio` again where it is not installed. Safe twice.

    httpcore does, nine times a reply, in every folder that may have modules: half of what asking
    costs. It does without.
    """
    if "sniffio" not in sys.modules and find_spec("sniffio") is None:
        sys.modules["sniffio"] = None  # type: ignore[assignment]  # how Python itself says it


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn the driver's errors into ours; their texts may hold an address or half an answer."""
    try:
        yield
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
        raise ModelDown("its address or key is none that a request can have") from None
    except httpx.TimeoutException:
        raise ModelDown("no answer in time") from None
    except (httpx.HTTPError, ssl.SSLError) as error:
        raise ModelDown(type(error).__name__) from None


def check_status(status: int, headers: Mapping[str, str]) -> None:
    """Raise what a status means, unless it is fine."""
    if status == httpx.codes.OK:
        return
    after = retry_after(headers)
    if status in _KEY_REFUSED:
        raise ModelRefusedKey(status)
    if status == _TOO_MANY:
        raise ModelLimited(after)
    if status >= _SERVER_ERROR or status in _MAY_DO_LATER:
        raise ModelDown(f"status {status}", after)
    raise ModelRefusedRequest(status)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, as a number or as a date, within an hour."""
    said = headers.get("retry-after", "").strip()
    seconds = _seconds(said) if said else None
    return None if seconds is None else min(max(seconds, 0.0), _LONGEST_REST_SECONDS)


def _seconds(said: str) -> float | None:
    try:
        number = float(said)
    except ValueError:
        return _until(said)
    return number if number == number else None  # noqa: PLR0124  # NaN is no time


def _until(said: str) -> float | None:
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - datetime.now(UTC)).total_seconds()
