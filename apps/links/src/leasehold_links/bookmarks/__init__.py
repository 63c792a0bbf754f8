"""Bookmark files: the HTML that browsers export, read as they wrote it and written as they read it."""
