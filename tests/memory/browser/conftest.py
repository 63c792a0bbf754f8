"""One browser for a test process, and a home with a memory."""

from __future__ import annotations

from tests.browser.conftest import browser as browser  # noqa: PLC0414 - a fixture here, too
from tests.memory.web.conftest import companion as companion  # noqa: PLC0414
from tests.memory.web.conftest import embedder as embedder  # noqa: PLC0414
from tests.memory.web.conftest import memory as memory  # noqa: PLC0414
