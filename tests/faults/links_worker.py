"""A worker of links in a process of its own: `… URL LEASE`."""

from __future__ import annotations

import sys

import leasehold as lh
from leasehold_links.working import make_worker


def main() -> None:
    url, lease = sys.argv[1:]
    with lh.Client(url) as client:
        make_worker(client, lease=float(lease), poll=0.2).run()


if __name__ == "__main__":
    main()
