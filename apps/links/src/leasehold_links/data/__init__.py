"""The library's tables, in the same database as the queue, and what is read and written there."""
