"""Texts become vectors, by the local program or over HTTP."""
