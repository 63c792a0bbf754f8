"""A library of links that enriches itself: bookmarks in, titles, descriptions and images out."""
