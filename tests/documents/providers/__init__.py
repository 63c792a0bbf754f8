"""How clouds are read, over real HTTP from servers that behave like them."""
