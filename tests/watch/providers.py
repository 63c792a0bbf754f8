"""OpenTelemetry keeps its first tracer provider for ever; a test has one of its own."""

from __future__ import annotations

import sys

from leasehold.tracing import API


def forget_provider() -> None:
    """Let the next test set another one; nothing where nobody has loaded OpenTelemetry."""
    if API in sys.modules:
        from opentelemetry import trace
        from opentelemetry.util._once import Once

        trace._TRACER_PROVIDER = None
        trace._TRACER_PROVIDER_SET_ONCE = Once()
