"""Finds the browser that the tests drive: the system's own."""

from __future__ import annotations

import os
import shutil

VARIABLE = "LEASEHOLD_CHROMIUM"
REQUIRED = "LEASEHOLD_REQUIRE_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOW_TO_GET = (
    "NO BROWSER, so the dashboard was not tried in one. Install Chromium (Debian: apt-get install "
    f"chromium; macOS: brew install --cask chromium), or name one in {VARIABLE}."
)


def find_chromium() -> str | None:
    """Return the path of a Chromium, None when there is none."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def is_required() -> bool:
    return os.environ.get(REQUIRED) == "1"
