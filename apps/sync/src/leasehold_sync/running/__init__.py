"""Scans: page after page, each with its cursor and counts in one transaction."""
