"""What programs call."""

from leasehold_documents.web.api import (
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
    jobs.router,
    notifications.router,
    monitoring.router,
    worker.router,
)
