"""A service that speaks Unstructured's protocol, with our own engine behind it."""

from leasehold_documents.extract_server.application import make_app
from leasehold_documents.extract_server.serving import serve

__all__ = ["make_app", "serve"]
