"""A home with a memory, and the pages over it."""

from tests.memory.web.conftest import asker as asker  # noqa: PLC0414 - a fixture here, too
from tests.memory.web.conftest import companion as companion  # noqa: PLC0414
from tests.memory.web.conftest import embedder as embedder  # noqa: PLC0414
from tests.memory.web.conftest import memory as memory  # noqa: PLC0414
