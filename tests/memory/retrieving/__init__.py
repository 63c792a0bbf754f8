"""What is found of a memory, by its words and by what they mean."""
