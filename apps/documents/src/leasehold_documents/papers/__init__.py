"""The papers themselves: taken in, listed, and deleted with all that was made of them."""

from leasehold_documents.papers.adding import add
from leasehold_documents.papers.deleting import delete, forget_files
from leasehold_documents.papers.looking import get, named, page
from leasehold_documents.papers.sweeping import daily, sweep

__all__ = ["add", "daily", "delete", "forget_files", "get", "named", "page", "sweep"]
