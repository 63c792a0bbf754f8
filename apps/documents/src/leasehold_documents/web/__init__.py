"""The web of documents: what plugs into the service."""

from leasehold_documents.web.application import application

__all__ = ["application"]
