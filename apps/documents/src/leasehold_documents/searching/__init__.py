"""Search in German and English: one analyser, one ranking, and the index of either database.

index_chunks(connection, tenant_id, extraction_id)   # beside the chunks, in their transaction
search(access, 'mietvertrag "ordentliche Kündigung" -pacht')
"""

from leasehold_documents.searching.finding import Hit, search
from leasehold_documents.searching.indexing import forget, index_chunks
from leasehold_documents.searching.marking import Marked, mark
from leasehold_documents.searching.reindexing import reindex

__all__ = ["Hit", "Marked", "forget", "index_chunks", "mark", "reindex", "search"]
