"""Bookmark files: the HTML that browsers export, read as they write it, written as they read it."""
