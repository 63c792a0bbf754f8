"""Callbacks: a task becomes the document of a job that is made when another one has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import BadOption
from leasehold.tracing import current_trace

if TYPE_CHECKING:
    from leasehold.binding import Binding
    from leasehold.options import Options

ENDED = "ended"  # the one argument of a callback

_encode = msgspec.json.Encoder().encode


def callback_of(binding: Binding, options: Options, fields: dict[str, Any]) -> bytes:
    """Write down the job to make, without id and arguments; `BadOption` when it can't be one."""
    _check_parameters(binding)
    _check_options(binding.kind, options)
    return _encode(fields)


def for_tenant(callback: bytes | None, tenant: str) -> msgspec.Raw | None:
    """Let a callback be its job's tenant's, unless it says whose it is."""
    if callback is None:
        return None
    document = msgspec.json.decode(callback)
    if tenant and not document.get("tenant"):
        callback = _encode(document | {"tenant": tenant})
    return msgspec.Raw(callback)


def batch_callback(callback: bytes | None, tenant: str) -> msgspec.Raw | None:
    """Do the same for a batch's; it has no trace to hand on, so the one of here is written."""
    document = for_tenant(callback, tenant)
    trace = current_trace()
    if document is None or trace is None:
        return document
    return msgspec.Raw(_encode({"trace": trace} | msgspec.json.decode(document)))


def _check_parameters(binding: Binding) -> None:
    parameters = binding.signature.parameters.values()
    required = [each.name for each in parameters if each.default is each.empty]
    if required != [ENDED]:
        raise BadOption(
            f"task {binding.kind!r} can't be a callback: it must take one argument, {ENDED!r}, "
            "which is a JobEnded or a BatchEnded"
        )


def _check_options(kind: str, options: Options) -> None:
    is_keyed = options.key_words.key is not None or options.key_words.key_by is not None
    refused = {
        "a key: it is made once for each end anyway": is_keyed,
        "a batch": options.batch is not None,
        "an id: that is made of what has ended": options.job_id is not None,
        "jobs to wait for": bool(options.after),
        "a throttle made of arguments": options.throttle_by is not None,
        "a share made of arguments": bool(options.share_by),
    }
    for what, is_refused in refused.items():
        if is_refused:
            raise BadOption(f"task {kind!r}: a callback can't have {what}")
