"""What people see."""

from leasehold_documents.web.pages import (
    connectors,
    dashboard,
    entering,
    jobs,
    notifications,
    paper,
    papers,
    review,
    search,
)

ROUTERS = (
    dashboard.router,
    papers.router,
    paper.router,
    review.router,
    search.router,
    connectors.router,
    jobs.router,
    notifications.router,
    entering.router,
)
