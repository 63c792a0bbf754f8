"""SQLite as the suite sees it: fresh files, preloads, and what to ask them."""
