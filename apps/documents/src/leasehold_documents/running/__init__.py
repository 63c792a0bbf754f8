"""What workers do with papers: read them, and settle what was agreed to, whoever ends it.

extract_document ──> chunks, search index, money, document, end of the job, classify_document
      │                                              (one transaction)
      └── on_end ──> extraction_ended: failed or cancelled, refund, notice
"""
