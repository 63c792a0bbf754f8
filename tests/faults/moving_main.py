"""A process that moves a queue in small pages, a little slowly: it can be killed amid them."""

from __future__ import annotations

import sys
import time

from leasehold import moving

PAUSE_SECONDS = 0.004


def main(source: str, target: str, page: str) -> int:
    moving.PAGE = int(page)
    report = moving.move(source, target, progress=lambda _: time.sleep(PAUSE_SECONDS))
    return 0 if report.is_same else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
