"""The root of the tree."""


class LeaseholdError(Exception):
    """The root of the tree: `except LeaseholdError` catches all of it."""
