"""Search in German and English: one analyser, one ranking, and the index of either database.

    index_chunks(connection, tenant_id, extraction_id)   # beside the chunks, in their transaction
    search(access, 'mietvertrag "ordentliche Kündigung" -pacht')

A chunk's words are analysed here and looked up there; which hit is better is counted here again,
so that both databases give the same hits in the same order.
"""

from leasehold_documents.searching.finding import Hit, search
from leasehold_documents.searching.indexing import forget, index_chunks
from leasehold_documents.searching.marking import Marked, mark
from leasehold_documents.searching.reindexing import reindex

__all__ = ["Hit", "Marked", "forget", "index_chunks", "mark", "reindex", "search"]
