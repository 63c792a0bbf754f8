"""Imports: connectors, tokens, and files that come in once."""
