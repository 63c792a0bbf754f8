"""What programs call."""

from leasehold_documents.web.api import (
    connectors,
    documents,
    extractions,
    files,
    jobs,
    me,
    monitoring,
    notifications,
    review,
    search,
    worker,
)

ROUTERS = (
    me.router,
    documents.router,
    extractions.router,
    files.router,
    search.router,
    review.router,
    connectors.router,
    jobs.router,
    notifications.router,
    monitoring.router,
    worker.router,
)
