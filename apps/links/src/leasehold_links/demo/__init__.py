"""The library with something to see: a small bookmark file, and a web of odd pages for it."""
