"""What pages of every application say, in one table for each language."""
