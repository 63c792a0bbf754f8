"""Pages of the web, as they came: their text, what they say of themselves, whether they let us in."""
