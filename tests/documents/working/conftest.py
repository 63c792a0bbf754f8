"""An office, as in the tests of the flow."""

from tests.documents.flow.conftest import _engines, office, queue

__all__ = ["_engines", "office", "queue"]
