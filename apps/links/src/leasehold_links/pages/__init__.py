"""Pages of the web as they came: their text, what they say of themselves, who is let in."""
