"""Encryption: the keys, and the seals that they put on what jobs hold. Needs the extra `crypto`.

`cryptography` is imported when the first value is encrypted or read, never before.
"""
