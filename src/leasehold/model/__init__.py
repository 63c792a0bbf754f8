"""Values and rules. Nothing here does I/O, reads a clock or draws a random number."""
