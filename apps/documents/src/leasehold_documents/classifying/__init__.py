"""What a paper is, and where it belongs: by rules, and by what people of the tenant decided before.

    suggested = classify(connection, tenant_id, text_of(connection, tenant_id, document_id))
    file(connection, tenant_id, document_id, suggested, now)   # filed, to review, or the inbox

What people decide afterwards is said to `reviewing`, and learnt.
"""

from leasehold_documents.classifying.classify import classify
from leasehold_documents.classifying.filing import file, text_of
from leasehold_documents.classifying.rules import DOC_TYPES
from leasehold_documents.classifying.values import Suggested

__all__ = ["DOC_TYPES", "Suggested", "classify", "file", "text_of"]
